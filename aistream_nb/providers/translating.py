"""What all translators do alike: keep the answer, tell of it, break off.

Rules that a change must keep:

1. A stream is in frames, a frame holds an object, and after a failure nothing counts.
2. No two calls of one answer share an id: whoever answered them could not say which.
3. What runs for every delta is written out in each translator; it is measured
   (``bench``, W4). Here is what happens now and then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.turn_events import ServerToolEvent, ToolCallStart
from aistream_nb.core.wire.sse import ServerSentEvent, parse_frame
from aistream_nb.providers.base import (
    ReadyCall,
    StreamFailure,
    Translated,
    parse_arguments,
    parse_object,
    whole_text,
)
from aistream_nb.providers.quick_events import text_delta, thinking_delta

__all__ = ["AnswerReader", "CallInText", "text_in"]


class CallInText:
    """One call whose arguments come as text, in pieces or whole."""

    __slots__ = ("call_id", "name", "pieces", "ready", "text")

    def __init__(self, *, call_id: str, name: str) -> None:
        self.call_id: Final = call_id
        self.name: Final = name
        self.pieces: list[str] = []
        self.ready = False
        self.text = "{}"
        """What is replayed: the model's own text, or ``{}`` where that is no object."""

    def finish(self, text: str | None = None) -> ReadyCall:
        """The complete call: of the whole text, or of the pieces that came."""
        self.ready = True
        said = "".join(self.pieces) if text is None else text
        arguments, problem = parse_arguments(said)
        self.text = said if problem is None and said.strip() else "{}"
        return ReadyCall(
            name=self.name, call_id=self.call_id, arguments=arguments, problem=problem
        )


class AnswerReader:
    """The part of a translator that is the same for every provider."""

    def __init__(self) -> None:
        self._text: Final[list[str]] = []
        self._ids: Final[set[str]] = set()
        self._over = False  # after a failure nothing counts
        self._out: list[Translated] = []

    def full_text(self) -> str:
        """All text of the answer so far."""
        return whole_text(self._text)

    def _opened(self, frame: str) -> tuple[ServerSentEvent, dict[str, Any]] | None:
        """A frame's event and the object in it; ``None`` if nothing is to be read."""
        event = parse_frame(frame)
        payload = None if event is None else parse_object(event.data)
        if event is None or payload is None or self._over:
            return None
        return event, payload

    def _say(self, text: str) -> None:
        if text:
            self._text.append(text)
            self._out.append(text_delta(text))

    def _think(self, text: str) -> None:
        if text:
            self._out.append(thinking_delta(text))

    def _announce(self, name: str, call_id: str) -> None:
        self._out.append(ToolCallStart(tool_name=name, call_id=call_id))

    def _start_search(self, _payload: object = None) -> None:
        self._out.append(ServerToolEvent(tool_type="web_search", phase="started"))

    def _finish_search(self, _payload: object = None) -> None:
        self._out.append(ServerToolEvent(tool_type="web_search", phase="completed"))

    def _is_new(self, call_id: str) -> bool:
        """Whether no call had this id before; if one had, the stream breaks off."""
        if call_id in self._ids:
            self._break(f"duplicate call id '{call_id}' in one response")
            return False
        self._ids.add(call_id)
        return True

    def _break(self, message: str, *, retryable: bool = False) -> None:
        self._over = True
        self._out.append(StreamFailure(message=message, retryable=retryable))


def text_in(payload: Mapping[str, Any], name: str) -> str:
    """The text that is a member of ``payload``; an empty one if there is none."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""
