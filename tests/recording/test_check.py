from __future__ import annotations

import json
from pathlib import Path

import pytest

import aistream_nb as ai
from aistream_nb.core.ordering.rules import STARTED, event, run
from aistream_nb.errors import RecordingError
from aistream_nb.recording.check import check_ordering

BROKEN = run(event("TEXT_MESSAGE_END", messageId="m1"))
FOUND = [("text.end_unopened", 1)]
LINES = "".join(f"{json.dumps(one)}\n" for one in BROKEN)
FRAMES = "".join(f"data: {json.dumps(one)}\n\n" for one in BROKEN)


def found(source: object) -> list[tuple[str, int]]:
    return [(one.rule, one.index) for one in check_ordering(source).violations]


def test_everything_that_holds_a_stream_is_judged_alike(tmp_path: Path):
    recording = ai.Recording.of(BROKEN)
    paths = [tmp_path / name for name in ("a.jsonl", "b.sse", "c.json", "d.jsonl.gz")]
    paths[0].write_text(LINES)
    paths[1].write_text(FRAMES)
    paths[2].write_text(json.dumps(list(BROKEN)))
    recording.save(paths[3])
    sources = [BROKEN, list(BROKEN), recording, LINES, FRAMES, FRAMES.encode()]
    for source in (*sources, *paths, *map(str, paths)):
        assert found(source) == FOUND


def test_the_frames_of_a_dump_are_judged_too(tmp_path: Path):
    path = tmp_path / "dump.sse"
    path.write_text(f"data: {{oops}}\n\n{FRAMES}")
    assert found(path)[0] == ("frame.bad_json", 0)


async def test_a_chat_is_judged_by_what_it_recorded():
    chat = ai.Chat("offline", pace=0)
    await chat.send("Should we take the ferry to Hvar?")
    assert check_ordering(chat).ok
    assert check_ordering(chat).count > 3


def test_the_options_are_those_of_the_judge():
    report = check_ordering([STARTED], profile="client")
    assert (report.profile, report.ok) == ("client", True)


def test_a_file_that_is_not_there_says_so():
    with pytest.raises(RecordingError, match=r"nowhere\.jsonl cannot be read"):
        check_ordering("nowhere.jsonl")


@pytest.mark.parametrize("source", [7, None, {}])
def test_what_holds_no_events_is_refused(source: object):
    with pytest.raises(TypeError, match="takes events"):
        check_ordering(source)


def test_it_is_the_one_that_everybody_imports():
    assert ai.check_ordering is check_ordering
