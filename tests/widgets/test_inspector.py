"""The inspector's Python half: rows, story, details, and where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.core.ordering.verifier import OrderingVerifier
from aistream_nb.core.values import Event
from aistream_nb.widgets.inspector import InspectorWidget
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.wire import Action
from aistream_nb.widgets.wire_inspector import ViolationView

EVENTS: list[Event] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
]


def violation(index: int, level: Any, rule: str) -> ViolationView:
    return ViolationView(
        rule=rule,
        level=level,
        index=index,
        at=index + 1,
        event_type="X",
        message="m",
        expected="e",
        fix="f",
    )


class Fake:
    """A source that a test moves by hand."""

    playing = False
    speed = 1.0
    live = False

    def __init__(self) -> None:
        self.events: list[Event] = list(EVENTS)
        self.times: list[float | None] = [0.0, 0.5]
        self.violations: list[ViolationView] = []
        self.position = 0
        self.conversation = Conversation()

    def new_verifier(self) -> OrderingVerifier:
        return OrderingVerifier(profile="teach")


class Quiet(InspectorWidget):
    def __init__(self, source: Fake) -> None:
        self.sent: list[dict[str, Any]] = []
        self.acted: list[Action] = []
        super().__init__(source, on_action=self.acted.append, pulse=Pulse(interval=0))

    def send(self, content: Any, buffers: Any = None) -> None:
        del buffers
        self.sent.append(content)

    def hear(self, **content: Any) -> dict[str, Any]:
        self.sent.clear()
        data = {
            "method": "custom",
            "content": {"id": str(len(self._answers)), **content},
        }
        self._handle_msg({"content": {"data": data}, "buffers": []})
        return self.sent[0]


@pytest.fixture
def source() -> Fake:
    return Fake()


@pytest.fixture
def widget(source: Fake) -> Quiet:
    return Quiet(source)


def test_the_state_says_where_it_stands(widget: Quiet) -> None:
    inspect = widget.get_state()["_snapshot"]["conversation"]["inspect"]
    assert (inspect["count"], inspect["position"], inspect["state"]) == (4, 0, None)


def test_moving_sends_the_fold_and_the_position(source: Fake, widget: Quiet) -> None:
    source.conversation.receive_all(EVENTS[:3])
    source.position = 3
    widget.moved()
    frames = [frame for message in widget.sent for frame in message["frames"]]
    assert frames[-1]["inspect"]["position"] == 3
    assert any(frame["type"] == "open-part" for frame in frames)
    before = len(widget.sent)
    widget.moved()
    assert len(widget.sent) == before


def test_a_failed_run_is_told(source: Fake, widget: Quiet) -> None:
    source.conversation.receive({"type": "RUN_ERROR", "message": "no"})
    runs = [f for m in widget.sent for f in m["frames"] if f["type"] == "put-run"]
    assert runs[-1]["run"]["error"] == "no"


def test_the_shared_state_is_json_text(source: Fake, widget: Quiet) -> None:
    source.conversation.receive({"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}})
    widget.moved()
    assert widget.sent[-1]["frames"][-1]["inspect"]["state"] == '{"a": 1}'


def test_rows_come_by_pages_with_times_and_the_worst_violation(
    source: Fake, widget: Quiet
) -> None:
    source.violations = [
        violation(1, "warning", "small"),
        violation(1, "fatal", "large"),
        violation(1, "info", "note"),
    ]
    rows = widget.hear(type="rows", start=1, count=2, filter="")
    assert (rows["total"], rows["start"]) == (4, 1)
    assert [(row["index"], row["time"], row["rule"]) for row in rows["rows"]] == [
        (1, 0.5, "large"),
        (2, None, ""),
    ]


def test_a_filter_is_words_that_must_all_be_there(source: Fake, widget: Quiet) -> None:
    source.violations = [violation(2, "fatal", "text.broken")]

    def found(words: str) -> list[int]:
        rows = widget.hear(type="rows", start=0, count=10, filter=words)
        assert rows["filter"] == words
        return [row["index"] for row in rows["rows"]]

    assert found(" text m ") == [1, 2, 3]
    assert found("TEXT content") == [2]
    assert found("broken") == [2]
    assert found("fatal") == [2]
    source.events.append({"type": "TEXT_MESSAGE_CONTENT", "messageId": "n"})
    assert found("fatal") == [2]
    assert found("content") == [2, 4]
    del source.events[3:]
    assert found("content") == [2]


def test_the_story_grows_with_the_events_and_starts_over_with_others(
    source: Fake, widget: Quiet
) -> None:
    source.events = EVENTS[:2]
    assert [span["end"] for span in widget.hear(type="story")["spans"]] == [None, None]
    source.events = list(EVENTS)
    assert [span["end"] for span in widget.hear(type="story")["spans"]] == [None, 3]
    source.events = EVENTS[:1]
    story = widget.hear(type="story")
    assert (story["count"], len(story["spans"])) == (1, 1)


def test_an_event_is_shown_in_full_with_a_test_if_it_is_wrong(
    source: Fake, widget: Quiet
) -> None:
    source.violations = [violation(2, "fatal", "text.broken")]
    detail = widget.hear(type="event", index=2)
    assert '"delta": "Hi"' in detail["json_text"]
    assert "def test_text_broken" in detail["snippet"]
    assert widget.hear(type="event", index=1)["snippet"] == ""
    assert "no such event" in widget.hear(type="event", index=9)["why"]


def test_all_else_is_done_by_who_owns_the_stream(widget: Quiet) -> None:
    assert widget.hear(type="seek", index=2)["accepted"]
    assert [action.type for action in widget.acted] == ["seek"]


def test_a_closed_inspector_listens_to_nothing(source: Fake, widget: Quiet) -> None:
    widget.close()
    widget.sent.clear()
    source.conversation.receive(EVENTS[0])
    assert widget.sent == []
