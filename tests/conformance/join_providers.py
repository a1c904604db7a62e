"""Provider turns joined to their cases, through a real HTTP server on loopback.

Nothing of the project is replaced: the turn goes through httpx, a socket and back.
The server plays the case's scripted turns, one for each request.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import jsonschema
from cases import BUILT_IN
from loopback import Server

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.tool_spec import (
    Deny,
    GateRequest,
    Proceed,
    ToolAnnotations,
    ToolSpec,
)
from aistream_nb.core.turn_events import TurnEvent
from aistream_nb.core.values import ABSENT
from aistream_nb.errors import AIStreamError, ProviderError, TurnError
from aistream_nb.http import HttpClient
from aistream_nb.providers.plain import (
    call_provider_completion_stream,
    call_proxied_completion_stream,
)
from aistream_nb.providers.registry import PROVIDERS, ProviderRecord
from aistream_nb.providers.retry import NO_RETRY
from aistream_nb.providers.turn import Turn, execute_client_tool_turn
from aistream_nb.providers.turn_abort import AbortSignal
from aistream_nb.providers.turn_outcome import TurnOutcome

IDS = {
    "anthropic": "anthropic",
    "gemini": "google-gemini",
    "openai": "openai",
    "openai-chat": "openai",
    "xai": "xai-grok",
}
# The cases were recorded with this registry; ours is newer.
REGISTRY = json.loads(
    (BUILT_IN / "providers/registry/registry43.json").read_text("utf-8")
)
EXTRA_EVENTS = {"client-tool-args-delta", "thinking-delta"}
NEW_NAMES = {
    "arguments": "args",
    "call_id": "callId",
    "full_text": "fullText",
    "incomplete_reason": "incompleteReason",
    "is_error": "isError",
    "stop_reason": "stopReason",
    "tool_name": "toolName",
    "tool_type": "toolType",
}


def run_provider_case(case: dict[str, Any]) -> dict[str, Any]:
    """What the project does with a case, in the shape that ``check.py`` compares."""
    with _warnings() as warnings:
        run = asyncio.run(_play(case))
    return {"name": case["name"], **run, "warnings": warnings}


async def _play(case: Mapping[str, Any]) -> dict[str, Any]:
    abort = AbortSignal()
    server = Server(case["turns"], on_hang=_abort_when(case, "hanging", abort))
    desk = Desk(case, abort)
    async with server.running() as address, HttpClient() as client:
        player = Player(case, desk, address=address, client=client, abort=abort)
        outcome = await player.play()
    return {
        "requests": server.requests,
        "events": player.events,
        "outcome": outcome,
        "tool_calls": desk.tool_calls,
        "gate_calls": desk.gate_calls,
    }


def _abort_when(case: Mapping[str, Any], moment: str, abort: AbortSignal) -> Any:
    wanted = (case.get("abort") or {}).get("when") == moment
    return abort.abort if wanted else lambda: None


class Player:
    """Plays the rounds of a case, as a caller would."""

    def __init__(self, case: Any, desk: Any, *, address: str, client: Any, abort: Any):
        self.case, self.desk = case, desk
        self.request = case["request"]
        self.address, self.client, self.abort = address, client, abort
        self.tail: Any = self.request.get("continuationMessages") or []
        self.rounds: list[dict[str, Any]] = []
        self.events: list[list[dict[str, Any]]] = []

    async def play(self) -> dict[str, Any]:
        if (self.case.get("abort") or {}).get("when") == "before":
            self.abort.abort()
        limit = self.case.get("max_rounds") or max(1, len(self.case["turns"]))
        while len(self.rounds) < limit:
            outcome = await self._round()
            if isinstance(outcome, str):
                return {"rounds": self.rounds, "status": "error", "error": outcome}
            if outcome.continuation is None:
                return {"rounds": self.rounds, "status": "finished"}
            self.tail = outcome.continuation.messages
        return {"rounds": self.rounds, "status": "needs-more-turns"}

    async def _round(self) -> TurnOutcome | str:
        self.events.append([])
        try:
            turn = await self._begin()
        except (TurnError, ProviderError) as error:
            said = {"ok": False, "error": str(error), "stage": "start"}
            self.rounds.append(said)
            return str(error)
        await self._read(turn)
        try:
            outcome = await turn.next_turn
        except AIStreamError as error:
            self.rounds.append({"ok": False, "error": str(error)})
            return str(error)
        self.rounds.append(_round_result(outcome, plain=self._is_plain))
        return outcome

    async def _read(self, turn: Turn) -> None:
        abort = self.case.get("abort") or {}
        stop_after = (self.case.get("consumer") or {}).get("break_after")
        seen = self.events[-1]
        async for event in turn.events:
            wire = _event(event)
            if wire["type"] in EXTRA_EVENTS:
                continue
            seen.append(wire)
            here = len(self.events) - 1 == (abort.get("round") or 0)
            if abort.get("when") == "event" and here and len(seen) == abort["n"]:
                self.abort.abort()
            if len(seen) == stop_after:
                break

    @property
    def _is_plain(self) -> bool:
        return "entry" in self.case or self.case["provider"] == "openai-chat"

    async def _begin(self) -> Turn:
        request = self.request
        options: Any = {
            "system": request.get("system", ""),
            "model": request.get("model"),
            "server_tools": request.get("tools") or (),
            "temperature": request.get("temperature"),
            "thinking": request.get("thinking"),
            "api_key": request.get("apiKey", "test-key"),
            "client": self.client,
            "retry": NO_RETRY,
            "abort": self.abort,
        }
        if "tier" in request:
            options["tier"] = request["tier"]
        base = f"{self.address}{request.get('basePath', '')}"
        endpoint = request.get("endpoint", base)
        if isinstance(endpoint, str):
            endpoint = endpoint.replace("{server}", self.address)
        record = _record(request.get("providerId") or IDS[self.case["provider"]])
        options |= {"provider": record, "messages": request["messages"]}
        if self.case.get("entry") == "proxy":
            return await call_proxied_completion_stream(
                proxy_url=self.address, **options
            )
        if self._is_plain:
            return await call_provider_completion_stream(endpoint=endpoint, **options)
        return execute_client_tool_turn(
            client_tools=self.desk.tools,
            on_before_tool_execute=self.desk.gate,
            continuation_messages=self.tail,
            endpoint=endpoint,
            **options,
        )


def _record(ident: str) -> ProviderRecord:
    told = REGISTRY[ident]
    unknown = ProviderRecord(id=ident, api_format="openai", wire="responses")
    ours = PROVIDERS.get(ident, unknown)
    return replace(
        ours,
        # The reference speaks Responses to everybody in a turn with tools.
        wire="responses" if told["apiFormat"] == "openai" else ours.wire,
        default_model=told["defaultModel"],
        aliases=told.get("aliases") or {},
        base_url=told["baseUrl"],
    )


def _event(event: TurnEvent) -> dict[str, Any]:
    return _renamed(asdict(event))


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        NEW_NAMES.get(name, name): dict(value) if isinstance(value, Mapping) else value
        for name, value in fields.items()
        if value is not None
    }


def _round_result(outcome: TurnOutcome, *, plain: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ok": True,
        "truncated": outcome.truncated,
        "fullText": outcome.full_text,
    }
    if outcome.tool_conflicts is not None:
        conflicts = asdict(outcome.tool_conflicts)
        result["toolConflicts"] = {
            "policy": conflicts["policy"],
            "droppedServerTools": conflicts["dropped_server_tools"],
            "droppedClientTools": conflicts["dropped_client_tools"],
        }
    if plain:
        return result
    continuation = outcome.continuation
    result["continuation"] = continuation and {
        "messages": list(continuation.messages),
        "toolCallsSummary": [_renamed(asdict(call)) for call in continuation.summary],
    }
    return json.loads(encode_json(result))


class Desk:
    """The tools and the gate of a case."""

    def __init__(self, case: Mapping[str, Any], abort: AbortSignal) -> None:
        self.case, self.abort = case, abort
        self.tool_calls: list[Any] = []
        self.gate_calls: list[Any] = []
        self._used: dict[str, int] = {}
        specs = case["request"].get("clientTools") or ()
        self.tools = [CaseTool(_spec(spec), self) for spec in specs]
        self.gate = self._ask if case.get("gate") else None

    def script(self, kind: str, name: str) -> Any:
        scripts = self.case.get(kind) or {}
        script = scripts.get(name, scripts.get("*", {}))
        if not isinstance(script, list):
            return script
        place = self._used.get(f"{kind} {name}", 0)
        self._used[f"{kind} {name}"] = place + 1
        return script[min(place, len(script) - 1)]

    async def run(self, name: str, arguments: Mapping[str, Any]) -> object:
        self.tool_calls.append({"name": name, "args": dict(arguments)})
        abort = self.case.get("abort") or {}
        if abort.get("when") == "in-tool" and abort.get("tool", name) == name:
            self.abort.abort()
        script = self.script("tools", name)
        await asyncio.sleep(script.get("delay_ms", 0) / 1000)
        for trouble in ("fail", "throw"):
            if trouble in script:
                raise RuntimeError(script[trouble])
        return _value(script.get("result", ABSENT))

    async def _ask(self, request: GateRequest) -> Any:
        name = request.tool.name
        call: dict[str, Any] = {"tool": name, "args": dict(request.arguments)}
        if hints := request.tool.annotations.to_wire():
            call["annotations"] = hints
        self.gate_calls.append(call)
        script = self.script("gate", name)
        for trouble in ("fail", "throw"):
            if trouble in script:
                raise RuntimeError(script[trouble])
        if script.get("action") == "deny":
            return Deny(reason=script.get("reason", ""))
        return Proceed() if script.get("action") == "proceed" else script


@dataclass
class CaseTool:
    spec: ToolSpec
    desk: Desk

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        jsonschema.validate(arguments, self.spec.parameters)
        return arguments

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        return await self.desk.run(self.spec.name, arguments)


def _spec(spec: Mapping[str, Any]) -> ToolSpec:
    return ToolSpec(
        name=spec["name"],
        description=spec.get("description", ""),
        parameters=spec["parameters"],
        annotations=ToolAnnotations.from_wire(spec.get("annotations") or {}),
    )


def _value(value: Any) -> Any:
    if not (isinstance(value, dict) and "$js" in value):
        return value
    circle: list[Any] = []
    circle.append(circle)
    return {
        "nan": float("nan"),
        "infinity": float("inf"),
        "undefined": ABSENT,
        "function": _value,
        "bigint": object(),  # JavaScript's encoder refuses them; ours has no limit
        "circular": circle,
        "date": datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC),
        "object-with-undefined": {"a": 1, "b": ABSENT},
    }[value["$js"]]


@contextmanager
def _warnings() -> Generator[list[str]]:
    told: list[str] = []
    listener = logging.Handler(logging.WARNING)
    listener.emit = lambda record: told.append(record.getMessage())
    logger = logging.getLogger("aistream_nb.providers")
    logger.addHandler(listener)
    try:
        yield told
    finally:
        logger.removeHandler(listener)
