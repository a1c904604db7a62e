"""From what a user names to an agent: ``"anthropic:…"``, ``"offline"``, an address.

This is the table of what ``Chat(…)`` understands. Every option is checked by name
here, so that a misspelt one is an error with the list of those that exist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.agui.agent import AGUIAgent, AGUIOptions
from aistream_nb.chat.agent import Agent
from aistream_nb.chat.provider_agent import ProviderAgent
from aistream_nb.chat.remote_agent import RemoteAgent
from aistream_nb.core.spelling import nearest
from aistream_nb.core.tool_spec import ClientTool
from aistream_nb.errors import AIStreamError, TurnError
from aistream_nb.http import HttpClient
from aistream_nb.providers.offline import (
    OFFLINE_KEY,
    OFFLINE_MODEL,
    OFFLINE_SYSTEM,
    offline_transport,
)
from aistream_nb.providers.options_check import refuse_wrong_kinds
from aistream_nb.providers.registry import (
    PROVIDERS,
    ProviderRecord,
    resolve_model,
    split_target,
)
from aistream_nb.providers.turn_prepare import TurnOptions, check_options
from aistream_nb.tools.travel import offline_tools

__all__ = ["Connection", "connect"]

_OFFLINE: Final = "offline"
_AGENT_OPTIONS: Final = frozenset({"max_rounds", "budget"})
_OFFLINE_VENDOR: Final = "anthropic"
_OFFLINE_OPTIONS: Final = frozenset({"pace", "sleep", "faults"})
_TURN_OPTIONS: Final = frozenset(TurnOptions.__annotations__) - {"system"}
_CHAT_OPTIONS: Final = frozenset(
    {"clock", "gate", "history", "ids", "strict", "system", "tools"}
)
"""What a chat understands whoever the agent is."""
_SHORT_NAMES: Final = ("claude", "gemini", "google", "grok", "xai")
_ADDRESS: Final = re.compile(r"(localhost|[\w.-]+\.[\w-]+|\[[\da-f:]+\])(:\d+)?(/|$)")
"""What looks like the place of a server."""
_SERVER_OPTIONS: Final = frozenset(AGUIOptions.__annotations__) | {"headers", "client"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """An agent, and the tools that it is offered."""

    agent: Agent
    tools: tuple[ClientTool, ...]


def connect(
    agent: str | Agent | AGUIAgent,
    *,
    tools: tuple[ClientTool, ...] | None,
    system: str | None,
    options: Mapping[str, Any],
) -> Connection:
    """The agent that is meant, ready to run.

    Raises:
        AIStreamError: Nobody is known under the name, or an option cannot be.
    """
    if isinstance(agent, AGUIAgent):
        _refuse_unknown(options, frozenset())
        made = RemoteAgent(agent, system=system)
        return Connection(agent=made, tools=tools or ())
    if not isinstance(agent, str):
        _refuse_no_agent(agent)
        _refuse_unknown(options, frozenset())
        return Connection(agent=agent, tools=tools or ())
    if agent.startswith(("http://", "https://")):
        _refuse_unknown(options, _SERVER_OPTIONS)
        made = RemoteAgent(AGUIAgent(agent, **options), system=system)
        return Connection(agent=made, tools=tools or ())
    if agent == _OFFLINE or agent.startswith(f"{_OFFLINE}:"):
        return _offline(agent, tools=tools, system=system, options=options)
    return _provider(agent, tools=tools, system=system, options=options)


def _provider(
    target: str,
    *,
    tools: tuple[ClientTool, ...] | None,
    system: str | None,
    options: Mapping[str, Any],
) -> Connection:
    record, model = _find_provider(target)
    _refuse_unknown(options, _AGENT_OPTIONS | _TURN_OPTIONS)
    refuse_wrong_kinds(options.items())
    turn: dict[str, Any] = {
        name: value for name, value in options.items() if name in _TURN_OPTIONS
    }
    if system is not None:
        turn["system"] = system
    turn.setdefault("model", model)
    check_options(record, TurnOptions(**turn))
    client = turn.pop("client", None) or HttpClient()
    made = ProviderAgent(
        record,
        name=f"{record.id}:{resolve_model(record, turn['model'])}",
        client=HttpClient.around(client),
        options=TurnOptions(**turn),
        **{name: options[name] for name in _AGENT_OPTIONS & options.keys()},
    )
    return Connection(agent=made, tools=tools or ())


def _offline(
    target: str,
    *,
    tools: tuple[ClientTool, ...] | None,
    system: str | None,
    options: Mapping[str, Any],
) -> Connection:
    _refuse_unknown(options, _AGENT_OPTIONS | _TURN_OPTIONS | _OFFLINE_OPTIONS)
    refuse_wrong_kinds(options.items())
    _, _, vendor = target.partition(":")
    record, _ = _find_provider(vendor or _OFFLINE_VENDOR)
    turn = {name: value for name, value in options.items() if name in _TURN_OPTIONS}
    turn.setdefault("thinking", {"effort": "low"})
    if not record.default_model:
        turn.setdefault("model", OFFLINE_MODEL)
    turn.update(
        system=OFFLINE_SYSTEM if system is None else system, api_key=OFFLINE_KEY
    )
    check_options(record, TurnOptions(**turn))
    played = {name: options[name] for name in _OFFLINE_OPTIONS & options.keys()}
    made = ProviderAgent(
        record,
        name=target,
        client=HttpClient(transport=offline_transport(**played)),
        options=TurnOptions(**turn),
        **{name: options[name] for name in _AGENT_OPTIONS & options.keys()},
    )
    offered = tuple(offline_tools()) if tools is None else tools
    return Connection(agent=made, tools=offered)


def _refuse_no_agent(agent: object) -> None:
    if not callable(getattr(agent, "run", None)):
        raise AIStreamError(
            f"{agent!r:.60} is no agent: name one, such as 'offline', or "
            "'anthropic:claude-sonnet-5', or 'http://127.0.0.1:8000/agent'."
        )


def _find_provider(target: str) -> tuple[ProviderRecord, str | None]:
    """The provider and the model that are meant.

    Raises:
        AIStreamError: Nobody is known under the name; the message says who is.
    """
    try:
        return split_target(target)
    except TurnError:
        raise TurnError(_unknown_agent(target)) from None


def _unknown_agent(target: str) -> str:
    name = target.partition(":")[0]
    known = sorted(PROVIDERS)
    if _ADDRESS.match(target):
        return (
            f"{target!r} is no provider. If an AG-UI server listens there, give its "
            f"whole address, such as 'http://{target}'."
        )
    meant = nearest(name, [_OFFLINE, *known, *_SHORT_NAMES])
    hint = f" Did you mean {meant!r}?" if meant else ""
    return (
        f"There is no agent {target!r}.{hint} An agent is 'offline', "
        f"'PROVIDER:MODEL' (with {', '.join(known)}), or the address of an AG-UI "
        "server, 'http://…'."
    )


def _refuse_unknown(options: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(options.keys() - known)
    if not unknown:
        return
    everything = sorted({*known, *_CHAT_OPTIONS})
    close = {name: nearest(name, everything) for name in unknown}
    hints = [f"{name!r} may mean {meant!r}" for name, meant in close.items() if meant]
    hint = f" ({'; '.join(hints)})" if hints else ""
    further = "" if known else " and, with this agent, no further option"
    raise AIStreamError(
        f"Chat does not know {', '.join(map(repr, unknown))}{hint}. "
        f"It understands: {', '.join(everything)}{further}."
    )
