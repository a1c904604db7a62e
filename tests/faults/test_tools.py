"""Tools that do all that tools must not do, in a run of a chat.

Each time the model gets one answer to its call, the call has one settled state, the
tool ran once, and the run goes on to its end.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from fault_kit import hold_the_laws, kinds
from turn_kit import FakeTool, Server, call_block, message, text_block

import aistream_nb as ai
from aistream_nb.core.long_results import RESULT_LIMIT
from aistream_nb.core.running_on import RUNS_ON
from aistream_nb.providers.retry import NO_RETRY

ARGUMENTS = '{"city": "Hvar", "more": {"list": [1]}}'
ASKED = {"city": "Hvar", "more": {"list": [1]}}
BIG = 10_000_000
"""Letters. A hundred million take no longer once they are there."""
ran: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def talk(tool: Any, **options: Any) -> tuple[ai.Chat, Server]:
    name = tool.spec.name
    calls = message(*call_block(0, "call_1", ARGUMENTS, name=name), stop="tool_use")
    server = Server(calls, message(*text_block(0, "So it is.")))
    options.setdefault("gate", ai.ApprovalGate("never"))
    chat = ai.Chat(
        "anthropic:m",
        api_key="sk-test-0123456789",
        client=server.client,
        retry=NO_RETRY,
        tools=[tool],
        **options,
    )
    return chat, server


def as_tool(function: Callable[..., Any]) -> Any:
    return ai.tool(name="act")(function)


async def answer_to(tool: Any, **options: Any) -> tuple[str, str]:
    """The state of the one call, and what the model was told of it."""
    chat, server = talk(tool, **options)
    before = asyncio.all_tasks()
    reply = await chat.send("Act.")
    assert asyncio.all_tasks() == before
    assert (reply.status, reply.text) == ("finished", "So it is.")
    hold_the_laws(chat)
    answers = [
        block["content"]
        for said in server.bodies[-1]["messages"]
        for block in said["content"]
        if isinstance(block, dict) and block["type"] == "tool_result"
    ]
    assert len(answers) == 1
    assert kinds(chat.recording.events).count("TOOL_CALL_RESULT") == 1
    await chat.aclose()
    (call,) = reply.tool_calls.values()
    return call.status, answers[0]


class NoWordsError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class EvilMapping(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("nobody looks inside")


def raising(error: BaseException, *, in_loop: bool) -> Callable[..., Any]:
    def act(city: str, more: Any) -> str:
        ran.append(city)
        raise error

    async def act_in_loop(city: str, more: Any) -> str:
        return act(city, more)

    return act_in_loop if in_loop else act


def giving(make: Callable[[], object]) -> Callable[..., Any]:
    def act(city: str, more: Any) -> Any:
        ran.append(city)
        return make()

    return act


def deep_list() -> object:
    inside: list[Any] = []
    for _ in range(100_000):
        inside = [inside]
    return inside


def ring() -> object:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def printing() -> str:
    print("a tool may print", flush=True)  # noqa: T201 that is what is tried
    return "printed"


@pytest.mark.parametrize("in_loop", [True, False])
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no such city"), "no such city"),
        (BaseException("at the bottom"), "at the bottom"),
        (SystemExit("bye"), "SystemExit: bye"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(), "StopIteration"),
        (StopAsyncIteration(), "StopAsyncIteration"),
        (asyncio.CancelledError(), "cancelled itself"),
        (TimeoutError("slow"), "slow"),
        (RecursionError("deep"), "deep"),
        (MemoryError(), "MemoryError"),
        (ExceptionGroup("several", [ValueError("one")]), "several"),
        (NoWordsError(), "NoWordsError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
async def test_whatever_a_tool_raises_is_told_to_the_model(
    error: BaseException, words: str, *, in_loop: bool
):
    if in_loop and isinstance(error, StopIteration):
        words = "raised StopIteration"  # by Python's own rule for coroutines
    status, told = await answer_to(as_tool(raising(error, in_loop=in_loop)))
    assert status == "error"
    assert words in told
    assert ran == ["Hvar"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (object, "has no JSON text"),
        (lambda: b"\xff", "has no JSON text"),
        (ring, "contains itself"),
        (deep_list, "nested too deeply"),
        (lambda: EvilMapping(a=1), "RuntimeError"),
        (lambda: print, "non-serializable"),
    ],
)
async def test_what_cannot_be_said_is_a_failure(make: Callable[[], object], words: str):
    status, told = await answer_to(as_tool(giving(make)))
    assert status == "error"
    assert words in told
    assert ran == ["Hvar"]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: float("nan"), "null"),
        (lambda: "\ud800", '"\\ud800"'),
        (lambda: None, "null"),
        (printing, '"printed"'),
    ],
    ids=["no number", "half a character", "nothing", "printing"],
)
async def test_what_is_odd_is_an_answer(make: Callable[[], object], told: str):
    assert await answer_to(as_tool(giving(make))) == ("complete", told)


async def test_what_is_very_much_is_cut_and_says_so():
    status, told = await answer_to(as_tool(giving(lambda: "x" * BIG)))
    assert status == "complete"
    said = json.loads(told)
    assert said["start"] == '"' + "x" * (RESULT_LIMIT - 1)
    assert "The result was cut" in said["note"]


async def test_what_is_very_much_may_be_sent_all_the_same():
    told = await answer_to(as_tool(giving(lambda: "x" * BIG)), max_result_chars=None)
    assert told == ("complete", '"' + "x" * BIG + '"')


@pytest.mark.parametrize("raised", [SystemExit("bye"), NoWordsError()])
async def test_a_tool_of_somebody_elses_making_may_raise_anything(
    raised: BaseException,
):
    def act(_arguments: Mapping[str, Any]) -> str:
        raise raised

    status, told = await answer_to(FakeTool(action=act))
    assert status == "error"
    assert type(raised).__name__ in told or "bye" in told


async def test_a_tool_that_never_returns_is_given_up():
    async def act(city: str, more: Any) -> None:
        await asyncio.Event().wait()

    status, told = await answer_to(as_tool(act), tool_timeout=0.02)
    assert status == "error"
    assert told.endswith("no result within 0.02 s")


def test_a_thread_that_never_returns_is_given_up_and_holds_nobody():
    go_on = threading.Event()

    def act(city: str, more: Any) -> None:
        go_on.wait()

    # asyncio.run would wait for the threads of a pool.
    status, told = asyncio.run(answer_to(as_tool(act), tool_timeout=0.02))
    assert status == "error"
    assert f"no result within 0.02 s; {RUNS_ON}" in told
    go_on.set()


async def test_a_tool_that_never_returns_can_be_stopped():
    reached = asyncio.Event()

    async def act(city: str, more: Any) -> None:
        reached.set()
        await asyncio.Event().wait()

    chat, _ = talk(as_tool(act))
    run = chat.start("Act.")
    await reached.wait()
    chat.stop()
    reply = await run
    assert reply.status == "aborted"
    assert [call.status for call in reply.tool_calls.values()] == ["aborted"]
    hold_the_laws(chat)
    await chat.aclose()


async def test_a_tool_that_holds_on_is_awaited_and_its_run_is_stopped():
    """It swallows the cancellation once; then it has to go."""
    reached, held = asyncio.Event(), asyncio.Event()

    async def act(city: str, more: Any) -> str:
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            held.set()
            await asyncio.sleep(0)
        return "never said"

    chat, _ = talk(as_tool(act))
    run = chat.start("Act.")
    await reached.wait()
    chat.stop()
    assert (await run).status == "aborted"
    assert held.is_set()
    hold_the_laws(chat)
    await chat.aclose()


async def test_a_tool_that_blocks_the_loop_only_takes_its_time():
    async def act(city: str, more: Any) -> str:
        time.sleep(0.05)  # noqa: ASYNC251 that is what is tried
        return "late"

    assert await answer_to(as_tool(act)) == ("complete", '"late"')


async def test_a_tool_that_stops_its_own_run_stops_it():
    chats: list[ai.Chat] = []

    async def act(city: str, more: Any) -> None:
        chats[0].stop()
        await asyncio.sleep(0)

    chat, server = talk(as_tool(act))
    chats.append(chat)
    reply = await chat.send("Act.")
    assert (reply.status, len(server.requests)) == ("aborted", 1)
    hold_the_laws(chat)
    await chat.aclose()


async def test_a_tool_that_sends_to_its_own_chat_is_refused():
    chats: list[ai.Chat] = []

    async def act(city: str, more: Any) -> str:
        return str(await chats[0].send("And?"))

    chat, _ = talk(as_tool(act))
    chats.append(chat)
    reply = await chat.send("Act.")
    assert "still going on" in str(next(iter(reply.tool_calls.values())).result)
    hold_the_laws(chat)
    await chat.aclose()


@pytest.mark.parametrize("kind", ["of a function", "of somebody else"])
async def test_a_tool_that_changes_its_arguments_changes_no_history(kind: str):
    def act(city: str, more: Any) -> str:
        more["list"].append(2)
        more["city"] = "Split"
        return "changed"

    def spoil(arguments: Mapping[str, Any]) -> str:
        return act("", arguments["more"])

    tool = as_tool(act) if kind == "of a function" else FakeTool(action=spoil)
    chat, server = talk(tool)
    reply = await chat.send("Act.")
    (call,) = reply.tool_calls.values()
    assert json.loads(call.arguments) == ASKED
    said = server.bodies[-1]["messages"]
    uses = [
        block["input"]
        for one in said
        for block in one["content"]
        if isinstance(block, dict) and block["type"] == "tool_use"
    ]
    assert uses == [ASKED]
    hold_the_laws(chat)
    await chat.aclose()


def test_a_keyboard_interrupt_in_a_tool_ends_the_run_on_its_way_up():
    chat, _ = talk(as_tool(raising(KeyboardInterrupt(), in_loop=True)))
    loop = asyncio.new_event_loop()
    sending = loop.create_task(chat.send("Act."))
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(sending)
    sending.cancel()
    with pytest.raises((KeyboardInterrupt, asyncio.CancelledError)):
        loop.run_until_complete(sending)
    assert chat.conversation.status == "aborted"
    hold_the_laws(chat)
    loop.run_until_complete(chat.aclose())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
