"""A conversation, and a browser's copy of it, read in the plainest possible way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from aistream_nb.conversation import Conversation
from aistream_nb.widgets.frames import FrameEncoder
from aistream_nb.widgets.view_model import view_call
from aistream_nb.widgets.wire_views import ConversationView, RunView

__all__ = ["Copy", "FakeConversation", "FakeMessage", "Pair", "encoder_of"]


class Copy:
    """What a browser makes of frames: the plainest possible reading of them."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = ConversationView().model_dump(mode="json")

    def apply(self, frames: Iterable[Any]) -> None:
        for frame in frames:
            fields = frame.model_dump(mode="json")
            getattr(self, "_" + fields["type"].replace("-", "_"))(fields)

    def message(self, message_id: str) -> dict[str, Any]:
        return next(m for m in self.view["messages"] if m["id"] == message_id)

    def _open_message(self, frame: dict[str, Any]) -> None:
        message = {"id": frame["message"], "role": frame["role"], "parts": []}
        self.view["messages"].append({**message, "turn": None})

    def _rename_message(self, frame: dict[str, Any]) -> None:
        self.message(frame["message"])["id"] = frame["to"]

    def _open_part(self, frame: dict[str, Any]) -> None:
        self.message(frame["message"])["parts"].append(frame["part"])

    def _append_text(self, frame: dict[str, Any]) -> None:
        part = self.message(frame["message"])["parts"][frame["part"]]
        part["text"] += frame["text"]
        part["done"] = False

    def _append_arguments(self, frame: dict[str, Any]) -> None:
        self.view["arguments"][frame["call"]] += frame["text"]

    def _put_part(self, frame: dict[str, Any]) -> None:
        self.message(frame["message"])["parts"][frame["part"]] = frame["value"]

    def _close_part(self, frame: dict[str, Any]) -> None:
        part = self.message(frame["message"])["parts"][frame["part"]]
        part["done"] = True
        if part["kind"] == "thinking":
            part["seconds"] = frame["seconds"]

    def _put_call(self, frame: dict[str, Any]) -> None:
        call = frame["call"]
        self.view["calls"][call["id"]] = call
        if frame["arguments"] is not None:
            self.view["arguments"][call["id"]] = frame["arguments"]

    def _put_turn(self, frame: dict[str, Any]) -> None:
        self.message(frame["message"])["turn"] = frame["turn"]

    def _put_run(self, frame: dict[str, Any]) -> None:
        self.view["run"] = frame["run"]

    def _drop(self, frame: dict[str, Any]) -> None:
        if frame["part"] is not None:
            del self.message(frame["message"])["parts"][frame["part"] :]
            return
        messages = self.view["messages"]
        messages.remove(self.message(frame["message"]))

    def _reset(self, frame: dict[str, Any]) -> None:
        self.view = frame["conversation"]


def encoder_of(
    conversation: Any, clock: Callable[[], float] = lambda: 0.0
) -> FrameEncoder:
    return FrameEncoder(
        conversation,
        read_call=view_call,
        read_run=lambda: RunView(status=conversation.status),
        clock=clock,
    )


class Pair:
    """A conversation, and a browser's copy that follows it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.conversation = Conversation()
        self.encoder = encoder_of(self.conversation, lambda: self.now)
        self.copy = Copy()
        self.copy.apply(self.encoder.take())
        self.urgent: list[bool] = []
        self.conversation.subscribe(
            lambda change: self.urgent.append(self.encoder.note(change))
        )

    def receive(self, kind: str, **fields: Any) -> None:
        self.conversation.receive({"type": kind, **fields})

    def take(self) -> tuple[Any, ...]:
        frames = self.encoder.take()
        self.copy.apply(frames)
        return frames

    def kinds(self) -> list[str]:
        return [frame.type for frame in self.take()]

    def say(self, text: str, message: str = "m") -> None:
        self.receive("TEXT_MESSAGE_START", messageId=message, role="assistant")
        self.receive("TEXT_MESSAGE_CONTENT", messageId=message, delta=text)

    def more(self, text: str, message: str = "m") -> None:
        self.receive("TEXT_MESSAGE_CONTENT", messageId=message, delta=text)

    def start(self) -> None:
        self.receive("RUN_STARTED", threadId="t", runId="r")

    def finish(self) -> None:
        self.receive("RUN_FINISHED", threadId="t", runId="r")


class FakeMessage:
    def __init__(self, message_id: str, role: str, parts: tuple[Any, ...]) -> None:
        self.id, self.role, self.parts = message_id, role, parts


class FakeConversation:
    """The few members that an encoder reads."""

    status = "running"
    error = ""

    def __init__(self) -> None:
        self.messages: tuple[FakeMessage, ...] = ()
        self.tool_calls: dict[str, Any] = {}
        self.usage: dict[str, int] = {}

    def put(self, message_id: str, *parts: Any) -> None:
        kept = tuple(m for m in self.messages if m.id != message_id)
        self.messages = (*kept, FakeMessage(message_id, "assistant", parts))
