"""OpenAI's Responses, which xAI speaks too: what their stream means.

Two identifiers must not be mixed up: an item's ``id`` links its deltas, a call's
``call_id`` links its result. An item is complete in ``output_item.done``, and goes
back as it is there (provider turns, sections 8.2, 9.2 and 14.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.providers.base import (
    Ending,
    FrameLog,
    Translated,
    TurnRequest,
    WireRequest,
    dict_or_none,
    object_in,
    scan_string,
    usage_from,
)
from aistream_nb.providers.continuation import responses_continuation
from aistream_nb.providers.openai_request import responses_request
from aistream_nb.providers.quick_events import args_delta, text_delta
from aistream_nb.providers.translating import AnswerReader, CallInText, text_in

__all__ = ["ResponsesDialect", "ResponsesTranslator"]

_USAGE: Final[Mapping[str, str]] = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "reasoning_tokens": "output_tokens_details.reasoning_tokens",
    "cached_input_tokens": "input_tokens_details.cached_tokens",
    "cache_write_input_tokens": "input_tokens_details.cache_write_tokens",
}
_TRY_AGAIN: Final = frozenset(
    {"rate_limit_exceeded", "server_error", "overloaded", "server_is_overloaded"}
)
_QUIET: Final = (
    "response.created",
    "response.in_progress",
    "response.queued",
    "response.output_text.",
    "response.refusal.",
    "response.reasoning",
    "response.content_part.",
    "response.web_search_call.",
    "response.file_search_call.",
    "response.code_interpreter_call",
    "response.image_generation_call.",
    "response.mcp_",
    "response.custom_tool_call_input.",
    "response.audio.",
    "keepalive",
)
"""Beginnings of the names that are known and say nothing to us."""

_TEXT_HEAD: Final = (
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta",'
)
_ARGS_HEAD: Final = (
    "event: response.function_call_arguments.delta\n"
    'data: {"type":"response.function_call_arguments.delta",'
)
_REPEATS: Final = (
    "event: response.output_text.done\n",
    "event: response.content_part.",
    "event: response.refusal.done\n",
    "event: response.reasoning_summary_text.done\n",
    "event: response.reasoning_summary_part.",
)
"""Frames that say again, as a whole, what was said in pieces."""
_DELTA: Final = '"delta":"'
_TEXT_FROM: Final = len(_TEXT_HEAD)
_ARGS_FROM: Final = len(_ARGS_HEAD)
_DELTA_LENGTH: Final = len(_DELTA)
_ITEM_ID: Final = '"item_id":"'


class ResponsesDialect:
    """OpenAI's Responses API, and xAI's."""

    def request(self, turn: TurnRequest) -> WireRequest:
        """The request for ``turn``."""
        return responses_request(turn)

    def translator(self, turn: TurnRequest) -> ResponsesTranslator:
        """A new translator for the answer."""
        del turn  # nothing in an answer depends on the question
        return ResponsesTranslator()


class _Call(CallInText):
    """One function call, from its announcement to its arguments."""

    __slots__ = ("place", "whole")

    def __init__(self, item: Mapping[str, Any], place: int) -> None:
        super().__init__(call_id=item["call_id"], name=item["name"])
        self.place: Final = place
        self.whole: Final = item.get("status") == "completed"
        self.pieces.append(text_in(item, "arguments"))

    def replayed(self) -> dict[str, Any]:
        """The item as it goes back."""
        return {
            "type": "function_call",
            "call_id": self.call_id,
            "name": self.name,
            "arguments": self.text,
        }


class ResponsesTranslator(AnswerReader):
    """Reads one stream of a Responses API."""

    def __init__(self) -> None:
        super().__init__()
        self._log: Final = FrameLog()
        self._calls: dict[str, _Call] = {}
        self._by_item: dict[object, _Call] = {}
        self._items: dict[int, dict[str, Any]] = {}
        self._response: Mapping[str, Any] | None = None
        self._by_event: Final[Mapping[str, Callable[[dict[str, Any]], None]]] = {
            "response.output_text.delta": self._add_text,
            "response.refusal.delta": self._add_text,
            "response.reasoning_summary_text.delta": self._add_thinking,
            "response.reasoning_text.delta": self._add_thinking,
            "response.output_item.added": self._add_item,
            "response.output_item.done": self._finish_item,
            "response.function_call_arguments.delta": self._add_arguments,
            "response.function_call_arguments.done": self._finish_arguments,
            "response.web_search_call.in_progress": self._start_search,
            "response.web_search_call.completed": self._finish_search,
            "response.completed": self._finish,
            "response.incomplete": self._finish_incomplete,
            "response.failed": self._fail,
            "error": self._fail,
        }

    def receive(self, frames: Sequence[str]) -> list[Translated]:
        """What the frames say.

        Deltas of text and of arguments are known by their start; of what follows
        only the delta matters, and the item's id. They are not parsed as JSON unless
        something about them is unusual.
        """
        out: list[Translated] = []
        self._out = out
        for frame in frames:
            if frame.startswith(_TEXT_HEAD):
                quick = self._quick_text(frame)
            elif frame.startswith(_ARGS_HEAD):
                quick = self._quick_arguments(frame)
            else:
                quick = frame.startswith(_REPEATS)
            if not quick:
                self._read(frame)
        return out

    def _quick_text(self, frame: str) -> bool:
        found = _quick_delta(frame, _TEXT_FROM)
        if found is None or self._over:
            return False
        if delta := found[1]:
            self._text.append(delta)
            self._out.append(text_delta(delta))
        return True

    def _quick_arguments(self, frame: str) -> bool:
        found = _quick_delta(frame, _ARGS_FROM)
        if found is None or self._over:
            return False
        behind, delta = found
        start = frame.find(_ITEM_ID, 0, behind) + len(_ITEM_ID)
        call = self._by_item.get(frame[start : frame.find('"', start)])
        if start < len(_ITEM_ID) or call is None or call.ready:
            return False
        if delta:
            call.pieces.append(delta)
            self._out.append(args_delta(call.call_id, delta))
        return True

    def close(self) -> Ending:
        """How the stream ended."""
        response = self._response
        if response is None:
            return Ending(error="Responses API stream ended without a completed event")
        status = response.get("status")
        truncated = status == "incomplete"
        details = response.get("incomplete_details")
        reason = details.get("reason") if is_mapping(details) else None
        return Ending(
            truncated=truncated,
            incomplete_reason=str(reason) if truncated and reason else None,
            stop_reason=str(status) if status else None,
            usage=usage_from(response.get("usage"), _USAGE),
        )

    def continuation(self, results: Sequence[ToolCallResult]) -> list[dict[str, Any]]:
        """The response's items in their order, and the outputs of its calls."""
        items = dict(self._items)
        for call in self._calls.values():
            items[call.place] = call.replayed()
        return responses_continuation(
            [items[place] for place in sorted(items)], results
        )

    def _read(self, frame: str) -> None:
        opened = self._opened(frame)
        if opened is None:
            return
        event, payload = opened
        name = event.event or str(payload.get("type") or "")
        act = self._by_event.get(name)
        if act is not None:
            act(payload)
        elif not name.startswith(_QUIET):
            self._log.unknown_event(name, event)

    def _add_text(self, payload: dict[str, Any]) -> None:
        self._say(text_in(payload, "delta"))

    def _add_thinking(self, payload: dict[str, Any]) -> None:
        self._think(text_in(payload, "delta"))

    def _add_item(self, payload: dict[str, Any]) -> None:
        item = object_in(payload, "item")
        if item.get("type") == "function_call":
            self._begin_call(item, payload)

    def _begin_call(
        self, item: dict[str, Any], payload: dict[str, Any]
    ) -> _Call | None:
        """The call of an item, told of when it is new; ``None`` if it cannot be one."""
        call_id, name = text_in(item, "call_id"), text_in(item, "name")
        if not (call_id and name):
            self._log.malformed_call("a function_call item without a name or a call id")
            return None
        known = self._call_of({**payload, "item_id": item.get("id")})
        if known is not None and known.call_id == call_id:
            return known
        if not self._is_new(call_id):
            return None
        place = self._place_of(payload)
        call = self._calls[call_id] = _Call(item, place)
        self._by_item[item.get("id") or place] = call
        self._by_item.setdefault(place, call)
        self._announce(name, call_id)
        return call

    def _place_of(self, payload: Mapping[str, Any]) -> int:
        """Where an item stands in the output; behind all others, if nobody says."""
        taken = {*self._items, *(call.place for call in self._calls.values())}
        place = payload.get("output_index")
        if isinstance(place, int) and place not in taken:
            return place
        return max(taken, default=-1) + 1

    def _call_of(self, payload: Mapping[str, Any]) -> _Call | None:
        """By the item's id, or by its place where the server gives no ids."""
        by_id = self._by_item.get(payload.get("item_id") or "")
        return by_id or self._by_item.get(payload.get("output_index"))

    def _add_arguments(self, payload: dict[str, Any]) -> None:
        call, delta = self._call_of(payload), text_in(payload, "delta")
        if call is not None and not call.ready and delta:
            call.pieces.append(delta)
            self._out.append(args_delta(call.call_id, delta))

    def _finish_arguments(self, payload: dict[str, Any]) -> None:
        call, text = self._call_of(payload), payload.get("arguments")
        if call is not None and not call.ready:
            self._out.append(call.finish(text if isinstance(text, str) else None))

    def _finish_item(self, payload: dict[str, Any]) -> None:
        item = object_in(payload, "item")
        if item.get("type") == "function_call":
            call = self._begin_call(item, payload)
            if call is not None and item.get("status") != "incomplete":
                self._finish_arguments({**payload, **item, "item_id": item.get("id")})
        elif item:
            self._items[self._place_of(payload)] = item

    def _finish(self, payload: dict[str, Any]) -> None:
        self._response = response = object_in(payload, "response")
        if response.get("status") != "incomplete":
            self._finish_late_calls(response)

    def _finish_incomplete(self, payload: dict[str, Any]) -> None:
        self._response = {**object_in(payload, "response"), "status": "incomplete"}

    def _finish_late_calls(self, response: Mapping[str, Any]) -> None:
        """Calls that are whole only here, or were whole when they were announced."""
        output = response.get("output")
        for place, found in enumerate(output if is_array(output) else ()):
            item = dict_or_none(found) or {}
            known = self._calls.get(str(item.get("call_id")))
            if item.get("type") == "function_call" and not (known and known.ready):
                at = known.place if known else place
                self._finish_item({"item": item, "output_index": at})
        for call in self._calls.values():
            if call.whole and not call.ready:
                self._out.append(call.finish())

    def _fail(self, payload: dict[str, Any]) -> None:
        error = object_in(payload, "error") or object_in(
            object_in(payload, "response"), "error"
        )
        message = error.get("message") or payload.get("message")
        code = error.get("code") or error.get("type") or payload.get("code")
        self._break(
            str(message or "Responses API stream failed"),
            retryable=code in _TRY_AGAIN,
        )


def _quick_delta(frame: str, head: int) -> tuple[int, str] | None:
    """Where the delta begins, and the delta; ``None``: parse the frame.

    The string is taken where ``"delta":"`` first stands behind a comma. Inside of a
    JSON string these characters cannot stand, and before them nothing may be nested.
    """
    start = frame.find(_DELTA, head)
    if start < 0 or frame[start - 1] != "," or frame.find("{", head, start) >= 0:
        return None
    try:
        delta, end = scan_string(frame, start + _DELTA_LENGTH)
    except ValueError:
        return None
    # Behind it: nothing that matters, in the one line that a frame usually has.
    is_usual = end < len(frame) and frame[-1] == "}" and frame.rfind("\n") < head
    return (start, delta) if is_usual else None
