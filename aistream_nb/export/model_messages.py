"""A conversation as messages for a model, in the words of two vendors.

What a vendor refuses is put right on the way: every call has a result, results follow
their calls, no message is empty, the person comes first where that is a rule, and ids
are of the letters that are taken. Thinking stays behind, because without its
signature nobody takes it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from aistream_nb.core.conversion import convert_messages
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.export.source import Source, read_source
from aistream_nb.providers.history import anthropic_id

__all__ = ["to_anthropic", "to_openai"]

_NO_RESULT: Final = "The call did not run."
_OPENING: Final = "(The conversation begins with the assistant.)"

Row = dict[str, Any]


def to_openai(source: Source) -> list[Row]:
    """Messages as OpenAI's Chat Completions take them.

    Raises:
        AIStreamError: ``source`` holds no conversation.
    """
    system, rows = _rows(source)
    head: list[Row] = [{"role": "system", "content": system}] if system else []
    return [*head, *map(_openai, rows)]


def to_anthropic(source: Source) -> Row:
    """``system`` and ``messages`` as Anthropic's Messages take them.

    Raises:
        AIStreamError: ``source`` holds no conversation.
    """
    system, rows = _rows(source)
    messages: list[Row] = []
    for row in rows:
        role = "assistant" if row["role"] == "assistant" else "user"
        blocks = list(_anthropic(row))
        if not blocks:
            continue
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    if messages and messages[0]["role"] == "assistant":
        opening = {"type": "text", "text": _OPENING}
        messages.insert(0, {"role": "user", "content": [opening]})
    told: Row = {"system": system} if system else {}
    return {**told, "messages": messages}


def _rows(source: Source) -> tuple[str, list[Row]]:
    """The system prompt, and rows in which every call is answered behind it."""
    exported = read_source(source)
    converted = convert_messages(exported.conversation.processor.messages)
    answers = {r["toolCallId"]: r for r in converted if r["role"] == "tool"}
    rows: list[Row] = []
    for row in converted:
        calls: list[Any] = row.get("toolCalls") or []
        if row["role"] == "tool" or not (calls or row.get("content")):
            continue
        rows.append(row)
        for call in calls:
            none = {"role": "tool", "content": _NO_RESULT, "toolCallId": call["id"]}
            rows.append(answers.get(call["id"], none))
    return exported.system, rows


# ---------------------------------------------------------------- OpenAI


def _openai(row: Mapping[str, Any]) -> Row:
    content = row.get("content")
    if row["role"] == "tool":
        said = _text(content)
        return {"role": "tool", "tool_call_id": row["toolCallId"], "content": said}
    if row["role"] == "user":
        parts = content if isinstance(content, str) else list(_user_parts(content))
        return {"role": "user", "content": parts}
    told: Row = {"role": "assistant", "content": _text(content) or None}
    calls = [_openai_call(call) for call in row.get("toolCalls") or ()]
    return {**told, "tool_calls": calls} if calls else told


def _openai_call(call: Mapping[str, Any]) -> Row:
    function = call["function"]
    named = {"name": function["name"], "arguments": function["arguments"] or "{}"}
    return {"id": call["id"], "type": "function", "function": named}


def _user_parts(content: Any) -> Iterator[Row]:
    for part in _parts(content):
        address = _address(part)
        if part.get("type") == "text":
            yield {"type": "text", "text": str(part.get("content", ""))}
        elif part.get("type") == "image" and address:
            yield {"type": "image_url", "image_url": {"url": address}}
        else:
            yield {"type": "text", "text": f"[{part.get('type')}]"}


# ---------------------------------------------------------------- Anthropic


def _anthropic(row: Mapping[str, Any]) -> Iterator[Row]:
    content = row.get("content")
    if row["role"] == "tool":
        yield {
            "type": "tool_result",
            "tool_use_id": anthropic_id(row["toolCallId"]),
            "content": _text(content),
        }
        return
    if isinstance(content, str):
        if content.strip():
            yield {"type": "text", "text": content}
    else:
        yield from _anthropic_parts(_parts(content))
    for call in row.get("toolCalls") or ():
        yield {
            "type": "tool_use",
            "id": anthropic_id(call["id"]),
            "name": call["function"]["name"],
            "input": _object(call["function"]["arguments"]),
        }


def _anthropic_parts(parts: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    for part in parts:
        source = _anthropic_source(part)
        if part.get("type") == "text":
            text = str(part.get("content", ""))
            if text.strip():
                yield {"type": "text", "text": text}
        elif part.get("type") == "image" and source:
            yield {"type": "image", "source": source}
        else:
            yield {"type": "text", "text": f"[{part.get('type')}]"}


def _anthropic_source(part: Mapping[str, Any]) -> Row | None:
    source = part.get("source")
    if not is_mapping(source):
        return None
    if source.get("type") == "url":
        return {"type": "url", "url": str(source.get("value"))}
    return {
        "type": "base64",
        "media_type": str(source.get("mimeType", "image/png")),
        "data": str(source.get("value")),
    }


# ---------------------------------------------------------------- both


def _parts(content: Any) -> list[Mapping[str, Any]]:
    return [p for p in content if is_mapping(p)] if is_array(content) else []


def _address(part: Mapping[str, Any]) -> str:
    source = part.get("source")
    if not is_mapping(source):
        return ""
    if source.get("type") == "url":
        return str(source.get("value"))
    return f"data:{source.get('mimeType', 'image/png')};base64,{source.get('value')}"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = [str(p.get("content", "")) for p in _parts(content)]
    return "".join(texts)


def _object(text: str) -> Row:
    try:
        value = parse_json(text)
    except ValueError:
        return {}
    return dict(value) if is_mapping(value) else {}
