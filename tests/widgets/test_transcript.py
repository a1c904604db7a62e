"""The transcript's Python half: what is sent, what may be done, what is displayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.transcript import (
    Abilities,
    TranscriptWidget,
    display_bundle,
)
from aistream_nb.widgets.wire import Action


class Quiet(TranscriptWidget):
    """A transcript that keeps what it would send."""

    def __init__(self, conversation: Conversation, **options: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        super().__init__(conversation, pulse=Pulse(interval=0), **options)

    def send(self, content: Any, buffers: Any = None) -> None:
        del buffers
        self.sent.append(content)

    def hear(self, **content: Any) -> dict[str, Any]:
        data = {"method": "custom", "content": content}
        self._handle_msg({"content": {"data": data}, "buffers": []})
        return self.sent[-1]

    def frames(self, kind: str) -> list[dict[str, Any]]:
        return [
            frame
            for message in self.sent
            if message["type"] == "batch"
            for frame in message["frames"]
            if frame["type"] == kind
        ]

    def run(self) -> dict[str, Any]:
        return self.frames("put-run")[-1]["run"]


EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
    {
        "type": "TOOL_CALL_START",
        "toolCallId": "c",
        "toolCallName": "f",
        "parentMessageId": "m",
    },
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {
        "type": "CUSTOM",
        "name": "approval-requested",
        "value": {"toolCallId": "c", "toolName": "f", "approval": {"id": "a"}},
    },
]


@pytest.fixture
def make() -> Callable[..., Quiet]:
    def made(**options: Any) -> Quiet:
        conversation = Conversation()
        widget = Quiet(conversation, **options)
        for event in EVENTS:
            conversation.receive(event)
        return widget

    return made


def decide(widget: Quiet, action_id: str = "1", **members: Any) -> dict[str, Any]:
    approval = widget.frames("put-call")[-1]["call"]["approval"]
    fields = {
        "type": "decide",
        "id": action_id,
        "call": "c",
        "approval": approval["id"],
        "nonce": approval["nonce"],
        "decision": "proceed",
        **members,
    }
    return widget.hear(**fields)


def test_events_become_numbered_batches(make: Callable[..., Quiet]) -> None:
    widget = make()
    assert [message["seq"] for message in widget.sent] == list(
        range(1, len(widget.sent) + 1)
    )
    assert widget.frames("open-part")[0]["part"]["text"] == "Hi"


def test_a_widget_that_comes_late_has_everything_in_its_snapshot() -> None:
    conversation = Conversation()
    for event in EVENTS:
        conversation.receive(event)
    widget = Quiet(conversation)
    assert widget.sent == []
    snapshot = widget.get_state()["_snapshot"]
    assert snapshot["conversation"]["messages"][0]["parts"][0]["text"] == "Hi"
    conversation.receive(
        {
            "type": "TOOL_CALL_RESULT",
            "toolCallId": "c",
            "messageId": "r",
            "content": "x",
        }
    )
    assert widget.sent[0]["seq"] == snapshot["seq"] + 1


def test_what_can_be_done_depends_on_the_run(make: Callable[..., Quiet]) -> None:
    widget = make(abilities=Abilities(send=True, stop=True, retry=True))
    run = widget.run()
    assert run["status"] == "waiting"
    assert (run["can_send"], run["can_stop"], run["can_retry"]) == (True, True, False)
    widget._conversation.receive({"type": "RUN_ERROR", "message": "no"})  # type: ignore[attr-defined] # a real one
    run = widget.run()
    assert (run["can_stop"], run["can_retry"], run["error"]) == (False, True, "no")


def test_abilities_notices_and_hints_can_change(make: Callable[..., Quiet]) -> None:
    widget = make()
    widget.set_abilities(Abilities(send=True))
    assert widget.run()["can_send"]
    widget.set_notice("Look here")
    assert widget.run()["notice"] == "Look here"
    widget.set_approval_hint("Use chat.approve in a cell.")
    call = widget.frames("put-call")[-1]["call"]
    assert call["approval"]["hint"] == "Use chat.approve in a cell."


def test_a_decision_reaches_the_driver_once(make: Callable[..., Quiet]) -> None:
    acted: list[Action] = []
    widget = make(on_action=acted.append)
    assert decide(widget)["accepted"]
    assert "a moment ago" in decide(widget, action_id="2")["why"]
    assert [action.type for action in acted] == ["decide"]


def test_a_decision_that_the_driver_refuses_can_be_made_again(
    make: Callable[..., Quiet],
) -> None:
    answers = ["not yet", ""]
    widget = make(on_action=lambda _action: answers.pop(0))
    assert decide(widget)["why"] == "not yet"
    assert decide(widget, action_id="2")["accepted"]


def test_a_decision_with_a_wrong_nonce_never_reaches_the_driver(
    make: Callable[..., Quiet],
) -> None:
    acted: list[Action] = []
    widget = make(on_action=acted.append)
    assert not decide(widget, nonce="guess")["accepted"]
    assert acted == []


def test_other_actions_go_straight_to_the_driver(make: Callable[..., Quiet]) -> None:
    acted: list[Action] = []
    widget = make(on_action=acted.append)
    assert widget.hear(type="send", id="1", text="more")["accepted"]
    assert acted[0].type == "send"


def test_a_view_without_a_driver_says_that_nothing_can_be_done(
    make: Callable[..., Quiet],
) -> None:
    assert "Nothing can be done" in make().hear(type="stop", id="1")["why"]


def test_a_closed_widget_listens_to_nothing(make: Callable[..., Quiet]) -> None:
    widget = make()
    conversation = widget._conversation
    widget.close()
    before = len(widget.sent)
    conversation.receive({"type": "RUN_ERROR", "message": "no"})  # type: ignore[attr-defined] # a real one
    assert len(widget.sent) == before
    assert conversation._subscribers == []  # type: ignore[attr-defined] # nobody is left


def test_it_is_displayed_in_three_forms(make: Callable[..., Quiet]) -> None:
    widget = make()
    bundle, metadata = widget._repr_mimebundle_()
    assert metadata == {}
    assert set(bundle) == {
        "text/plain",
        "text/html",
        "application/vnd.jupyter.widget-view+json",
    }
    assert "Hi" in bundle["text/plain"]
    assert set(display_bundle(None, html="h", text="t")) == {"text/plain", "text/html"}
