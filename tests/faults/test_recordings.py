"""Disks that are full, files that cannot be, clocks that go back, recordings that lie.

Recording never ends a run, what was kept before stays readable, and opening what a
stranger made gives a recording or one kind of error, and runs nothing.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fault_kit import (
    BOOK,
    Ferry,
    approve_what_waits,
    ferry_chat,
    hold_the_laws,
    kept_text,
    steps,
)
from hypothesis import HealthCheck, given, settings, strategies as st

import aistream_nb as ai
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.recording import Recording

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*/denied.jsonl"))
STARTED = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}


def full_disk(descriptor: int) -> None:
    """Whatever is written to this descriptor from now on meets a full disk."""
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, descriptor)
    os.close(full)


def read_only(descriptor: int) -> None:
    """Nothing can be written to this descriptor from now on."""
    closed = os.open("/dev/null", os.O_RDONLY)
    os.dup2(closed, descriptor)
    os.close(closed)


def descriptor_of(recording: Recording) -> int:
    assert recording._journal is not None
    return recording._journal._descriptor


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
@pytest.mark.parametrize(
    ("strike", "words"),
    [(full_disk, "No space left"), (read_only, "Bad file descriptor")],
    ids=["a full disk", "read-only"],
)
def test_a_disk_that_fails_ends_the_file_and_not_the_run(
    tmp_path: Path, name: str, strike: Callable[[int], None], words: str
):
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry)
        chat.recording.record_to(tmp_path / name)
        task = turned.start(chat.send(BOOK))
        turned.until(lambda: bool(chat.waiting))
        kept = len(chat.recording.events)
        strike(descriptor_of(chat.recording))
        approve_what_waits(chat)
        turned.until(task.done)
        assert task.result().status == "finished"
        hold_the_laws(chat)
        chat.recording.close()
        turned.run(chat.aclose())
    assert len(ferry.booked) == 1
    (notice,) = chat.recording.notices
    assert words in notice
    assert "the file ends here" in notice
    assert len(Recording.load(tmp_path / name).events) >= kept
    chat.recording.save(tmp_path / "elsewhere.jsonl")
    again = Recording.load(tmp_path / "elsewhere.jsonl")
    assert again.events == chat.recording.events


def test_a_file_on_a_full_disk_is_not_begun(tmp_path: Path):
    (tmp_path / "full").symlink_to("/dev/full")
    chat = ai.Chat("offline", pace=0)
    for write in (chat.recording.save, chat.recording.record_to):
        with pytest.raises(RecordingError, match="No space left"):
            write(tmp_path / "full")
    assert [one.name for one in tmp_path.iterdir()] == ["full"]
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_link_a_mode_and_a_pipe_stay_what_they_are(tmp_path: Path):
    recording = Recording.of([STARTED])
    target, link = tmp_path / "target.jsonl", tmp_path / "link.jsonl"
    target.touch(mode=0o600)
    link.symlink_to(target)
    recording.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert Recording.load(link).events == (STARTED,)

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    recording.save(pipe)
    assert b"RUN_STARTED" in os.read(reader, 10_000)
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    "name",
    ["file/below.jsonl", "missing/below.jsonl", "folder", "n" * 300, "a\0b"],
    ids=["below a file", "no folder", "a folder", "too long", "no name"],
)
@pytest.mark.parametrize("act", ["save", "record_to", "load", "open"])
def test_a_place_that_cannot_be_is_one_kind_of_error(
    tmp_path: Path, name: str, act: str
):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    recording = Recording.of([STARTED])
    with pytest.raises(RecordingError, match=r"cannot be (read|written): ."):
        getattr(recording, act)(tmp_path / name)
    assert {one.name for one in tmp_path.iterdir()} == {"file", "folder"}


@pytest.mark.parametrize("folder", ["/proc", "/sys"])
def test_a_place_where_nobody_may_write_is_told(folder: str):
    with pytest.raises(RecordingError, match="cannot be written"):
        Recording.of([STARTED]).record_to(f"{folder}/run.jsonl")


def clock_of(times: Iterator[float]) -> Callable[[], float]:
    return lambda: next(times)


def test_a_clock_that_goes_back_takes_no_time_back(tmp_path: Path):
    def times() -> Iterator[float]:
        now = 1_000_000.0
        while True:
            yield now
            now -= 7.5

    with steps() as turned:
        chat = ferry_chat(Ferry(), clock=clock_of(times()))
        task = turned.start(chat.send(BOOK))
        while not task.done():
            turned.once()
            approve_what_waits(chat)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    kept = [entry.t for entry in chat.recording.entries]
    assert kept == sorted(kept)
    chat.recording.save(tmp_path / "back.jsonl")
    assert Recording.load(tmp_path / "back.jsonl").events == chat.recording.events
    assert repr(task.result())
    assert ai.Player(tmp_path / "back.jsonl").conversation


def test_a_clock_that_tells_no_time_is_passed_over():
    told = iter([5.0, float("nan"), float("inf"), 6.0, float("-inf"), 5.0])
    recording = Recording(clock=lambda: next(told))
    for _ in range(5):
        recording.append(STARTED)
    assert [entry.t for entry in recording.entries] == [0.0, 0.0, 1.0, 1.0, 1.0]


class Evil(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("nobody looks inside")


class NoName:
    def __str__(self) -> str:
        raise ValueError("no name")


def test_an_event_that_cannot_be_looked_into_ends_no_recording():
    recording = Recording(clock=lambda: 0.0)
    recording.append({"type": "CUSTOM", "value": Evil()})
    recording.append({"type": "CUSTOM", "value": {NoName(): 1}})
    recording.append(Evil(type="CUSTOM"))
    assert [event.get("value") for event in recording.events] == [
        "[a value of type 'Evil' that JSON cannot say]",
        "[a value of type 'dict' that JSON cannot say]",
        None,
    ]
    assert Recording.read(kept_text(recording).encode()).events == recording.events


# ---------------------------------------------------------------- what strangers made


def mutated(original: bytes, cuts: list[tuple[int, int, bytes]]) -> bytes:
    content = bytearray(original)
    for start, length, put in cuts:
        at = start % (len(content) + 1)
        content[at : at + length] = put
    return bytes(content)


CUTS = st.lists(
    st.tuples(
        st.integers(0, 2**20),
        st.integers(0, 400),
        st.one_of(
            st.binary(max_size=6),
            st.sampled_from(
                [
                    b"\n",
                    b"null",
                    b"[",
                    b'"t":1e999,',
                    b"\xff",
                    b"NaN",
                    b'{"t":-1}\n',
                    b'{"kind":"aistream_nb recording","format":99}\n',
                    b'"type":"RUN_STARTED",',
                    b'"messageId":7,',
                    b"[" * 3000,
                    b"9" * 5000,
                ]
            ),
        ),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(which=st.integers(0, len(GOLDEN) - 1), cuts=CUTS)
def test_a_mutated_recording_is_read_or_refused(
    which: int, cuts: list[tuple[int, int, bytes]], *, packed: bool
):
    content = GOLDEN[which].read_bytes()
    content = gzip.compress(content, 1, mtime=0) if packed else content
    try:
        recording = Recording.read(mutated(content, cuts))
    except RecordingError:
        return
    look_at_all_of(recording)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([-1, 0, 10**400, 1e300, "", "\ud800", "__proto__", "x" * 5000]),
    st.sampled_from(["RUN_STARTED", "RUN_FINISHED", "user", "assistant", "tool"]),
    st.sampled_from([[], {}, [[]], [{}], {"type": 5}, {"id": "x", "role": "user"}]),
)
"""What stands in a stranger's file where something else was due."""


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON value, and the keys in it."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in list(inside):
        yield value, key
        if isinstance(member, (dict, list)):
            yield from places(member)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(draw=st.data())
def test_a_recording_whose_values_lie_is_read_and_looked_at(draw: st.DataObject):
    which = draw.draw(st.sampled_from(GOLDEN))
    lines = [json.loads(line) for line in which.read_text("utf-8").splitlines()]
    for _ in range(draw.draw(st.integers(1, 6))):
        known = list(places(lines[draw.draw(st.integers(1, len(lines) - 1))]))
        where, key = draw.draw(st.sampled_from(known))
        where[key] = copy.deepcopy(draw.draw(ODD))
    order = draw.draw(st.sampled_from(["kept", "twice", "backwards"]))
    if order == "backwards":
        lines[1:] = lines[:0:-1]
    if order == "twice":
        lines += lines[1:]
    content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    try:
        recording = Recording.read(content)
    except RecordingError:
        return
    again = Recording.read(kept_text(recording).encode())
    assert again.events == recording.events
    look_at_all_of(recording)


def look_at_all_of(recording: Recording) -> None:
    """What a person does with somebody's recording; nothing of it may raise."""
    player = ai.Player(recording)
    for _ in zip(range(40), recording.events, strict=False):
        player.step()
    player.seek(len(recording))
    player.seek(0)
    ai.check_ordering(recording.events)
    recording.compact()
    assert repr(recording)
    assert recording._repr_html_()
    assert recording.rounds is not None


def test_opening_what_a_stranger_made_runs_no_tool(tmp_path: Path):
    """Even where the recording says that somebody allowed it."""
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry)
        task = turned.start(chat.send(BOOK))
        while not task.done():
            turned.once()
            approve_what_waits(chat)
        turned.run(chat.aclose())
    chat.recording.save(tmp_path / "run.jsonl")
    ferry.booked.clear()
    look_at_all_of(Recording.load(tmp_path / "run.jsonl"))
    assert not ferry.booked


@pytest.mark.parametrize(
    "content", [b"", b"\x1f\x8b", b"\x1f\x8b" + b"x" * 99, b"\0" * 99, b"[" * 99_999]
)
def test_rubbish_is_refused_with_advice(content: bytes):
    with pytest.raises(AIStreamError, match="the recording"):
        Recording.read(content)
