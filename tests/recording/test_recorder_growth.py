"""A recording grows with the talk, and what it repeats is told and held once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.redaction import Redactor
from aistream_nb.recording import Recording
from aistream_nb.recording.entries import text_of

STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}


def still() -> float:
    return 0.0


TOOLS = [{"name": "t", "description": "d" * 300}]


def asked(turns: int) -> dict[str, Any]:
    talk = [{"role": "user", "content": f"{at:03} " + "x" * 96} for at in range(turns)]
    body = {"model": "m", "tools": TOOLS, "messages": talk}
    return {"method": "POST", "url": "u", "body": body}


def test_a_file_grows_with_the_talk_and_not_with_its_square(tmp_path: Path):
    sizes: dict[int, int] = {}
    for turns in (20, 40, 80):
        path = tmp_path / f"{turns}.jsonl"
        with Recording.open(path, clock=still) as recording:
            for at in range(1, turns + 1):
                recording.append_wire(at, request=asked(at))
        sizes[turns] = path.stat().st_size
        assert recording.save(tmp_path / "saved.jsonl").stat().st_size == sizes[turns]

    assert sizes[80] - sizes[40] == pytest.approx(2 * (sizes[40] - sizes[20]), rel=0.02)
    assert sizes[80] < 80 * 350


@pytest.mark.parametrize("loaded", [False, True])
def test_memory_holds_each_message_once(*, loaded: bool, tmp_path: Path):
    recording = Recording(clock=still)
    for at in range(1, 41):
        recording.append_wire(at, request=asked(at))
    if loaded:
        recording = Recording.load(recording.save(tmp_path / "it.jsonl"))

    bodies = [one.kept["request"]["body"] for one in recording.entries]
    talks = [body["messages"] for body in bodies]
    assert [len(one.own) for one in talks[1:]] == [1] * 39
    assert len({id(body["tools"]) for body in bodies}) == 1
    messages = [message for one in talks[1:] for message in one.whole()]
    assert len({id(message) for message in messages}) == 40
    assert recording.rounds[-1].request == asked(40)


def test_whole_requests_of_an_older_file_share_what_they_repeat(tmp_path: Path):
    path = tmp_path / "old.jsonl"
    lines = [{"kind": "aistream_nb recording", "format": 1}]
    lines += [{"t": 0, "wire": {"round": n, "request": asked(n)}} for n in (1, 2, 3)]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")

    recording = Recording.load(path)

    assert [one.request for one in recording.rounds] == [asked(n) for n in (1, 2, 3)]
    assert recording.entries[2].kept["request"]["body"]["messages"].own == [
        asked(3)["body"]["messages"][2]
    ]
    assert recording.save(path).stat().st_size < 1500


@pytest.mark.parametrize("how", ["opened", "continued", "recorded to", "compact"])
def test_whoever_goes_on_repeats_nothing(how: str, tmp_path: Path):
    path = tmp_path / "it.jsonl"
    recording = Recording(clock=still)
    recording.append_wire(1, request=asked(30))
    recording.save(path)
    if how == "opened":
        recording = Recording.open(path)
    elif how == "recorded to":
        recording.record_to(path)
    else:
        recording = recording.continued() if how == "continued" else recording.compact()
        recording.record_to(path)
    recording.append_wire(2, request=asked(31))
    recording.close()

    last = json.loads(path.read_text("utf-8").splitlines()[-1])["wire"]
    told = {"model": True, "tools": True, "messages": 30}
    assert last["as_before"] == {"round": 1, "body": told}
    assert Recording.load(path).rounds[1].request == asked(31)


def test_a_request_that_is_lost_takes_those_with_it_that_build_on_it(tmp_path: Path):
    path = tmp_path / "it.jsonl"
    recording = Recording(clock=still)
    for at in (1, 2, 3):
        recording.append_wire(at, request=asked(at))
        recording.append_wire(at, content=b"data: {}")
    recording.append_wire(4, request={"method": "POST", "url": "u", "body": {"new": 1}})
    recording.append(STARTED)
    lines = recording.save(path).read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:3], *lines[4:]]), "utf-8")

    loaded = Recording.load(path)

    bodies = [(one.request or {}).get("body") for one in loaded.rounds]
    assert bodies == [asked(1)["body"], None, None, {"new": 1}]
    assert [one.body for one in loaded.rounds] == [b"data: {}"] * 3 + [b""]
    assert loaded.events == (STARTED,)
    assert len(loaded.notices) == 1
    # Nothing of the file is lost when it is written again.
    again = Recording.load(loaded.save(path))
    assert (again.entries, again.notices) == (loaded.entries, [])


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.text("ab"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["x", "api_key"]), inner, max_size=2)
    ),
    max_leaves=8,
)
bodies = st.dictionaries(
    st.sampled_from(["model", "messages", "tools", "token"]), values, max_size=4
)


def members(request: Any) -> object:
    """The members of a body as text: their order may be another one."""
    body = request["body"]
    if isinstance(body, dict):
        told: dict[str, Any] = body
        return {name: encode_json(told[name]) for name in told}
    return encode_json(body)


@given(st.lists(bodies | values, max_size=6))
def test_any_sequence_of_requests_reads_back_without_its_secrets(told: list[Any]):
    recording = Recording(clock=still)
    for number, body in enumerate(told, start=1):
        recording.append_wire(number, request={"url": "u", "body": body})
    text = text_of(recording.header, recording.entries)
    again = Recording.read(text.encode())

    # Without headers, and with JSON text as JSON, a body is what the redactor makes.
    due = [
        Redactor().redact({"url": "u", "body": body})
        for body in told
        if not isinstance(body, str)
    ]
    for kept in (recording, again):
        requests = [
            one.request
            for one, body in zip(kept.rounds, told, strict=True)
            if not isinstance(body, str)
        ]
        assert [members(one) for one in requests] == [members(one) for one in due]
    assert again.notices == []


@given(st.lists(st.tuples(values, values, values), max_size=4))
def test_whatever_a_file_says_of_before_nothing_is_raised(told: list[Any]):
    lines: list[object] = [
        {"kind": "aistream_nb recording", "format": 1},
        {"t": 0, "wire": {"round": 1, "request": asked(3)}},
        {"t": 0, "wire": {"round": 1, "text": "data: {}"}},
    ]
    for number, before, body in told:
        wire = {"round": number, "request": {"body": body}, "as_before": before}
        odd = {"round": 1, "body": before}
        lines += [{"t": 0, "wire": wire}, {"t": 0, "wire": wire | {"as_before": odd}}]
    lines.append({"t": 0, "event": STARTED})
    content = "\n".join(encode_json(one) for one in lines).encode()

    loaded = Recording.read(content)

    assert loaded.events == (STARTED,)
    assert loaded.rounds[0].body == b"data: {}"
    again = Recording.read(text_of(loaded.header, loaded.entries).encode())
    assert again.entries == loaded.entries
