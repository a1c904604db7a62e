"""OpenAI's Chat Completions, the language of most other servers, tools included.

Calls come in fragments: an index links them, the id and the name are only in the
first. Some servers use index 0 for every call, so a new id begins a new call; some
repeat the id, and some give none (provider turns, sections 6.3, 8.4 and 14.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.turn_events import ToolCallArgsDelta, ToolCallResult
from aistream_nb.core.values import ABSENT, is_array, is_mapping, present
from aistream_nb.providers.base import (
    Ending,
    OutputSchema,
    Translated,
    TurnRequest,
    WireRequest,
    dict_or_none,
    object_in,
    or_absent,
    usage_from,
)
from aistream_nb.providers.continuation import chat_continuation
from aistream_nb.providers.messages import Message
from aistream_nb.providers.openai_request import (
    bearer,
    conversation,
    declared,
    effort_of,
    named_schema,
    sampling_temperature,
)
from aistream_nb.providers.translating import AnswerReader, CallInText, text_in

__all__ = ["ChatDialect", "ChatTranslator"]

_USAGE: Final[Mapping[str, str]] = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "reasoning_tokens": "completion_tokens_details.reasoning_tokens",
    "cached_input_tokens": "prompt_tokens_details.cached_tokens",
}
_THINKING_FIELDS: Final = ("reasoning_content", "reasoning", "thinking")
"""What servers call visible thinking; the standard has no name for it."""
_TRY_AGAIN: Final = frozenset({"rate_limit_exceeded", "server_error", "overloaded"})


class ChatDialect:
    """Servers that speak Chat Completions."""

    def request(self, turn: TurnRequest) -> WireRequest:
        """The request for ``turn``."""
        effort = effort_of(turn)
        body = present(
            model=turn.model,
            messages=conversation(turn, _content(turn.current)),
            stream=True,
            stream_options={"include_usage": True}
            if turn.record.stream_usage
            else ABSENT,
            tools=[*map(_function, turn.tools)] or ABSENT,
            reasoning_effort=or_absent(effort),
            temperature=sampling_temperature(turn),
            response_format=_output_format(turn.output_schema),
        )
        if turn.max_tokens is not None:
            is_openai = turn.record.thinking_family == "openai"
            name = "max_completion_tokens" if is_openai else "max_tokens"
            body[name] = turn.max_tokens
        body |= turn.thinking.other
        body |= turn.extra_body
        url = f"{turn.base_url}/chat/completions"
        return WireRequest(url=url, headers=bearer(turn), body=body)

    def translator(self, turn: TurnRequest) -> ChatTranslator:
        """A new translator for the answer."""
        # Made-up ids must differ from those of the rounds before.
        return ChatTranslator(id_prefix=f"call_{len(turn.tail)}_")


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.attachments:
        return message.content
    images = [
        {
            "type": "image_url",
            "image_url": present(
                url=attachment.url, detail=attachment.detail or ABSENT
            ),
        }
        for attachment in message.attachments
    ]
    return [{"type": "text", "text": message.content}, *images]


def _function(tool: ToolSpec) -> dict[str, Any]:
    return {"type": "function", "function": declared(tool)}


def _output_format(schema: OutputSchema | None) -> Any:
    if schema is None:
        return ABSENT
    return {"type": "json_schema", "json_schema": named_schema(schema)}


class ChatTranslator(AnswerReader):
    """Reads one stream of Chat Completions."""

    def __init__(self, *, id_prefix: str = "call_") -> None:
        super().__init__()
        self._id_prefix: Final = id_prefix
        self._calls: dict[str, CallInText] = {}
        self._open: dict[object, CallInText] = {}
        self._usage: object = None
        self._finish_reason: str | None = None

    def receive(self, frames: Sequence[str]) -> list[Translated]:
        """What the frames say."""
        self._out = []
        for frame in frames:
            opened = self._opened(frame)
            if opened is not None:
                self._read(opened[1])
        return self._out

    def close(self) -> Ending:
        """How the stream ended."""
        reason = self._finish_reason
        if reason is None:
            return Ending(error="OpenAI stream ended without a finish_reason")
        return Ending(
            truncated=reason == "length",
            incomplete_reason=reason if reason == "content_filter" else None,
            stop_reason=reason,
            usage=usage_from(self._usage, _USAGE),
        )

    def continuation(self, results: Sequence[ToolCallResult]) -> list[dict[str, Any]]:
        """The assistant's message with its calls, and their results."""
        calls = [
            {"id": call.call_id, "name": call.name, "arguments": call.text}
            for call in self._calls.values()
        ]
        return chat_continuation(self.full_text(), calls, results)

    def _read(self, payload: dict[str, Any]) -> None:
        if payload.get("error"):
            self._fail(payload)
            return
        if is_mapping(payload.get("usage")):
            self._usage = payload["usage"]
        choices = payload.get("choices")
        choice = dict_or_none(choices[0]) if is_array(choices) and choices else None
        if choice is not None:
            self._read_delta(object_in(choice, "delta"))
            self._read_finish(choice.get("finish_reason"))

    def _read_delta(self, delta: dict[str, Any]) -> None:
        for field in _THINKING_FIELDS:
            if thought := text_in(delta, field):
                self._think(thought)
                break  # some servers say the same under two names
        content = delta.get("content")
        if is_array(content):
            self._read_parts(content)
        for field in ("content", "refusal"):
            self._say(text_in(delta, field))
        fragments = delta.get("tool_calls")
        for number, fragment in enumerate(fragments if is_array(fragments) else ()):
            self._read_fragment(dict_or_none(fragment) or {}, number)

    def _read_parts(self, parts: Sequence[Any]) -> None:
        """Content in parts, which is how Mistral tells thinking from text."""
        for found in parts:
            part = dict_or_none(found) or {}
            thoughts = part.get("thinking")
            if is_array(thoughts):
                found_thoughts = (dict_or_none(thought) or {} for thought in thoughts)
                self._think("".join(text_in(one, "text") for one in found_thoughts))
            else:
                self._say(text_in(part, "text"))

    def _read_fragment(self, fragment: dict[str, Any], number: int) -> None:
        index = fragment.get("index", number)
        function = object_in(fragment, "function")
        call = self._open.get(index)
        ident = fragment.get("id")
        if call is None or (ident and ident != call.call_id):
            call = self._begin_call(index, ident, text_in(function, "name"))
        text = _argument_text(function.get("arguments"))
        if call is not None and text:
            call.pieces.append(text)
            self._out.append(ToolCallArgsDelta(call_id=call.call_id, delta=text))

    def _begin_call(self, index: object, ident: object, name: str) -> CallInText | None:
        if not name:
            return None
        made_up = f"{self._id_prefix}{len(self._calls)}"
        call_id = ident if isinstance(ident, str) and ident else made_up
        if not self._is_new(call_id):
            return None
        self._finish_call(self._open.pop(index, None))
        call = CallInText(call_id=call_id, name=name)
        self._calls[call_id] = self._open[index] = call
        self._announce(name, call_id)
        return call

    def _finish_call(self, call: CallInText | None) -> None:
        if call is not None and not call.ready:
            self._out.append(call.finish())

    def _read_finish(self, reason: object) -> None:
        if not isinstance(reason, str) or not reason:
            return
        self._finish_reason = reason
        calls = [*self._calls.values()]
        # With "length" the last call was cut, even if what came of it can be read.
        for call in calls[:-1] if reason == "length" else calls:
            self._finish_call(call)

    def _fail(self, payload: dict[str, Any]) -> None:
        error = object_in(payload, "error")
        said = error.get("message") or payload.get("message") or payload["error"]
        code = error.get("code") or error.get("type")
        self._break(
            said if isinstance(said, str) else "OpenAI stream returned an error",
            retryable=code in _TRY_AGAIN,
        )


def _argument_text(arguments: object) -> str:
    """Arguments as text; some servers send the object itself."""
    if isinstance(arguments, str):
        return arguments
    return "" if not is_mapping(arguments) else encode_json(arguments)
