"""A widget sends numbered batches, answers every action once, and keeps its state."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from aistream_nb.widgets import base
from aistream_nb.widgets.base import StreamWidget, new_model_id
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.wire import Action, Frame, OpenMessage
from aistream_nb.widgets.wire_views import ConversationView


class Small(StreamWidget):
    """A widget whose frames a test puts in."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.acted: list[Action] = []
        self.why = ""
        self.sent: list[dict[str, Any]] = []
        super().__init__(pulse=Pulse(interval=0))

    def _take(self) -> tuple[Frame, ...]:
        taken, self.frames = tuple(self.frames), []
        return taken

    def _compose(self) -> ConversationView:
        return ConversationView(cut=len(self.acted))

    def _act(self, action: Action) -> str:
        if action.type == "stop":
            message = "a bug"
            raise ValueError(message)
        self.acted.append(action)
        return self.why

    def send(self, content: Any, buffers: Any = None) -> None:
        assert buffers is None
        self.sent.append(content)

    def hear(self, **content: Any) -> None:
        data = {"method": "custom", "content": content}
        self._handle_msg({"content": {"data": data}, "buffers": []})


@pytest.fixture
def widget() -> Small:
    return Small()


def test_batches_are_numbered_and_empty_ones_are_not_sent(widget: Small) -> None:
    widget.request_flush()
    for _ in range(2):
        widget.frames = [OpenMessage(message="m", role="user")]
        widget.request_flush(urgent=True)
    assert [message["seq"] for message in widget.sent] == [1, 2]
    frame = {"type": "open-message", "message": "m", "role": "user"}
    assert widget.sent[0]["frames"] == [frame]


def test_the_state_holds_a_snapshot_as_fresh_as_the_last_batch(widget: Small) -> None:
    widget.frames = [OpenMessage(message="m", role="user")]
    widget.flush()
    state = widget.get_state()
    assert state["_snapshot"]["seq"] == 1
    assert state["_snapshot"]["type"] == "snapshot"
    assert "_snapshot" not in widget.get_state("layout")
    assert widget.get_state("_snapshot")["_snapshot"]["seq"] == 1


def test_an_action_is_done_and_answered(widget: Small) -> None:
    widget.hear(type="retry", id="1")
    assert [action.type for action in widget.acted] == ["retry"]
    assert widget.sent == [
        {"type": "answer", "action": "1", "accepted": True, "why": "", "seq": 0}
    ]


def test_an_action_that_is_refused_says_why(widget: Small) -> None:
    widget.why = "not now"
    widget.hear(type="retry", id="1")
    assert (widget.sent[0]["accepted"], widget.sent[0]["why"]) == (False, "not now")


def test_the_same_action_is_done_once_and_answered_again(widget: Small) -> None:
    widget.hear(type="retry", id="1")
    widget.hear(type="retry", id="1")
    assert len(widget.acted) == 1
    assert widget.sent[0] == widget.sent[1]


def test_an_action_that_is_still_at_work_is_not_answered_twice(widget: Small) -> None:
    again: list[int] = []

    def act(action: Action) -> str:
        widget.hear(type="retry", id=action.id)
        again.append(len(widget.sent))
        return ""

    widget._act = act
    widget.hear(type="retry", id="1")
    assert again == [0]
    assert len(widget.sent) == 1


def test_old_answers_are_forgotten(
    widget: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "_REMEMBERED_ANSWERS", 2)
    for number in range(4):
        widget.hear(type="retry", id=str(number))
    widget.hear(type="retry", id="0")
    assert len(widget.acted) == 5


def test_a_driver_with_a_bug_does_not_leave_a_dead_button(
    widget: Small, caplog: pytest.LogCaptureFixture
) -> None:
    widget.hear(type="stop", id="1")
    assert not widget.sent[0]["accepted"]
    assert "log" in widget.sent[0]["why"]
    assert "a bug" in caplog.text


def test_what_does_not_fit_is_refused_without_repeating_it(
    widget: Small, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    widget.hear(type="send", id="1", text=["a secret"])
    widget.hear(type="send", id="x" * 65)
    widget.hear(no="id")
    widget._hear(widget, "not even a mapping", [])
    assert widget.acted == []
    assert [message["action"] for message in widget.sent] == ["1"]
    assert "a secret" not in caplog.text


def test_the_browser_cannot_write_the_state(widget: Small) -> None:
    state = {"_snapshot": {"type": "forged"}, "_esm": "alert(1)"}
    data = {"method": "update", "state": state, "buffer_paths": []}
    widget._handle_msg({"content": {"data": data}, "buffers": []})
    assert widget.get_state()["_snapshot"]["type"] == "snapshot"
    assert "alert" not in str(widget.get_state()["_esm"])


def test_a_page_that_shows_it_is_noticed_and_one_that_left_too(widget: Small) -> None:
    seen: list[bool] = []
    widget.on_watched(lambda: seen.append(widget.watched))
    assert not widget.watched
    widget.hear(type="ready", id="1", page="p", views=0)
    assert not widget.watched
    widget.hear(type="ready", id="2", page="p", views=1)
    widget.hear(type="ready", id="3", page="q", views=1)
    widget.hear(type="ready", id="4", page="p", views=0)
    assert widget.watched
    widget.hear(type="ready", id="5", page="q", views=0)
    assert not widget.watched
    assert seen == [True, True]


def test_a_page_with_a_gap_gets_a_snapshot(widget: Small) -> None:
    widget.hear(type="resync", id="1", have=3)
    assert [message["type"] for message in widget.sent] == ["snapshot", "answer"]


def test_a_second_bundle_is_sent_if_it_is_there(
    widget: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "find_asset", lambda _name: "code")
    widget.hear(type="asset", id="1", name="math")
    assert widget.sent[0] == {"type": "asset", "name": "math", "source": "code"}
    monkeypatch.setattr(base, "find_asset", lambda _name: None)
    widget.hear(type="asset", id="2", name="math")
    assert "not built" in widget.sent[-1]["why"]


def test_model_ids_are_never_used_again() -> None:
    assert new_model_id() != new_model_id()
    assert Small().model_id.startswith("aistream-")


def test_a_subclass_must_say_what_it_shows() -> None:
    plain = StreamWidget.__new__(StreamWidget)
    for method in (plain._take, plain._compose):
        with pytest.raises(NotImplementedError):  # said at once, not shown as nothing
            method()
    with pytest.raises(NotImplementedError):  # a click is not swallowed
        plain._act(None)  # pyright: ignore[reportArgumentType] # never looked at
