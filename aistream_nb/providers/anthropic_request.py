"""Requests in the words of Anthropic's Messages (provider turns, section 6.1).

There is never a forced ``tool_choice``: with thinking on it would be refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.values import ABSENT, present
from aistream_nb.errors import TurnError
from aistream_nb.providers.base import TurnRequest, WireRequest, or_absent
from aistream_nb.providers.continuation import guard_tail
from aistream_nb.providers.messages import Message, WebSearch
from aistream_nb.providers.thinking import is_model_of

__all__ = ["anthropic_request"]

_MAX_TOKENS: Final = 4096
_ROOM_FOR_THE_ANSWER: Final = 4096
_BUDGETS: Final[Mapping[str, int]] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 24000,
    "xhigh": 32000,
    "max": 32000,
}


def anthropic_request(turn: TurnRequest) -> WireRequest:
    """The request for ``turn``.

    Raises:
        TurnError: The caller's ``max_tokens`` leaves no room for thinking.
    """
    messages: list[dict[str, Any]] = [
        {"role": message.role, "content": message.content}
        for message in turn.head
        if message.role != "system"
    ]
    messages.append({"role": "user", "content": _content(turn.current)})
    messages += guard_tail(
        turn.tail, roles=("user", "assistant"), body="content", text=True
    )
    temperature = ABSENT if turn.thinking.is_on else or_absent(turn.temperature)
    body = present(
        model=turn.model,
        system=turn.system,
        messages=messages,
        max_tokens=turn.max_tokens or _MAX_TOKENS,
        stream=True,
        temperature=temperature,
    )
    body |= _thinking(turn, body["max_tokens"])
    _add_output_format(turn, body)
    body |= turn.thinking.other
    tools = [*map(_server_tool, turn.server_tools), *map(_client_tool, turn.tools)]
    if tools:
        body["tools"] = tools
    body |= turn.extra_body
    return WireRequest(
        url=f"{turn.base_url}/messages",
        headers={
            "x-api-key": turn.key,
            "anthropic-version": "2023-06-01",
            "anthropic-dangerous-direct-browser-access": "true",
        },
        body=body,
    )


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.attachments:
        return message.content
    images = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": attachment.mime_type,
                "data": attachment.base64,
            },
        }
        for attachment in message.attachments
    ]
    return [{"type": "text", "text": message.content}, *images]


def _server_tool(tool: WebSearch) -> dict[str, Any]:
    return present(
        type="web_search_20250305",
        name=tool.name,
        max_uses=or_absent(tool.max_uses),
        allowed_domains=or_absent(tool.allowed_domains and [*tool.allowed_domains]),
        blocked_domains=or_absent(tool.blocked_domains and [*tool.blocked_domains]),
    )


def _client_tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
    }


def _thinking(turn: TurnRequest, max_tokens: int) -> dict[str, Any]:
    thinking = turn.thinking
    if not thinking.is_on or thinking.effort is None:
        return {}
    if is_model_of(turn.model, turn.record.adaptive_models):
        # These models refuse a budget, and show no thinking unless asked.
        shown = {"display": "summarized"} if thinking.show else {}
        return {
            "thinking": {"type": "adaptive", **shown},
            "output_config": {"effort": _adaptive_effort(thinking.effort)},
        }
    budget = _BUDGETS[thinking.effort]
    enabled = {"thinking": {"type": "enabled", "budget_tokens": budget}}
    if budget < max_tokens:
        return enabled
    if turn.max_tokens is not None:
        raise TurnError(
            f'provider "{turn.record.id}": thinking effort "{thinking.effort}" needs '
            f"max_tokens above {budget}, got {turn.max_tokens}; raise it or think less"
        )
    return {**enabled, "max_tokens": budget + _ROOM_FOR_THE_ANSWER}


def _adaptive_effort(effort: str) -> str:
    return "low" if effort == "minimal" else effort


def _add_output_format(turn: TurnRequest, body: dict[str, Any]) -> None:
    if turn.output_schema is None:
        return
    schema = {"type": "json_schema", "schema": dict(turn.output_schema.schema)}
    body["output_config"] = {**body.get("output_config", {}), "format": schema}
