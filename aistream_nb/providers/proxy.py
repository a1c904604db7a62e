"""A relay that speaks turn events itself (provider turns, sections 6.5 and 8.6).

Tools run on our side, so a relay's own events about client tools are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.turn_events import (
    ServerToolEvent,
    ToolCallResult,
)
from aistream_nb.core.values import ABSENT, present
from aistream_nb.providers.base import (
    Ending,
    Translated,
    TurnRequest,
    WireRequest,
    whole_text,
)
from aistream_nb.providers.messages import Message
from aistream_nb.providers.translating import AnswerReader, text_in

__all__ = ["ProxyDialect", "ProxyTranslator"]


class ProxyDialect:
    """A relay."""

    def request(self, turn: TurnRequest) -> WireRequest:
        """The request for ``turn``; the key is in the body, as relays want it."""
        tools = [search.to_wire() for search in turn.server_tools]
        body = present(
            providerId=turn.record.id,
            apiKey=turn.key,
            messages=[_message(message) for message in turn.messages],
            stream=True,
            temperature=ABSENT if turn.temperature is None else turn.temperature,
            system=turn.system or ABSENT,
            modelOverride=turn.model or ABSENT,
            tools=tools or ABSENT,
            thinking=_thinking(turn),
        )
        return WireRequest(url=turn.base_url, body=body, private=("apiKey",))

    def translator(self, turn: TurnRequest) -> ProxyTranslator:
        """A new translator for the answer."""
        del turn  # nothing in an answer depends on the question
        return ProxyTranslator()


def _message(message: Message) -> dict[str, Any]:
    attachments = [
        present(
            mimeType=attachment.mime_type,
            base64=attachment.base64,
            detail=attachment.detail or ABSENT,
        )
        for attachment in message.attachments
    ]
    return present(
        role=message.role, content=message.content, attachments=attachments or ABSENT
    )


def _thinking(turn: TurnRequest) -> Any:
    wishes = turn.wishes
    if wishes is None:
        return ABSENT
    return {"effort": wishes} if isinstance(wishes, str) else dict(wishes)


class ProxyTranslator(AnswerReader):
    """Reads one stream of turn events; nothing counts after the first ending."""

    def __init__(self) -> None:
        super().__init__()
        self._done: Mapping[str, Any] | None = None
        self._by_type: Final[Mapping[str, Callable[[Mapping[str, Any]], None]]] = {
            "text-delta": self._add_text,
            "thinking-delta": self._add_thinking,
            "tool-event": self._add_tool_event,
            "done": self._finish,
            "error": self._fail,
        }

    def receive(self, frames: Sequence[str]) -> list[Translated]:
        """What the frames say."""
        self._out = []
        for frame in frames:
            opened = self._opened(frame)
            if opened is None:
                continue
            _, payload = opened
            act = self._by_type.get(str(payload.get("type")))
            if act is not None:
                act(payload)
        return self._out

    def close(self) -> Ending:
        """How the stream ended."""
        done = self._done
        if done is None:
            return Ending(error="the relay's stream ended without a done or an error")
        return Ending(
            truncated=done.get("truncated") is True,
            incomplete_reason=_text_or_none(done.get("incompleteReason")),
            stop_reason=_text_or_none(done.get("stopReason")),
        )

    def full_text(self) -> str:
        """All text, as the relay counts it."""
        told = (self._done or {}).get("fullText")
        return told if isinstance(told, str) else whole_text(self._text)

    def continuation(self, results: Sequence[ToolCallResult]) -> list[dict[str, Any]]:
        """Nothing: a relay runs no client tools, so nothing continues."""
        del results
        return []

    def _add_text(self, payload: Mapping[str, Any]) -> None:
        self._say(text_in(payload, "delta"))

    def _add_thinking(self, payload: Mapping[str, Any]) -> None:
        self._think(text_in(payload, "delta"))

    def _add_tool_event(self, payload: Mapping[str, Any]) -> None:
        if payload.get("phase") not in {"started", "completed"}:
            return
        event = ServerToolEvent(
            tool_type=str(payload.get("toolType")),
            phase="started" if payload["phase"] == "started" else "completed",
            detail=_text_or_none(payload.get("detail")),
        )
        self._out.append(event)

    def _finish(self, payload: Mapping[str, Any]) -> None:
        self._over, self._done = True, payload

    def _fail(self, payload: Mapping[str, Any]) -> None:
        self._break(str(payload.get("message") or "the relay failed"))


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
