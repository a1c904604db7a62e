"""The kept event logs of whole agent runs, one for each wire and story.

``AISTREAM_GOLDEN=write pytest tests/test_golden.py`` writes them anew; look at what
changed before you commit it.
"""

from __future__ import annotations

import asyncio
import difflib
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from golden_stories import STORIES, VENDORS, tell

from aistream_nb import Conversation, Player
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.values import Event
from aistream_nb.recording import Recording
from aistream_nb.testing import replay
from aistream_nb.tools.travel import offline_tools

FOLDER = Path(__file__).parent / "golden"
WRITE = os.environ.get("AISTREAM_GOLDEN") == "write"
ANEW = "If that is meant: AISTREAM_GOLDEN=write pytest tests/test_golden.py"

every_log = pytest.mark.parametrize(
    ("vendor", "story"), [(vendor, name) for vendor in VENDORS for name in STORIES]
)


def place_of(vendor: str, story: str) -> Path:
    return FOLDER / vendor / f"{story}.jsonl"


def kept(vendor: str, story: str) -> Recording:
    return Recording.load(place_of(vendor, story))


def folded(events: Iterable[Event]) -> Conversation:
    conversation = Conversation()
    conversation.receive_all(events)
    return conversation


@every_log
def test_a_run_is_told_as_it_was_kept(vendor: str, story: str, tmp_path: Path):
    told = asyncio.run(tell(story, vendor))
    place = place_of(vendor, story)
    if WRITE:
        place.parent.mkdir(parents=True, exist_ok=True)
        told.save(place)

    difference = kept(vendor, story).diff(told)
    assert not difference, f"{difference}\n\n{ANEW}"
    # The bytes of the wire, the requests and the times are kept as well.
    now = told.save(tmp_path / place.name).read_text("utf-8")
    was = place.read_text("utf-8")
    assert was == now, f"{_changed_lines(was, now)}\n\n{ANEW}"


def _changed_lines(was: str, now: str) -> str:
    lines = difflib.unified_diff(
        was.splitlines(), now.splitlines(), "kept", "now", n=0, lineterm=""
    )
    return "\n".join(line[:400] for line in lines)


@every_log
def test_a_run_keeps_the_order(vendor: str, story: str):
    report = check_ordering(kept(vendor, story).events)
    assert report.violations == (), str(report)


@every_log
def test_a_run_is_played_again_without_a_difference(vendor: str, story: str):
    again = replay(place_of(vendor, story), tools=offline_tools())
    assert str(again.diff) == "no difference"


@every_log
def test_a_player_shows_what_had_come_by_then(vendor: str, story: str):
    recording = kept(vendor, story)
    player = Player(recording)
    end = len(player)
    # Forward and back again, and to where a call has just been asked about.
    for position in (end // 3, end // 2, end, 2 * end // 3, 1, end - 1, 0, end):
        player.seek(position)
        shown = player.conversation
        expected = folded(recording.events[:position])
        assert shown.processor.messages == expected.processor.messages
        assert shown.status == expected.status
        assert {i: c.status for i, c in shown.tool_calls.items()} == {
            i: c.status for i, c in expected.tool_calls.items()
        }


# A call runs as soon as it is whole, while the stream waits; where a stream broke off
# the calls that were whole have run, and the others never do.
CUT = {"gemini": ["complete", "complete"], "ollama": ["aborted", "aborted"]}
STATUSES = {
    "booked-after-529": ["complete", "complete", "complete"],
    "denied": ["denied"],
    "edited": ["complete"],
    "failing-tool": ["error"],
}
LAST_WORDS = {
    "booked-after-529": "Your reference is **HV-0830**",
    "denied": "I was given: “the dog is seasick”",
    "edited": "departure is 14:30 instead of 08:30",
    "failing-tool": "did not go through: the 20:00 takes no pets",
    "cut-then-asked-again": "“one thing after another”",
}


@every_log
def test_a_log_holds_what_it_is_named_for(vendor: str, story: str):
    shown = folded(kept(vendor, story).events)
    calls = shown.tool_calls.values()

    cut = [*CUT.get(vendor, ["complete", "aborted"]), "denied"]
    assert [call.status for call in calls] == STATUSES.get(story, cut)
    assert LAST_WORDS[story] in str(shown.messages[-1].text)
    assert shown.messages[1].thinking
    assert shown.status == "finished"


@pytest.mark.parametrize("vendor", VENDORS)
def test_two_calls_are_made_at_once_after_a_busy_server_was_asked_again(vendor: str):
    recording = kept(vendor, "booked-after-529")
    asked = [
        e.wire["round"] for e in recording.entries if e.wire and "request" in e.wire
    ]
    first = folded(recording.events).messages[1]

    assert asked == [1, 1, 2, 3]
    assert (
        recording.rounds[0].chunks[0][0] >= 2
    )  # the seconds that the server asked for
    assert [call.name for call in first.tool_calls] == [
        "get_forecast",
        "list_departures",
    ]


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_stream_that_broke_off_is_an_error_and_runs_no_half_call(vendor: str):
    events = kept(vendor, "cut-then-asked-again").events
    end = next(at for at, e in enumerate(events) if e["type"] == "RUN_ERROR")

    broken = folded(events[: end + 1])
    ran = {e["toolCallId"] for e in events[:end] if e["type"] == "TOOL_CALL_RESULT"}
    assert broken.status == "error"
    assert "ended without" in str(broken.error)
    assert ran == {
        call_id
        for call_id, call in broken.tool_calls.items()
        if call.status == "complete"
    }


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_wire_shows_the_tool_what_the_person_made_of_its_arguments(vendor: str):
    recording = kept(vendor, "edited")
    request = recording.rounds[-1].request or {}
    assert "14:30" in str(request["body"])


def test_there_is_no_log_without_a_story():
    found = {place.relative_to(FOLDER) for place in FOLDER.rglob("*.jsonl")}
    assert found == {
        place_of(vendor, name).relative_to(FOLDER)
        for vendor in VENDORS
        for name in STORIES
    }
