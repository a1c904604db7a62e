"""Requests in the words of OpenAI's Responses (provider turns, section 6.2).

xAI speaks the same dialect with another spelling of a few members; the record's
thinking family tells the two apart.
"""

from __future__ import annotations

from typing import Any

from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.values import ABSENT, is_mapping, present
from aistream_nb.providers.base import OutputSchema, TurnRequest, WireRequest, or_absent
from aistream_nb.providers.messages import Message, WebSearch

__all__ = [
    "bearer",
    "conversation",
    "declared",
    "effort_of",
    "named_schema",
    "responses_request",
    "sampling_temperature",
]

_NO_EFFORT_KNOB = "grok-4"


def responses_request(turn: TurnRequest) -> WireRequest:
    """The request for ``turn``."""
    body = present(
        model=turn.model,
        input=conversation(turn, _content(turn.current)),
        stream=True,
        tools=_tools(turn) or ABSENT,
        reasoning=_reasoning(turn) or ABSENT,
        temperature=sampling_temperature(turn),
        max_output_tokens=or_absent(turn.max_tokens),
        text=_output_format(turn.output_schema),
    )
    body |= turn.thinking.other
    body |= turn.extra_body
    if body.get("store") is False:
        # What the server does not keep, we have to bring back.
        body.setdefault("include", ["reasoning.encrypted_content"])
    url = f"{turn.base_url}/responses"
    return WireRequest(url=url, headers=bearer(turn), body=body)


def conversation(turn: TurnRequest, current: object) -> list[Any]:
    """Everything said so far; ``current`` is the content of the current user turn."""
    head = [{"role": entry.role, "content": entry.content} for entry in turn.head]
    return [
        {"role": "system", "content": turn.system},
        *head,
        {"role": "user", "content": current},
        *(entry for entry in turn.tail if is_mapping(entry)),
    ]


def bearer(turn: TurnRequest) -> dict[str, str]:
    """The header with the key; none for a server of one's own."""
    return {"authorization": f"Bearer {turn.key}"} if turn.key else {}


def effort_of(turn: TurnRequest) -> str | None:
    """The effort to send; ``grok-4`` has no such knob."""
    return None if turn.model == _NO_EFFORT_KNOB else turn.thinking.effort


def sampling_temperature(turn: TurnRequest) -> Any:
    """The temperature, which thinking models refuse unless told not to think."""
    if turn.temperature is None or turn.thinking.is_on:
        return ABSENT
    return turn.temperature


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.attachments:
        return message.content
    images = [
        present(
            type="input_image",
            image_url=attachment.url,
            detail=attachment.detail or ABSENT,
        )
        for attachment in message.attachments
    ]
    return [{"type": "input_text", "text": message.content}, *images]


def _reasoning(turn: TurnRequest) -> dict[str, Any]:
    effort = effort_of(turn)
    shown = turn.thinking.show and turn.thinking.is_on and effort is not None
    return present(
        effort=or_absent(effort),
        summary="auto" if shown else ABSENT,
    )


def _tools(turn: TurnRequest) -> list[dict[str, Any]]:
    is_xai = turn.record.thinking_family == "xai"
    searches = [_search(search, is_xai=is_xai) for search in turn.server_tools]
    return [*searches, *map(_function, turn.tools)]


def _search(search: WebSearch, *, is_xai: bool) -> dict[str, Any]:
    blocked = "excluded_domains" if is_xai else "blocked_domains"
    filters: dict[str, Any] = {}
    if search.allowed_domains is not None:
        filters["allowed_domains"] = list(search.allowed_domains)
    if search.blocked_domains is not None:
        filters[blocked] = list(search.blocked_domains)
    return present(
        type="web_search",
        filters=filters or ABSENT,
        enable_image_understanding=(is_xai and search.understand_images) or ABSENT,
    )


def _function(tool: ToolSpec) -> dict[str, Any]:
    return {"type": "function", **declared(tool)}


def declared(tool: ToolSpec) -> dict[str, Any]:
    """A tool as OpenAI's servers are told of it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


def _output_format(schema: OutputSchema | None) -> Any:
    if schema is None:
        return ABSENT
    return {"format": {"type": "json_schema", **named_schema(schema)}}


def named_schema(schema: OutputSchema) -> dict[str, Any]:
    """The schema of an answer as OpenAI's servers are told of it."""
    return {
        "name": schema.name,
        "schema": dict(schema.schema),
        "strict": schema.strict,
    }
