"""What was said so far, read from a request body in any vendor's shape.

The embedded agent has to understand what it is sent, as a vendor's server does. What
it needs is little: who said what, which tools were called, and what they answered.
Members that it does not know are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeGuard

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping

__all__ = ["Call", "OfflineConversation", "Result", "Said", "Vendor", "read_request"]

Vendor: TypeAlias = Literal["anthropic", "openai", "xai", "gemini", "chat"]
"""Whose server is played; ``chat`` is any that speaks Chat Completions."""

_DENIED: Final = re.compile(r"tool execution denied:\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """Text of one side."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that the agent made earlier."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a call."""

    call_id: str
    name: str
    text: str
    flagged: bool = False
    """Whether the wire says that it is an error; not every wire can."""

    @property
    def reason(self) -> str | None:
        """Why there is no value: the person's words or the tool's; else ``None``."""
        prefix = re.match(
            rf"{re.escape(self.name)}(?: \(callId=[^)]*\))?: (.*)", self.text, re.DOTALL
        )
        if prefix is None and not self.flagged:
            return None
        words = prefix[1] if prefix else self.text
        denied = _DENIED.match(words)
        return denied[1].strip() if denied else words.strip()

    @property
    def denied(self) -> bool:
        """Whether a person or a policy declined the call."""
        return self.reason is not None and bool(_DENIED.search(self.text))

    @property
    def value(self) -> Any:
        """The tool's value; its text where that is no JSON."""
        value = self._parsed
        return value["result"] if _tells_a_change(value) else value

    @property
    def changed_arguments(self) -> Mapping[str, Any] | None:
        """What a person made of the arguments, where the result says so."""
        value = self._parsed
        return _arguments(value["changedArguments"]) if _tells_a_change(value) else None

    @property
    def _parsed(self) -> Any:
        try:
            return parse_json(self.text)
        except ValueError:
            return self.text


def _tells_a_change(value: object) -> TypeGuard[Mapping[str, Any]]:
    return is_mapping(value) and {"changedArguments", "result"} <= value.keys()


Item: TypeAlias = Said | Call | Result


@dataclass(frozen=True, slots=True)
class OfflineConversation:
    """A request, understood."""

    vendor: Vendor
    model: str
    tools: Mapping[str, Mapping[str, Any]]
    """The offered tools: their parameters by their names."""
    items: tuple[Item, ...]

    @property
    def turn(self) -> tuple[Item, ...]:
        """Everything since the person spoke last, their words included."""
        for at in range(len(self.items) - 1, -1, -1):
            if _is_person(self.items[at]):
                return self.items[at:]
        return self.items

    @property
    def recorded(self) -> bool:
        """Whether there are streams that were recorded of this vendor."""
        return self.vendor != "chat"

    @property
    def asked(self) -> str:
        """The person's last words."""
        first = next(iter(self.turn), None)
        return first.text if isinstance(first, Said) else ""

    @property
    def is_follow_up(self) -> bool:
        """Whether the agent has spoken before the person's last words."""
        return any(not _is_person(item) for item in self.items[: -len(self.turn)])

    @property
    def results(self) -> tuple[tuple[Call, Result], ...]:
        """The calls of this turn that were answered."""
        return _answered(self.turn)

    @property
    def earlier_results(self) -> tuple[tuple[Call, Result], ...]:
        """The calls that were answered in any turn."""
        return _answered(self.items)


def _is_person(item: Item) -> bool:
    return isinstance(item, Said) and item.role in {"system", "user"}


def _answered(items: tuple[Item, ...]) -> tuple[tuple[Call, Result], ...]:
    calls = [item for item in items if isinstance(item, Call)]
    results = {item.call_id: item for item in items if isinstance(item, Result)}
    return tuple((call, results[call.id]) for call in calls if call.id in results)


def read_request(vendor: Vendor, body: Mapping[str, Any]) -> OfflineConversation:
    """The conversation in a request body.

    Raises:
        ValueError: The body has not the vendor's shape.
    """
    name = "contents" if vendor == "gemini" else "messages"
    name = "input" if vendor in {"openai", "xai"} else name
    messages = body.get(name)
    if not is_array(messages) or not messages:
        raise ValueError(f"the request has no {name!r}")
    readers = {"anthropic": _anthropic, "gemini": _gemini, "chat": _chat}
    read = readers.get(vendor, _responses)
    items = [item for one in messages if is_mapping(one) for item in read(one)]
    return OfflineConversation(
        vendor=vendor,
        model=str(body.get("model", "")),
        tools=dict(_tools(body)),
        items=_named(items),
    )


def _named(items: list[Item]) -> tuple[Item, ...]:
    """Results with the names of their calls, where the wire gives only ids."""
    names = {item.id: item.name for item in items if isinstance(item, Call)}
    return tuple(
        Result(
            item.call_id, names.get(item.call_id, item.name), item.text, item.flagged
        )
        if isinstance(item, Result)
        else item
        for item in items
    )


def _tools(body: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for tool in _objects(body.get("tools")):
        declared = tool.get("function_declarations", tool.get("functionDeclarations"))
        for one in [tool, *_objects([tool.get("function")]), *_objects(declared)]:
            schema = one.get("input_schema", one.get("parameters"))
            if isinstance(one.get("name"), str):
                yield one["name"], schema if is_mapping(schema) else {}


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if is_mapping(one)] if is_array(value) else []


def _arguments(value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = parse_json(value or "{}")
        except ValueError:
            return {}
    return value if is_mapping(value) else {}


def _text(content: object) -> str:
    """Text that is written as itself or as a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in _objects(content))


def _anthropic(message: Mapping[str, Any]) -> Iterator[Item]:
    role, content = str(message.get("role")), message.get("content")
    blocks = _objects(content)
    for block in blocks:
        if block.get("type") == "tool_use":
            arguments = _arguments(block.get("input"))
            yield Call(str(block.get("id")), str(block.get("name")), arguments)
        elif block.get("type") == "tool_result":
            yield Result(
                str(block.get("tool_use_id")),
                "",
                _text(block.get("content")),
                block.get("is_error") is True,
            )
    text = content if isinstance(content, str) else _text(_of_type(blocks, "text"))
    if text:
        yield Said(role, text)


def _of_type(blocks: list[Mapping[str, Any]], *types: str) -> list[Mapping[str, Any]]:
    return [block for block in blocks if block.get("type") in types]


def _responses(item: Mapping[str, Any]) -> Iterator[Item]:
    kind = item.get("type", "message")
    if kind == "function_call":
        arguments = _arguments(item.get("arguments"))
        yield Call(str(item.get("call_id")), str(item.get("name")), arguments)
    elif kind == "function_call_output":
        yield Result(str(item.get("call_id")), "", _text(item.get("output")))
    elif kind == "message":
        yield Said(str(item.get("role")), _text(item.get("content")))


def _chat(message: Mapping[str, Any]) -> Iterator[Item]:
    role, text = str(message.get("role")), _text(message.get("content"))
    if role == "tool":
        yield Result(str(message.get("tool_call_id")), "", text)
        return
    for call in _objects(message.get("tool_calls")):
        (function,) = _objects([call.get("function")]) or [{}]
        arguments = _arguments(function.get("arguments"))
        yield Call(str(call.get("id")), str(function.get("name")), arguments)
    if text:
        yield Said(role, text)


def _gemini(content: Mapping[str, Any]) -> Iterator[Item]:
    role = "assistant" if content.get("role") == "model" else "user"
    spoken = ""
    for part in _objects(content.get("parts")):
        call, response = part.get("functionCall"), part.get("functionResponse")
        if is_mapping(call):
            name = str(call.get("name"))
            yield Call(str(call.get("id") or name), name, _arguments(call.get("args")))
        elif is_mapping(response):
            yield _gemini_result(response)
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            spoken += part["text"]
    if spoken:
        yield Said(role, spoken)


def _gemini_result(response: Mapping[str, Any]) -> Result:
    name = str(response.get("name"))
    said = response.get("response")
    members: Mapping[str, Any] = said if is_mapping(said) else {}
    failed = "error" in members
    text = members.get("error", members.get("output", members.get("content", "")))
    if text is True:
        text = members.get("content", "")
    return Result(str(response.get("id") or name), name, str(text), failed)
