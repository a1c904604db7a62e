"""Runs a tracker case against :class:`ToolInvocationTracker`.

A case is a script: snapshots, flushes, resets, what the tools do. Everything that
happens goes to ``conform.Recorder``, whose outcome is compared.
"""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import conform

from aistream_nb.core.values import ABSENT
from aistream_nb.errors import ToolExecutionError
from aistream_nb.tracker import ToolInvocationTracker, ToolResponse

# A flush runs the loop until nothing happens. Nothing in a case waits for the outside,
# so a fixed number of turns, well above the longest chain, is the same.
FLUSH_TURNS = 80


class Error(Exception):
    """What a script's ``throw`` raises."""


def run_tracker_case(case: dict[str, Any]) -> dict[str, Any]:
    """The outcome of the case, as ``conform.Recorder`` tells it."""
    return asyncio.run(_Run(copy.deepcopy(case)).outcome())


class _Schema:
    def __init__(self, run: _Run, spec: dict[str, Any]) -> None:
        self.run, self.spec = run, spec

    async def validate(self, args: Any) -> Any:
        if "gate" in self.spec:
            await self.run.gate(self.spec["gate"])
        elif self.spec.get("async"):
            await asyncio.sleep(0)
        if self.spec.get("issues"):
            raise ValueError(str(self.spec["issues"]))
        return args


class _Tool:
    """A tool of a case; it has only the abilities that the case gives it."""

    def __init__(self, run: _Run, spec: dict[str, Any]) -> None:
        self.run, self.spec = run, spec
        if "streamCall" in spec:
            self.stream_call = self._stream_call
        if "execute" in spec:
            self.execute = self._execute
        if "schema" in spec:
            self.parameters = _Schema(run, spec["schema"])
        if "onSchemaError" in spec:
            self.on_schema_validation_error = self._on_schema_error
        if "toModelOutput" in spec:
            self.to_model_output = self._to_model_output

    def _stream_call(self, reader: Any, ctx: Any) -> Any:
        slot = self.run.rec.stream_call(ctx.tool_call_id)
        self.run.watch(reader, slot)
        spec = self.spec["streamCall"]
        if "reads" in spec:
            slot["reads"] = [self.run.read(reader, read) for read in spec["reads"]]
        if "throw" in spec:
            raise Error(spec["throw"])
        if "reject" in spec:
            return self._reject(spec["reject"])
        return self._stream_script(spec, ctx) if "script" in spec else None

    @staticmethod
    async def _reject(message: str) -> None:
        await asyncio.sleep(0)
        raise Error(message)

    async def _stream_script(self, spec: dict[str, Any], ctx: Any) -> None:
        value = await self.run.script(spec["script"], None, ctx)
        self.run.rec.mark("streamCallDone", ctx.tool_call_id, value=str(value))

    def _execute(self, args: Any, ctx: Any) -> Any:
        self.run.rec.execute(ctx.tool_call_id, copy.deepcopy(args))
        spec = self.spec["execute"]
        if "syncThrow" in spec:
            raise Error(spec["syncThrow"])
        if "syncReturn" in spec:
            return spec["syncReturn"]
        return self.run.script(spec["script"], args, ctx)

    def _on_schema_error(self, args: Any, ctx: Any) -> Any:
        self.run.rec.mark("schemaError", ctx.tool_call_id)
        return self.run.script(self.spec["onSchemaError"]["script"], args, ctx)

    def _to_model_output(self, *, tool_call_id: str, input: Any, output: Any) -> Any:  # noqa: A002 -- the tracker's keyword
        del tool_call_id, input
        spec = self.spec["toModelOutput"]
        if "throw" in spec:
            raise Error(spec["throw"])
        text = spec.get("prefix", "") + conform.json.dumps(
            output, separators=(",", ":"), ensure_ascii=False
        )
        return [{"type": "text", "text": text}]


class _Run:
    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.rec = conform.Recorder()
        self.gates: dict[str, asyncio.Future[Any]] = {}
        self.kept: dict[str, Any] = {}
        self.tasks: list[asyncio.Task[Any]] = []
        self.aborts: list[asyncio.Task[Any]] = []
        self.tools_mode = case.get("toolsMode", "normal")
        self.ownership = case.get("ownership", {})
        self.hook_counts = {"onResult": 0, "onStatusesChange": 0}
        self.set_tools(case["tools"])

    def set_tools(self, specs: dict[str, Any]) -> None:
        self.tools = {name: _Tool(self, spec) for name, spec in specs.items()}

    def get_tools(self) -> dict[str, Any] | None:
        if self.tools_mode == "throw":
            raise Error("no tools")
        return None if self.tools_mode == "undefined" else self.tools

    async def outcome(self) -> dict[str, Any]:
        latest = bool(self.case.get("only_latest"))
        self.tracker = ToolInvocationTracker(
            self.get_tools,
            on_result=self.on_result,
            on_statuses_change=self.on_statuses_change,
            execute_when="run_settled" if latest else "args_complete",
            is_client_tool_call=self.owns if latest else None,
            assistant_only=latest,
            on_diagnostic=lambda _: None,
        )
        for number, step in enumerate(self.case["steps"]):
            self.rec.at(number)
            await self.step(step)
        self.rec.at(len(self.case["steps"]))
        await self.flush()
        self.rec.aborts = [task.done() for task in self.aborts]
        outcome = copy.deepcopy(self.rec.outcome(_plain(self.tracker.statuses)))
        await self.tracker.aclose()
        for task in (*self.tasks, *self.aborts):
            task.cancel()
        await asyncio.gather(*self.tasks, *self.aborts, return_exceptions=True)
        return outcome

    def owns(self, part: Any) -> bool | None:
        return self.ownership.get(part["toolName"])

    async def flush(self) -> None:
        for _ in range(FLUSH_TURNS):
            await asyncio.sleep(0)

    # ------------------------------------------------------------ steps

    async def step(self, step: dict[str, Any]) -> None:
        if step["op"] == "flush":
            await self.flush()
        else:
            self.act(step)

    def act(self, step: dict[str, Any]) -> None:
        getattr(self, f"_op_{step['op'].lower()}")(step)

    def _op_setstate(self, step: dict[str, Any]) -> None:
        if "sameAs" in step:
            snapshot = self.kept[step["sameAs"]]
        else:
            snapshot: Any = conform.expand(step["snapshot"])
            if "messagesOf" in step:
                snapshot["messages"] = self.kept[step["messagesOf"]]["messages"]
        if "id" in step:
            self.kept[step["id"]] = snapshot
        self.tracker.set_state(snapshot)

    def _op_mutate(self, step: dict[str, Any]) -> None:
        target = self.kept[step["of"]]
        *steps, last = step["path"]
        for key in steps:
            target = target[key]
        target[last] = step["value"]

    def _op_reset(self, _: dict[str, Any]) -> None:
        self.rec.reset()
        self.tracker.reset()

    def _op_abort(self, step: dict[str, Any]) -> None:
        done = self.tracker.abort(discard_pending=bool(step.get("discardPending")))
        self.aborts.append(asyncio.get_running_loop().create_task(_wait(done)))

    def _op_resume(self, step: dict[str, Any]) -> None:
        tool_call_id = step["toolCallId"]
        value = self.tracker.resume(tool_call_id, step.get("payload"))
        self.rec.returned("resume", value, tool_call_id)

    def _op_release(self, step: dict[str, Any]) -> None:
        gate = self.gate(step["gate"])
        if not gate.done():
            gate.set_result(step.get("value"))

    def _op_settools(self, step: dict[str, Any]) -> None:
        if "tools" in step:
            self.set_tools(step["tools"])
        self.tools_mode = step.get("mode", "normal")

    def _op_ownership(self, step: dict[str, Any]) -> None:
        self.ownership = step["map"]

    def _op_statuses(self, _: dict[str, Any]) -> None:
        self.rec.returned("statuses", _plain(self.tracker.statuses))

    def _op_throw(self, _: dict[str, Any]) -> None:
        raise Error("hook")

    # ------------------------------------------------------------ what is observed

    def on_result(self, command: dict[str, Any]) -> None:
        self.rec.result(
            command["toolCallId"],
            command["toolName"],
            command["result"],
            command["isError"],
            command.get("artifact"),
            command.get("modelContent"),
        )
        self.hook("onResult")

    def on_statuses_change(self, statuses: Any) -> None:
        self.rec.statuses(_plain(statuses))
        self.hook("onStatusesChange")

    def hook(self, name: str) -> None:
        count = self.hook_counts[name]
        self.hook_counts[name] += 1
        hooks = self.case.get("hooks", {}).get(name, [])
        for step in hooks[count] if count < len(hooks) else ():
            self.act(step)

    def watch(self, reader: Any, slot: dict[str, Any]) -> None:
        self.start(self._deltas(reader.deltas(), slot))
        self.start(self._response(reader, slot))

    def start(self, work: Any) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    @staticmethod
    async def _deltas(deltas: Any, slot: dict[str, Any]) -> None:
        async for delta in deltas:
            slot["deltas"].append(delta)

    @staticmethod
    async def _response(reader: Any, slot: dict[str, Any]) -> None:
        slot["response"] = (await reader.response()).to_wire()

    def read(self, reader: Any, read: dict[str, Any]) -> dict[str, Any]:
        path, args = read.get("path", []), reader.args
        entry = {"kind": read["kind"], "path": path, "state": "pending"}
        if read["kind"] == "get":
            self.start(self._get(args.get(*path), entry))
        else:
            kinds = {
                "text": args.stream_text,
                "values": args.stream_values,
                "each": args.each,
            }
            entry["items"] = []
            self.start(self._items(kinds[read["kind"]](*path), entry))
        return entry

    @staticmethod
    async def _get(value: Any, entry: dict[str, Any]) -> None:
        got = await value
        entry["value"] = "<undefined>" if got is ABSENT else got
        entry["state"] = "resolved"

    @staticmethod
    async def _items(items: Any, entry: dict[str, Any]) -> None:
        async for item in items:
            entry["items"].append(item)
        entry["state"] = "done"

    # ------------------------------------------------------------ scripts

    def gate(self, name: str) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        return self.gates.setdefault(name, loop.create_future())

    async def script(self, script: list[dict[str, Any]], args: Any, ctx: Any) -> Any:
        last: Any = ABSENT
        for op in script:
            kind = op["do"]
            if kind in _ENDS:
                return _ENDS[kind](op, args, last)
            last = await self._wait_for(op, ctx, last)
        return last

    async def _wait_for(self, op: dict[str, Any], ctx: Any, last: Any) -> Any:
        match op["do"]:
            case "gate":
                return await asyncio.shield(self.gate(op["name"]))
            case "human":
                return await ctx.human(op.get("payload"))
            case "humanCatch":
                try:
                    return await ctx.human(op.get("payload"))
                except ToolExecutionError as error:
                    return {"caught": str(error)}
            case "humanNoWait":
                question = ctx.human(op.get("payload"))
                self.start(self._human(ctx.tool_call_id, question))
            case "never":
                await asyncio.Event().wait()
            case "awaitAbort":
                await ctx.abort_signal.wait()
            case _:
                await asyncio.sleep(0)
        return last

    async def _human(self, tool_call_id: str, question: Any) -> None:
        try:
            await question
        except ToolExecutionError as error:
            self.rec.mark("human", tool_call_id, error=str(error))
        else:
            self.rec.mark("human", tool_call_id)


def _throw(op: dict[str, Any], _args: Any, _last: Any) -> Any:
    raise Error(op["message"])


def _respond(op: dict[str, Any], _args: Any, _last: Any) -> ToolResponse:
    response = op["response"]
    return ToolResponse(
        response.get("result"),
        is_error=response.get("isError", False),
        artifact=response.get("artifact", ABSENT),
        model_content=response.get("modelContent", ABSENT),
    )


_ENDS: dict[str, Any] = {
    "return": lambda op, _args, _last: op.get("value"),
    "returnArgs": lambda _op, args, _last: args,
    "returnLast": lambda _op, _args, last: last,
    "returnUndefined": lambda _op, _args, _last: ABSENT,
    "response": _respond,
    "throw": _throw,
}


async def _wait(done: Any) -> None:
    await done


def _plain(statuses: Any) -> dict[str, Any]:
    return {
        tool_call_id: (
            "executing"
            if status["type"] == "executing"
            else {"interrupt": status["payload"]["payload"]}
        )
        for tool_call_id, status in statuses.items()
    }
