"""Requests in the words of Gemini's ``streamGenerateContent`` (section 6.4).

The key travels in a header, never in the URL. Schemas are cleaned, because Gemini
refuses keywords that it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.values import ABSENT, is_array, is_mapping, present
from aistream_nb.providers.base import TurnRequest, WireRequest, or_absent
from aistream_nb.providers.continuation import guard_tail
from aistream_nb.providers.messages import Message

__all__ = ["clean_schema", "gemini_request"]

_UNKNOWN_KEYWORDS: Final = frozenset({"additionalProperties", "$schema"})
_NULLABLE_PAIR: Final = 2


def gemini_request(turn: TurnRequest) -> WireRequest:
    """The request for ``turn``."""
    contents = [
        {
            "role": "model" if entry.role == "assistant" else "user",
            "parts": [{"text": entry.content}],
        }
        for entry in turn.head
        if entry.role != "system"
    ]
    contents.append({"role": "user", "parts": _parts(turn.current)})
    contents += guard_tail(turn.tail, roles=("user", "model"), body="parts", text=False)
    tools = _tools(turn)
    combined = turn.conflict_policy == "combine" and turn.server_tools and turn.tools
    body = present(
        systemInstruction={"parts": [{"text": turn.system}]},
        contents=contents,
        generationConfig=_config(turn),
        tools=tools or ABSENT,
        toolConfig={"includeServerSideToolInvocations": True} if combined else ABSENT,
    )
    body |= turn.extra_body
    model = quote(turn.model, safe="/:@")
    return WireRequest(
        url=f"{turn.base_url}/models/{model}:streamGenerateContent?alt=sse",
        headers={"x-goog-api-key": turn.key},
        body=body,
    )


def _parts(message: Message) -> list[dict[str, Any]]:
    images = [
        {"inlineData": {"mimeType": attachment.mime_type, "data": attachment.base64}}
        for attachment in message.attachments
    ]
    return [{"text": message.content}, *images]


def _config(turn: TurnRequest) -> dict[str, Any]:
    thinking = present(
        thinkingBudget=or_absent(turn.thinking.budget),
        includeThoughts=True if turn.thinking.show else ABSENT,
    )
    config = present(
        temperature=or_absent(turn.temperature),
        maxOutputTokens=or_absent(turn.max_tokens),
        thinkingConfig=thinking or ABSENT,
    )
    if turn.output_schema is not None:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = dict(turn.output_schema.schema)
    return {**config, **turn.thinking.other}


def _tools(turn: TurnRequest) -> list[dict[str, Any]]:
    searches: list[dict[str, Any]] = []
    if turn.server_tools:
        searches.append({"google_search": {}})
    functions = [_function(tool) for tool in turn.tools]
    declared = [{"function_declarations": functions}] if functions else []
    return [*searches, *declared]


def _function(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": clean_schema(tool.parameters),
    }


def clean_schema(schema: Any) -> Any:
    """``schema`` in Gemini's dialect: unknown keywords gone, null said its own way.

    A *property* that happens to be called like a keyword stays.

    >>> clean_schema({"type": ["string", "null"], "additionalProperties": False})
    {'type': 'string', 'nullable': True}
    """
    if is_array(schema):
        return [clean_schema(member) for member in schema]
    if not is_mapping(schema):
        return schema
    cleaned = {
        name: _clean_properties(member)
        if name == "properties"
        else clean_schema(member)
        for name, member in schema.items()
        if name not in _UNKNOWN_KEYWORDS
    }
    kinds = cleaned.get("type")
    if is_array(kinds) and len(kinds) == _NULLABLE_PAIR and "null" in kinds:
        cleaned["type"] = next(kind for kind in kinds if kind != "null")
        cleaned["nullable"] = True
    return cleaned


def _clean_properties(properties: Any) -> Any:
    if not is_mapping(properties):
        return clean_schema(properties)
    named: Mapping[str, Any] = properties
    return {name: clean_schema(schema) for name, schema in named.items()}
