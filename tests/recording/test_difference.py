from __future__ import annotations

from typing import Any

from aistream_nb.recording.difference import RecordingDiff, compare_events, event_words


def call(number: int, result: str) -> list[dict[str, Any]]:
    name = f"call_{number}"
    return [
        {"type": "RUN_STARTED", "runId": f"run-{number}", "timestamp": number},
        {"type": "TOOL_CALL_START", "toolCallId": name, "toolCallName": "search"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": name, "content": result},
        {"type": "RUN_FINISHED", "pendingToolCallIds": [name], "x": {"id": name}},
    ]


def compared(before: list[Any], after: list[Any]) -> RecordingDiff:
    return compare_events(before, after, names=("kept", "now"))


def test_random_ids_and_times_make_no_difference():
    diff = compared(call(1, "a"), call(2, "a"))
    assert not diff
    assert str(diff) == repr(diff) == "no difference"
    assert "no difference" in diff._repr_html_()


def test_a_difference_names_the_call():
    diff = compared(call(1, "a"), call(2, "b"))
    assert diff
    assert '-TOOL_CALL_RESULT of search toolCallId="call-2" content="a"' in diff.lines
    assert '+TOOL_CALL_RESULT of search toolCallId="call-2" content="b"' in diff.lines


def test_the_html_of_a_difference_is_escaped():
    html = compared(call(1, "a"), call(1, "<img src=x>"))._repr_html_()
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_odd_events_have_words_too():
    assert event_words({"n": 1}) == "an event without a type n=1"
    assert not compared(
        [{"toolCallId": 3, "id": None}], [{"toolCallId": 3, "id": None}]
    )


def test_ids_keep_their_kind():
    diff = compared([], [{"type": "X", "parentMessageId": "m", "id": "i", "aId": "a"}])
    assert diff.lines[-1] == '+X parentMessageId="message-1" id="id-2" aId="a-3"'
