"""What a tool gives, and whether its arguments fit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel
from tracker_session import Session, call

from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.values import ABSENT
from aistream_nb.errors import ToolInputError
from aistream_nb.tracker import StreamingTool, ToolResponse
from aistream_nb.tracker.execution import CANCELLED


async def run(s: Session, tool: Any, text: str = '{"n":1}') -> list[dict[str, Any]]:
    """What the host is told when ``tool`` gets these arguments."""
    s.tools["work"] = tool
    await s.live()
    await s.show(call("c", text))
    return s.results


def doing(execute: Any, **abilities: Any) -> StreamingTool:
    return StreamingTool(execute=execute, **abilities)


# ---------------------------------------------------------------- outcomes


async def slowly(value: Any) -> Any:
    await asyncio.sleep(0)
    return value


def fail(*_: Any) -> Any:
    raise ValueError("no stock")


async def fail_slowly(*_: Any) -> Any:
    raise ValueError("no stock")


OUTCOMES: dict[str, tuple[Any, dict[str, Any]]] = {
    "a value": (lambda *_: 5, {"result": 5, "isError": False}),
    "null, which is a value": (lambda *_: None, {"result": None, "isError": False}),
    "no value": (lambda *_: ABSENT, {"result": "<no result>", "isError": False}),
    "something to await": (
        lambda *_: slowly([1]),
        {"result": [1], "isError": False},
    ),
    "a raise": (fail, {"result": "ValueError: no stock", "isError": True}),
    "a later raise": (fail_slowly, {"result": "ValueError: no stock", "isError": True}),
    "a whole response": (
        lambda *_: ToolResponse(1, is_error=True, artifact=2, model_content=[3]),
        {"result": 1, "isError": True, "artifact": 2, "modelContent": [3]},
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
async def test_what_execute_gives_is_told(session: Session, name: str) -> None:
    execute, told = OUTCOMES[name]
    (result,) = await run(session, doing(execute))
    head = {"type": "add-tool-result", "toolCallId": "c", "toolName": "work"}
    assert result == head | told


async def test_a_tool_that_is_cancelled_from_within_is_cancelled(
    session: Session,
) -> None:
    async def give_up(*_: Any) -> None:
        raise asyncio.CancelledError

    (result,) = await run(session, doing(give_up))
    assert (result["result"], result["isError"]) == (CANCELLED.result, True)


async def test_a_model_output_is_made_of_a_good_result(session: Session) -> None:
    def translate(**seen: Any) -> list[Any]:
        return [seen]

    tool = doing(lambda *_: 7, to_model_output=translate)
    (result,) = await run(session, tool)
    assert result["modelContent"] == [
        {"tool_call_id": "c", "input": {"n": 1}, "output": 7}
    ]


async def test_a_model_output_that_raises_is_left_out(session: Session) -> None:
    (result,) = await run(session, doing(lambda *_: 7, to_model_output=fail))
    assert "modelContent" not in result
    assert session.codes == ["to-model-output"]


async def test_no_model_output_is_made_of_an_error_or_where_one_is(
    session: Session,
) -> None:
    (result,) = await run(session, doing(fail, to_model_output=lambda **_: "x"))
    assert "modelContent" not in result
    session.start()
    session.results.clear()
    own = ToolResponse(1, model_content="own")
    (result,) = await run(session, doing(lambda *_: own, to_model_output=fail))
    assert result["modelContent"] == "own"


# ---------------------------------------------------------------- schemas


class Whole(BaseModel):
    n: int


class Checked:
    def validate(self, args: Any) -> Any:
        if args["n"] < 2:
            raise ToolInputError("n is too small", tool_name="work")
        return {"n": args["n"], "checked": True}


async def test_the_validated_value_is_what_runs(session: Session) -> None:
    tool = doing(lambda args, _: args, parameters=Checked())
    (result,) = await run(session, tool, '{"n":2}')
    assert result["result"] == {"n": 2, "checked": True}


async def test_pydantic_models_are_schemas(session: Session) -> None:
    tool = doing(lambda args, _: args.n + 1, parameters=Whole)
    assert (await run(session, tool))[0]["result"] == 2


async def test_arguments_that_do_not_fit_do_not_run_and_are_not_quoted(
    session: Session,
) -> None:
    tool = doing(lambda args, _: args, parameters=Whole)
    (result,) = await run(session, tool, '{"n":"secret"}')
    assert result["isError"]
    assert result["result"].startswith("Function parameter validation failed. ")
    assert '"path":["n"]' in result["result"]
    assert "secret" not in result["result"]


async def test_a_tools_own_words_about_bad_arguments_are_told(session: Session) -> None:
    tool = doing(lambda args, _: args, parameters=Checked())
    (result,) = await run(session, tool)
    assert result["result"] == "Function parameter validation failed. n is too small"


async def test_a_fallback_may_answer_for_bad_arguments(session: Session) -> None:
    tool = doing(
        fail,
        parameters=Checked(),
        on_schema_validation_error=lambda args, _: slowly({"had": args}),
    )
    (result,) = await run(session, tool)
    assert (result["result"], result["isError"]) == ({"had": {"n": 1}}, False)


async def test_a_fallback_that_raises_is_an_error(session: Session) -> None:
    tool = doing(fail, parameters=Checked(), on_schema_validation_error=fail)
    (result,) = await run(session, tool)
    assert (result["result"], result["isError"]) == ("ValueError: no stock", True)


class Waiting:
    """A schema whose validation waits for the test."""

    def __init__(self, error: Exception | None = None) -> None:
        self.go = asyncio.Event()
        self.error = error

    async def validate(self, args: Any) -> Any:
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return args


@pytest.mark.parametrize("error", [None, ValueError("bad")])
async def test_an_abort_during_validation_cancels_and_nothing_runs(
    session: Session, error: Exception | None
) -> None:
    schema = Waiting(error)
    session.tool.work = fail
    tool = doing(session.tool.execute, parameters=schema)
    await run(session, tool)
    done = session.tracker.abort()
    schema.go.set()
    await done
    assert session.ran == []
    assert session.told == [("c", CANCELLED.result)]


async def test_an_answer_during_validation_keeps_the_call_from_running(
    session: Session,
) -> None:
    schema = Waiting()
    await run(session, doing(session.tool.execute, parameters=schema))
    await session.show(call("c", '{"n":1}', result="theirs"))
    schema.go.set()
    await session.turn()
    assert (session.ran, session.told) == ([], [])
    assert dict(session.tracker.statuses) == {}


async def test_an_answer_during_validation_keeps_the_fallback_from_running(
    session: Session,
) -> None:
    schema = Waiting(ValueError("bad"))
    tool = doing(
        fail,
        parameters=schema,
        on_schema_validation_error=lambda *_: session.ran.append(("c", 0)),
    )
    await run(session, tool)
    await session.show(call("c", '{"n":1}', result="theirs"))
    schema.go.set()
    await session.turn()
    assert (session.ran, session.told) == ([], [])


# ---------------------------------------------------------------- our own tools


class Own:
    """A tool as :mod:`aistream_nb.tools` makes them."""

    spec = ToolSpec(name="work", description="Works.")

    def __init__(self) -> None:
        self.ran: list[Mapping[str, Any]] = []

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if "bad" in arguments:
            raise ToolInputError("bad is bad", tool_name="work")
        return {**arguments, "validated": True}

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        self.ran.append(arguments)
        return "done"


async def test_our_own_tools_run_without_a_context(session: Session) -> None:
    tool = Own()
    (result,) = await run(session, tool)
    assert result["result"] == "done"
    assert tool.ran == [{"n": 1, "validated": True}]
