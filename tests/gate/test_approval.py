from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from aistream_nb.core.tool_spec import (
    Decision,
    Deny,
    GateRequest,
    Proceed,
    ToolAnnotations,
    ToolSpec,
)
from aistream_nb.errors import TurnError
from aistream_nb.gate import (
    ApprovalGate,
    Asked,
    Decided,
    GateEvent,
    PendingApproval,
    Receipt,
    Rule,
    current_gate,
)


def request(name: str = "rm", call_id: str = "c1", **arguments: Any) -> GateRequest:
    return GateRequest(
        tool=ToolSpec(name=name), arguments=arguments, tool_call_id=call_id
    )


def make_gate(**options: Any) -> ApprovalGate:
    given: dict[str, Any] = {"ask": "always", "clock": lambda: 7.0, **options}
    return ApprovalGate(**given)


async def answered(
    gate: ApprovalGate,
    answer: Callable[[PendingApproval], object],
    asked: GateRequest | None = None,
    ask: Callable[[GateRequest], Awaitable[Decision]] | None = None,
) -> Decision:
    """The gate's decision on a question that ``answer`` is shown."""

    def show(event: GateEvent) -> None:
        if isinstance(event, Asked):
            answer(event.pending)

    stop = gate.subscribe(show)
    try:
        return await (ask or gate)(asked or request())
    finally:
        stop()


async def test_a_question_is_a_value_that_anybody_may_answer():
    gate = make_gate()
    seen: list[PendingApproval] = []

    def answer(pending: PendingApproval) -> None:
        assert dict(gate.pending) == {pending.id: pending}
        seen.append(pending)
        assert gate.decide(pending.id, Deny(reason="too late in the day"), by="Ana")

    decision = await answered(gate, answer, request(path="/x"))

    assert decision == Deny(reason="too late in the day")
    assert seen[0].id == "approval_1"
    assert seen[0].arguments == {"path": "/x"}
    assert seen[0].tool_call_id == "c1"
    assert seen[0].asked_at == 7.0
    assert not gate.pending
    (record,) = gate.decisions
    assert (record.outcome, record.by, record.why) == (
        "deny",
        "Ana",
        "too late in the day",
    )
    assert record.approval_id == "approval_1"


async def test_the_first_answer_holds_and_the_second_is_told_so():
    gate = make_gate()
    receipts: list[Receipt] = []

    def answer(pending: PendingApproval) -> None:
        receipts.append(gate.decide(pending.id, Deny(reason="no"), by="Ana"))
        receipts.append(gate.decide(pending.id, Proceed(), by="Bo"))

    assert await answered(gate, answer) == Deny(reason="no")
    receipts.append(gate.decide("approval_1", Proceed(), by="Bo"))

    assert [bool(one) for one in receipts] == [True, False, False]
    assert receipts[1].message == "already decided by Ana: deny"
    assert receipts[2].record == receipts[0].record
    assert len(gate.decisions) == 1


def test_an_id_that_nobody_knows_is_refused():
    receipt = make_gate().decide("approval_9", Proceed())
    assert not receipt
    assert receipt.record is None
    assert "approval_9" in receipt.message


@pytest.mark.parametrize("wrong", [True, "proceed", None, {"decision": "proceed"}])
async def test_an_answer_that_is_none_leaves_the_question_open(wrong):
    gate = make_gate()

    def answer(pending: PendingApproval) -> None:
        assert not gate.decide(pending.id, wrong)
        assert pending.id in gate.pending
        gate.decide(pending.id, Deny())

    assert await answered(gate, answer) == Deny()


async def test_edited_arguments_are_passed_on():
    gate = make_gate()
    decision = await answered(
        gate, lambda one: gate.decide(one.id, Proceed(arguments={"path": "/y"}))
    )
    assert decision == Proceed(arguments={"path": "/y"})
    assert gate.decisions[0].decision == decision


async def test_a_deny_rule_holds_for_edited_arguments_too():
    gate = make_gate(rules=[Rule.deny(path="/etc/*", reason="hands off"), "ask *"])

    def answer(pending: PendingApproval) -> None:
        receipt = gate.decide(pending.id, Proceed(arguments={"path": "/etc/passwd"}))
        assert receipt.message == "the edited arguments are denied: hands off"
        gate.decide(pending.id, Proceed(arguments={"path": "/ok"}))

    assert await answered(gate, answer) == Proceed(arguments={"path": "/ok"})


async def test_an_answer_may_come_from_another_thread():
    gate = make_gate()

    def answer(pending: PendingApproval) -> None:
        thread = threading.Thread(target=gate.decide, args=(pending.id, Proceed()))
        thread.start()
        thread.join()

    assert await answered(gate, answer) == Proceed()


async def test_always_allow_asks_no_more_in_that_chat():
    gate = make_gate()
    first, second = gate.for_chat("one"), gate.for_chat("two")
    asked: list[str | None] = []

    def answer(pending: PendingApproval) -> None:
        asked.append(pending.chat)
        gate.decide(pending.id, Proceed(), always=True)

    for ask in (first, first, second):
        assert await answered(gate, answer, ask=ask) == Proceed()

    assert asked == ["one", "two"]
    assert gate.always_allowed == {"rm"}
    assert [one.by for one in first.decisions] == ["you", "always"]
    assert len(second.decisions) == 1
    assert (await answered(gate, answer, request("mkdir"), ask=first)) == Proceed()
    assert asked == ["one", "two", "one"]


async def test_always_allow_lets_through_what_waits():
    gate = make_gate()
    chat = gate.for_chat("one")

    def answer(pending: PendingApproval) -> None:
        assert chat.pending == (pending,)
        chat.allow_always("other")
        assert chat.pending == (pending,)
        chat.allow_always("rm", by="Ana")

    assert await answered(gate, answer, ask=chat) == Proceed()
    assert gate.decisions[0].by == "Ana"


async def test_a_deny_rule_stands_above_always_allow():
    gate = make_gate(rules=[Rule.deny("rm", path="/etc/*")])
    gate.allow_always("rm")
    assert await gate(request(path="/x")) == Proceed()
    assert isinstance(await gate(request(path="/etc/x")), Deny)


async def test_a_question_that_nobody_answers_in_time_is_denied():
    gate = make_gate(timeout=0.01)
    assert await gate(request()) == Deny(reason="nobody answered within 0.01 seconds")
    assert gate.decisions[0].outcome == "timed-out"
    late = gate.decide("approval_1", Proceed())
    assert late.message == "already decided by policy: timed-out"


async def test_an_answer_in_time_stops_the_clock():
    gate = make_gate(timeout=60)
    assert await answered(gate, lambda one: gate.decide(one.id, Proceed())) == Proceed()


async def nobody() -> str | None:
    return "no view of the chat is open"


async def somebody() -> str | None:
    return None


async def test_without_an_audience_the_call_is_denied_with_the_reason():
    gate = make_gate()
    gate.audience = nobody
    decision = await gate(request())
    assert decision == Deny(reason="no view of the chat is open")
    assert (gate.decisions[0].outcome, gate.decisions[0].by) == ("nobody", "policy")


async def test_the_audience_of_a_chat_counts_before_the_gates_own():
    gate = make_gate()
    gate.audience = somebody
    assert isinstance(await gate.for_chat("c", audience=nobody)(request()), Deny)


async def test_an_absent_person_may_mean_yes():
    gate = make_gate(nobody="proceed")
    gate.audience = nobody
    assert await gate(request()) == Proceed()
    assert gate.decisions[0].outcome == "nobody"


async def test_a_person_may_answer_while_the_audience_is_looked_for():
    gate = make_gate()

    async def forever() -> str | None:
        await asyncio.Event().wait()
        return None

    gate.audience = forever
    assert await answered(gate, lambda one: gate.decide(one.id, Proceed())) == Proceed()


async def test_with_an_audience_the_question_waits():
    gate = make_gate()
    gate.audience = somebody

    def answer(pending: PendingApproval) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(0.01, gate.decide, pending.id, Proceed())

    assert await answered(gate, answer) == Proceed()


@pytest.mark.parametrize("reason", ["", RuntimeError("no kernel")])
async def test_not_knowing_whether_anybody_watches_means_nobody(reason):
    async def audience() -> str | None:
        if isinstance(reason, Exception):
            raise reason
        return reason

    gate = make_gate()
    gate.audience = audience
    decision = await gate(request())
    assert isinstance(decision, Deny)
    assert decision.reason
    assert "no kernel" not in decision.reason


async def test_cancelling_the_run_takes_the_question_away():
    gate = make_gate()
    told: list[GateEvent] = []
    gate.subscribe(told.append)
    begun = asyncio.Event()

    async with asyncio.TaskGroup() as group:
        stop = gate.subscribe(lambda _: begun.set())
        task = group.create_task(gate(request()))
        await begun.wait()
        stop()
        stop()
        task.cancel()

    assert task.cancelled()
    assert not gate.pending
    assert gate.decisions[0].outcome == "aborted"
    assert isinstance(told[-1], Decided)
    assert not gate.decide("approval_1", Proceed())


async def test_a_failed_ask_function_is_recorded_and_raises():
    gate = make_gate(ask=lambda _: True)
    with pytest.raises(TurnError):
        await gate(request())
    assert gate.decisions[0].outcome == "failed"
    assert "neither Proceed nor Deny" in gate.decisions[0].why


async def test_a_cancelled_ask_function_is_recorded():
    async def ask(asked: GateRequest) -> Decision:
        raise asyncio.CancelledError

    gate = make_gate(ask=ask)
    with pytest.raises(asyncio.CancelledError):
        await gate(request())
    assert gate.decisions[0].outcome == "aborted"


async def test_calls_without_a_question_are_recorded_too():
    gate = ApprovalGate(rules=["deny rm"], clock=lambda: 7.0)
    told: list[GateEvent] = []
    gate.subscribe(told.append)
    reads = ToolSpec(name="read", annotations=ToolAnnotations(read_only=True))

    await gate(GateRequest(tool=reads, arguments={}, tool_call_id="c1"))
    await gate(request(call_id="c2"))

    assert [(one.outcome, one.by) for one in gate.decisions] == [
        ("proceed", "policy"),
        ("deny", "rule"),
    ]
    assert told == [Decided(record) for record in gate.decisions]


async def test_an_observer_that_fails_changes_nothing(caplog):
    gate = make_gate(ask="never")

    def fail(event: GateEvent) -> None:
        raise RuntimeError("sk-secret-0123456789")

    gate.subscribe(fail)
    with caplog.at_level(logging.WARNING):
        assert await gate(request()) == Proceed()
    assert "RuntimeError" in caplog.text
    assert "sk-secret" not in caplog.text


def test_a_gate_holds_for_the_chats_made_in_its_block():
    outer, inner = make_gate(), make_gate()
    assert current_gate() is None
    with outer as entered:
        assert entered is outer
        with inner:
            assert current_gate() is inner
        assert current_gate() is outer
    assert current_gate() is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timeout": 0}, "timeout=0 of a gate is no number of seconds above 0"),
        ({"timeout": -1}, "timeout=-1 of a gate"),
        ({"timeout": "2"}, "timeout='2' of a gate"),
        ({"timeout": True}, "timeout=True of a gate"),
        ({"timeout": float("nan")}, "timeout=nan of a gate"),
        ({"timeout": float("inf")}, "leave it out to wait as long as it takes"),
        ({"nobody": "maybe"}, "neither 'deny' nor 'proceed'"),
        ({"ask": "sometimes"}, "is no policy"),
        ({"rules": ["perhaps"]}, "a rule says"),
    ],
)
def test_options_that_cannot_be_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        make_gate(**options)


def test_a_gate_shows_its_policy():
    assert repr(make_gate(ask=lambda _: "ask", timeout=3)) == (
        "ApprovalGate(ask=function, timeout=3)"
    )
    numbers = iter("xyz")
    assert repr(ApprovalGate(rules=["deny rm"], ids=lambda: next(numbers))) == (
        "ApprovalGate(ask='destructive', rules=[Rule.deny('rm')])"
    )


def test_a_gate_tells_of_rules_that_will_match_no_call_of_the_tools():
    gate = make_gate(rules=["deny rmdir", "deny rm path=/etc/*"])
    tools = [ToolSpec(name="rm")]
    with pytest.warns(UserWarning, match=r"Rule.deny\('rmdir'\) names no tool"):
        gate.check_tools(tools)
    with pytest.raises(ValueError, match="did you mean 'rmdirs'"):
        gate.check_tools([ToolSpec(name="rmdirs")])
