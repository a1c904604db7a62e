from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from aistream_nb.errors import RecordingError
from aistream_nb.recording import Entry, Recording

FIXTURES = Path(__file__).parent / "fixtures"
KEY = "sk-planted-0123456789abcdef"
STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def said(delta: str) -> dict[str, Any]:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def make(*events: dict[str, Any]) -> Recording:
    return Recording.of(events)


def test_times_are_counted_from_the_beginning():
    clock = Clock()
    recording = Recording(clock=clock)
    clock.now += 1.5
    recording.append(STARTED)
    clock.now -= 9
    recording.append(FINISHED)
    assert recording.entries == (
        Entry(1.5, "event", STARTED),
        Entry(1.5, "event", FINISHED),
    )
    assert recording.events == (STARTED, FINISHED)
    assert len(recording) == 2


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_what_is_saved_comes_back(tmp_path, name):
    recording = Recording(clock=lambda: 0.0, header={"provider": "p", "model": "m"})
    recording.append(STARTED)
    recording.append_wire(1, request={"url": "u"}, response={"status": 200})
    recording.append_wire(1, content=b"data: \xc3")
    recording.append_note("novelty", {"n": 1})
    saved = recording.save(tmp_path / name)
    loaded = Recording.load(saved)
    assert loaded.entries == recording.entries
    assert loaded.header == recording.header
    assert loaded.rounds[0].body == b"data: \xc3"
    assert loaded.name == name


def test_the_recording_of_the_first_release_keeps_loading():
    recording = Recording.load(FIXTURES / "format-1.jsonl")
    assert recording.header["provider"] == "anthropic"
    assert [one["type"] for one in recording.events] == ["RUN_STARTED", "RUN_FINISHED"]
    assert recording.rounds[0].body == b"data: {}\n\n"
    assert recording.notices == []


@pytest.mark.parametrize("kept", sorted(FIXTURES.iterdir()), ids=lambda path: path.name)
def test_a_recording_of_every_version_keeps_loading_and_comes_back(kept, tmp_path):
    recording = Recording.load(kept)

    assert recording.ending == "finished"
    assert recording.notices == []
    again = Recording.load(recording.save(tmp_path / kept.name))
    assert again.entries == recording.entries
    assert again.header == recording.header


def test_no_planted_key_is_ever_kept(tmp_path):
    path = tmp_path / "run.jsonl"
    with Recording.open(path, header={"api_key": KEY, "note": KEY}) as recording:
        recording.learn_secret("own-secret")
        recording.append({"type": "X", "a": KEY, "b": ["own-secret"], "token": "t"})
        recording.append_wire(
            1,
            request={"url": f"u?key={KEY}", "headers": {"x": "h"}, "body": KEY},
            response={"Headers": {"set-cookie": "c"}, "status": 200},
            content=f"data: {KEY} own-secret".encode(),
        )
        recording.append_note("note", KEY)
        recording.describe(authorization=KEY)
    text = path.read_text(encoding="utf-8")
    for secret in (KEY, "own-secret", "set-cookie"):
        assert secret not in text
        assert secret not in repr(recording.entries) + repr(recording.header)
    assert '"headers"' not in text


def test_secrets_in_a_file_are_taken_out_when_it_is_loaded(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps([{"type": "X", "a": KEY, "b": "mine-1"}]))
    recording = Recording.load(path, secrets=["mine-1"])
    assert recording.events[0]["a"] == recording.events[0]["b"] == "[redacted]"


def test_a_file_holds_everything_up_to_the_last_event(tmp_path):
    path = tmp_path / "run.jsonl"
    recording = Recording.open(path)
    recording.append(STARTED)
    recording.append(said("a"))
    # Nobody closes it: the process is gone.
    assert Recording.load(path).events == (STARTED, said("a"))
    recording.close()
    recording.close()


def test_a_compressed_file_can_be_read_while_it_grows(tmp_path):
    path = tmp_path / "run.jsonl.gz"
    recording = Recording.open(path)
    recording.append(STARTED)
    loaded = Recording.load(path)
    assert loaded.events == (STARTED,)
    assert loaded.notices == ["the compressed file breaks off"]
    recording.close()
    assert Recording.load(path).notices == []


def test_a_torn_file_is_repaired_and_continued(tmp_path):
    path = tmp_path / "run.jsonl"
    clock = Clock()
    with Recording.open(path, clock=clock) as recording:
        clock.now += 2
        recording.append(STARTED)
    with path.open("ab") as file:
        file.write(b'{"t":3,"ev')

    with Recording.open(path, header={"model": "m"}, clock=clock) as recording:
        assert recording.notices == ["line 3 was torn by a crash and is left out"]
        clock.now += 1
        recording.append(FINISHED)

    loaded = Recording.load(path)
    assert loaded.notices == []
    assert [(one.t, one.event) for one in loaded.entries] == [
        (2.0, STARTED),
        (3.0, FINISHED),
    ]
    assert loaded.header == {"model": "m"}


def test_an_empty_file_is_begun(tmp_path):
    path = tmp_path / "run.jsonl"
    path.touch()
    with Recording.open(path) as recording:
        recording.append(STARTED)
    assert Recording.load(path).events == (STARTED,)


def test_recording_to_a_file_takes_what_was_there(tmp_path):
    recording = make(STARTED)
    recording.record_to(tmp_path / "a.jsonl")
    recording.record_to(tmp_path / "b.jsonl")
    recording.append(FINISHED)
    recording.describe(model="m")
    recording.close()
    assert Recording.load(tmp_path / "a.jsonl").events == (STARTED,)
    last = Recording.load(tmp_path / "b.jsonl")
    assert (last.events, last.header) == ((STARTED, FINISHED), {"model": "m"})


def test_a_disk_that_fails_does_not_end_the_run(tmp_path):
    path = tmp_path / "run.jsonl"
    recording = Recording.open(path)
    journal = recording._journal
    assert journal is not None
    os.close(journal._descriptor)
    taken = os.open(path, os.O_RDONLY)
    recording.append(STARTED)
    recording.append(FINISHED)
    journal._close.detach()
    os.close(taken)
    assert recording.events == (STARTED, FINISHED)
    assert len(recording.notices) == 1
    assert "the file ends here" in recording.notices[0]


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(RecordingError, match="cannot be read: No such file"):
        Recording.load(tmp_path / "missing.jsonl")
    with pytest.raises(RecordingError, match="cannot be written"):
        make(STARTED).save(tmp_path / "missing" / "run.jsonl")


@pytest.mark.parametrize(
    ("events", "ending"),
    [
        ([], "no run"),
        ([said("a")], "no run"),
        ([STARTED, said("a")], "cut off after event 2 (TEXT_MESSAGE_CONTENT)"),
        ([STARTED, FINISHED], "finished"),
        ([STARTED, {"type": "RUN_ERROR", "message": "x"}], "failed"),
    ],
)
def test_it_says_where_it_ended(events, ending):
    assert make(*events).ending == ending


def test_what_is_shown_is_the_same_every_day():
    recording = Recording(clock=iter(range(9)).__next__, header={"model": "m"})
    recording.append(STARTED)
    recording.append_wire(1, content=b"x")
    assert repr(recording) == "<Recording of 1 event, 1 provider round, m>"
    assert "Recording of 1 event" in recording._repr_html_()


def test_the_html_is_escaped_and_ends_somewhere():
    recording = make(*(said("<img src=x>") for _ in range(103)))
    html = recording._repr_html_()
    assert "<img" not in html
    assert "and 3 more events" in html


def test_an_empty_recording_is_a_recording():
    assert Recording()
    assert len(Recording()) == 0


def test_compacting_keeps_the_story_and_the_name(tmp_path):
    recording = Recording.load(make(said("a"), said("b")).save(tmp_path / "x.jsonl"))
    compact = recording.compact()
    assert compact.events == (said("ab"),)
    assert compact.name == "x.jsonl"


def test_two_recordings_are_compared_by_what_happened():
    one, other = make(said("a"), said("b")), make(said("ab"))
    assert not one.diff(other)
    diff = str(one.diff(make(said("abc"))))
    assert diff.startswith("--- recording (this)\n+++ recording (other)")
    other.name = "other.jsonl"
    assert "+++ other.jsonl" in str(make().diff(other))


def test_what_json_cannot_say_is_kept_in_words():
    recording = make({"type": "X", "odd": {1, 2}, "nan": float("nan")})
    assert recording.events[0]["nan"] is None
    assert "type 'set'" in recording.events[0]["odd"]


SAID = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m"}


def test_what_is_kept_back_is_seen_and_saved_and_comes_once(tmp_path):
    recording = Recording(clock=lambda: 0.0, secrets=["hunter2!-and-much-more"])
    path = tmp_path / "it.jsonl"
    recording.append(SAID | {"delta": "so: hunter"})

    assert len(recording) == len(recording.events) == 2
    assert [e["delta"] for e in recording.events] == ["so: ", "hunter"]
    assert len(Recording.load(recording.save(path))) == 2
    assert recording.compact().events[0]["delta"] == "so: hunter"
    assert len(recording.continued()) == 2

    recording.record_to(path)
    assert len(path.read_text("utf-8").splitlines()) == 2
    recording.append(SAID | {"delta": "s in spring"})
    recording.append(SAID | {"delta": "; hunter"})
    recording.close()

    loaded = Recording.load(path)
    assert [e["delta"] for e in loaded.events] == [
        "so: ",
        "hunters in spring",
        "; ",
        "hunter",
    ]
    assert loaded.events == recording.events


def test_a_secret_in_two_deltas_of_a_file_is_taken_out_when_it_is_loaded(tmp_path):
    kept = Recording.of([SAID | {"delta": "open-"}, SAID | {"delta": "sesame"}])
    path = kept.save(tmp_path / "it.jsonl")

    loaded = Recording.load(path, secrets=["open-sesame"])

    assert [e["delta"] for e in loaded.events] == ["[redacted]"]


def test_an_answer_that_ends_amid_what_may_be_a_secret_is_kept(tmp_path):
    recording = Recording(clock=lambda: 0.0, secrets=["hunter2!-and-much-more"])
    recording.append_wire(1, content=b"so: hunter")

    assert recording.rounds[0].body == b"so: hunter"
    path = tmp_path / "it.jsonl.gz"
    recording.record_to(path)
    recording.close()
    assert Recording.load(path).rounds[0].body == b"so: hunter"
