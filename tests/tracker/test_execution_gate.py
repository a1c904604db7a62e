"""A gate is asked before a tool runs, and whatever fails there never runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from tracker_session import Session, call

from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed, ToolSpec
from aistream_nb.errors import ToolInputError
from aistream_nb.tracker import StreamingTool
from aistream_nb.tracker.execution import CANCELLED


def doing(execute: Any, **abilities: Any) -> StreamingTool:
    return StreamingTool(execute=execute, **abilities)


def fail(*_: Any) -> Any:
    raise ValueError("no stock")


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


# ---------------------------------------------------------------- the gate


async def gated(s: Session, gate: Any, text: str = '{"n":1}') -> Own:
    tool = Own()
    s.tools["work"] = tool
    await s.live(gate=gate)
    await s.show(call("c", text))
    return tool


async def test_a_gate_is_asked_with_validated_arguments_and_may_proceed(
    session: Session,
) -> None:
    asked: list[GateRequest] = []

    async def gate(request: GateRequest) -> Proceed:
        asked.append(request)
        return Proceed()

    tool = await gated(session, gate)
    (request,) = asked
    assert request.tool is tool.spec
    assert request.arguments == {"n": 1, "validated": True}
    assert request.tool_call_id == "c"
    assert session.told == [("c", "done")]


async def test_a_gate_may_change_the_arguments_which_are_validated_again(
    session: Session,
) -> None:
    async def gate(_: GateRequest) -> Proceed:
        return Proceed(arguments={"m": 2})

    tool = await gated(session, gate)
    assert tool.ran == [{"m": 2, "validated": True}]


async def no(_: GateRequest) -> Deny:
    return Deny(reason="too risky")


async def no_word(_: GateRequest) -> Deny:
    return Deny()


async def broken(_: GateRequest) -> Proceed:
    raise RuntimeError("secret")


async def nonsense(_: GateRequest) -> Any:
    return True


async def bad_edit(_: GateRequest) -> Proceed:
    return Proceed(arguments={"bad": 1})


DENIALS: dict[str, tuple[Any, str]] = {
    "a no": (no, "Tool execution denied: too risky"),
    "a no without a reason": (no_word, "Tool execution denied."),
    "a raise": (broken, "Tool execution denied: the gate failed"),
    "nonsense": (nonsense, "Tool execution denied: the gate gave no valid answer"),
    "an edit that does not fit": (
        bad_edit,
        "Function parameter validation failed. bad is bad",
    ),
}


@pytest.mark.parametrize("name", DENIALS)
async def test_a_gate_that_gives_this_never_runs_the_tool(
    session: Session, name: str
) -> None:
    gate, told = DENIALS[name]
    tool = await gated(session, gate)
    assert tool.ran == []
    assert session.told == [("c", told)]
    assert session.results[0]["isError"]
    assert session.tracker.ledger.of("c")[0].why_not_run == "the gate denied it"
    assert all("secret" not in d.message for d in session.diagnostics)


async def test_arguments_that_are_no_object_are_not_shown_to_a_gate(
    session: Session,
) -> None:
    session.tool.work = fail
    await session.live(gate=no)
    await session.show(call("c", "[1]"))
    assert session.told == [
        ("c", "Tool execution denied: its arguments are not an object")
    ]


async def test_a_plain_tool_is_shown_to_the_gate_by_its_name(session: Session) -> None:
    names: list[str] = []

    async def gate(request: GateRequest) -> Proceed:
        names.append(request.tool.name)
        return Proceed()

    await session.live(gate=gate)
    await session.show(call("c", "{}"))
    assert names == ["work"]
    assert session.ran == [("c", {})]


class Person:
    """A gate that waits for the test."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []
        self.answers: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, request: GateRequest) -> Any:
        self.asked.append(request.tool_call_id)
        return await self.answers.get()


async def test_questions_come_one_after_another(session: Session) -> None:
    person = Person()
    await session.live(gate=person)
    await session.show(call("c", "{}"), call("d", "{}"))
    assert person.asked == ["c"]
    person.answers.put_nowait(Proceed())
    await session.turn()
    assert person.asked == ["c", "d"]


async def test_an_answer_of_the_backend_while_the_gate_waits_wins(
    session: Session,
) -> None:
    person = Person()
    await session.live(gate=person)
    await session.show(call("c", "{}"), call("d", "{}"))
    await session.show(call("c", "{}", result=1), call("d", "{}", result=2))
    person.answers.put_nowait(Proceed())
    await session.turn()
    assert person.asked == ["c"]
    assert (session.ran, session.told) == ([], [])


async def test_an_abort_while_the_gate_waits_cancels_every_call(
    session: Session,
) -> None:
    person = Person()
    await session.live(gate=person)
    await session.show(call("c", "{}"), call("d", "{}"))
    await session.tracker.abort()
    assert session.told == [("c", CANCELLED.result), ("d", CANCELLED.result)]
    await session.show(call("e", "{}"))
    assert person.asked == ["c", "e"]


async def test_an_abort_before_the_gate_was_asked_does_not_ask_it(
    session: Session,
) -> None:
    person = Person()
    schema = Waiting()
    session.tools["work"] = doing(session.tool.execute, parameters=schema)
    await session.live(gate=person)
    await session.show(call("c", "{}"))
    done = session.tracker.abort()
    schema.go.set()
    await done
    assert person.asked == []
    assert session.told == [("c", CANCELLED.result)]


async def test_the_part_that_our_own_gate_shows_does_not_cede_the_call(
    session: Session,
) -> None:
    person = Person()
    await session.live(gate=person)
    await session.show(call("c", "{}"))
    await session.show(call("c", "{}", approval={"id": "ours"}))
    person.answers.put_nowait(Proceed())
    await session.turn()
    assert session.told == [("c", {})]


async def test_a_call_that_is_promoted_is_gated_too(session: Session) -> None:
    session.start(gate=no)
    await session.show(call("c", '{"n":'))
    await session.show(call("c", '{"n":1}'))
    assert session.ran == []
    assert session.told == [("c", "Tool execution denied: too risky")]
