from __future__ import annotations

import asyncio

from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed, ToolSpec
from aistream_nb.gate.desk import Desk, Ending, Question


def make_desk() -> Desk:
    return Desk(clock=lambda: 1.0, ids=iter(["a", "b"]).__next__)


REQUEST = GateRequest(tool=ToolSpec(name="rm"), arguments={}, tool_call_id="c1")


async def test_questions_lie_in_the_order_in_which_they_were_put():
    desk = make_desk()
    desk.put(REQUEST, why="", chat=None)
    desk.put(REQUEST, why="", chat="one")
    assert list(desk.pending) == ["a", "b"]


async def test_a_question_ends_once():
    desk = make_desk()
    question = desk.put(REQUEST, why="", chat=None)
    assert desk.settle(question, Ending.of(Proceed(), by="you"))
    assert not desk.settle(question, Ending.of(Deny(reason="no"), by="policy"))
    assert desk.abort(question).outcome == "proceed"
    assert (await question.answer).by == "you"


async def test_a_run_that_waits_no_more_is_not_disturbed():
    desk = make_desk()
    question = desk.put(REQUEST, why="", chat=None)
    question.answer.cancel()
    desk.settle(question, Ending.of(Proceed(), by="you"))
    await asyncio.sleep(0)
    assert question.answer.cancelled()


def test_the_reason_of_a_denial_is_its_why():
    assert Ending.of(Deny(reason="no"), by="you", why="policy").why == "no"
    assert Ending.of(Deny(), by="you", why="policy").why == "policy"


def test_an_answer_to_a_run_that_is_gone_runs_nothing():
    async def put() -> Question:
        return desk.put(REQUEST, why="", chat=None)

    desk = make_desk()
    question = asyncio.run(put())

    receipt = desk.settle(question, Ending.of(Proceed(), by="you"))

    assert not receipt
    assert "the run that asked is gone" in receipt.message


async def test_no_question_gets_an_id_that_is_reserved():
    desk = make_desk()
    desk.reserve({"a", "c"})

    assert desk.put(REQUEST, why="", chat=None).pending.id == "b"


async def test_a_question_runs_out_once_and_with_the_words_that_are_given():
    desk = make_desk()
    question = desk.put(REQUEST, why="", chat=None)

    assert desk.run_out("a", "too late")
    assert not desk.run_out("a", "again")
    assert (await question.answer).outcome == "timed-out"
    assert (await question.answer).why == "too late"
