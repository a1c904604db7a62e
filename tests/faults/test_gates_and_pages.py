"""Gates that fail and pages that lie: only a yes runs a tool, and only once."""

from __future__ import annotations

import asyncio
import http.server
import logging
import threading
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import pytest
from fault_kit import (
    BOOK,
    Ferry,
    Steps,
    approve_what_waits,
    ferry_chat,
    hold_the_laws,
    steps,
)

import aistream_nb as ai
from aistream_nb.core.tool_spec import Decision, GateRequest
from aistream_nb.errors import TurnError
from aistream_nb.widgets.transcript import TranscriptWidget

Gate = Callable[[GateRequest], Any]


async def raises(_request: GateRequest) -> Decision:
    raise ValueError("the gate is broken")


async def cancels_itself(_request: GateRequest) -> Decision:
    raise asyncio.CancelledError


def says(answer: object) -> Gate:
    async def gate(_request: GateRequest) -> Any:
        return answer

    return gate


def raises_at_once(_request: GateRequest) -> Awaitable[Decision]:
    raise KeyError("no coroutine")


GATES = {
    "raises": raises,
    "raises at once": raises_at_once,
    "cancels itself": cancels_itself,
    "says nothing": says(None),
    "says true": says(True),
    "says proceed in words": says("proceed"),
    "says the class": says(ai.Proceed),
    "says both": says((ai.Proceed(), ai.Deny())),
    "says a mapping": says({"decision": "proceed"}),
}


@pytest.mark.parametrize("gate", GATES.values(), ids=GATES.keys())
def test_a_gate_that_fails_runs_nothing_and_ends_the_run(gate: Gate):
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry, gate=gate)
        with pytest.raises(TurnError, match="get_forecast"):
            turned.run(chat.send(BOOK))
        assert chat.conversation.status == "error"
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert not ferry.booked


def test_a_gate_that_waits_for_ever_can_be_stopped():
    async def waits(_request: GateRequest) -> Decision:
        await asyncio.Event().wait()
        return ai.Proceed()

    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry, gate=waits)
        task = turned.start(chat.send(BOOK))
        turned.until(lambda: bool(chat.conversation.tool_calls))
        chat.stop()
        turned.until(task.done)
        assert task.result().status == "aborted"
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert not ferry.booked


def asked(turned: Steps, chat: ai.Chat) -> asyncio.Task[ai.Reply]:
    """A run that waits for a person."""
    task = turned.start(chat.send(BOOK))
    turned.until(lambda: bool(chat.waiting))
    return task


def test_an_answer_after_the_abort_decides_nothing():
    ferry = Ferry()
    with steps() as turned:
        gate = ai.ApprovalGate()
        chat = ferry_chat(ferry, gate=gate)
        task = asked(turned, chat)
        (question,) = gate.pending
        chat.stop()
        turned.until(task.done)
        receipt = gate.decide(question, ai.Proceed())
        assert not receipt.accepted
        assert "already decided by run: aborted" in receipt.message
        assert "No call waits" in chat.approve()
        turned.once()
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert not ferry.booked


def test_an_answer_and_a_stop_at_the_same_moment_run_nothing_twice():
    for stop_first in (True, False):
        ferry = Ferry()
        with steps() as turned:
            chat = ferry_chat(ferry)
            task = asked(turned, chat)
            if stop_first:
                chat.stop()
            chat.approve()
            chat.stop()
            turned.until(task.done)
            assert task.result().status == "aborted"
            hold_the_laws(chat)
            turned.run(chat.aclose())
        assert len(ferry.booked) <= 1


def test_two_threads_that_answer_at_once_answer_once():
    ferry = Ferry()
    with steps() as turned:
        gate = ai.ApprovalGate()
        chat = ferry_chat(ferry, gate=gate)
        task = asked(turned, chat)
        (question,) = gate.pending
        taken: list[bool] = []
        together = threading.Barrier(8)

        def answer(number: int) -> None:
            together.wait(5)
            said = ai.Deny() if number % 2 else ai.Proceed()
            taken.append(bool(gate.decide(question, said)))

        threads = [threading.Thread(target=answer, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        turned.until(task.done)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert taken.count(True) == 1
    (record,) = [one for one in gate.decisions if one.approval_id == question]
    assert len(ferry.booked) == (record.outcome == "proceed")


def test_two_chats_that_share_a_gate_do_not_hear_each_other():
    one_ferry, other_ferry = Ferry(), Ferry()
    with steps() as turned:
        gate = ai.ApprovalGate()
        one = ferry_chat(one_ferry, gate=gate, ids=None)
        other = ferry_chat(other_ferry, gate=gate, ids=None)
        tasks = [turned.start(chat.send(BOOK)) for chat in (one, other)]
        turned.until(lambda: len(gate.pending) == 2)
        assert (len(one.waiting), len(other.waiting)) == (1, 1)
        assert one.decide(None, ai.Proceed(), always=True) == "decided"
        turned.until(tasks[0].done)
        assert len(other.waiting) == 1
        other.deny(reason="not this one")
        turned.until(tasks[1].done)
        for chat in (one, other):
            hold_the_laws(chat)
            turned.run(chat.aclose())
    assert (len(one_ferry.booked), len(other_ferry.booked)) == (1, 0)


# ---------------------------------------------------------------- pages


def page_of(chat: ai.Chat) -> tuple[TranscriptWidget, list[dict[str, Any]]]:
    """The view of a chat, and what its pages were told."""
    widget = chat._view.widget()
    told: list[dict[str, Any]] = []
    vars(widget)["send"] = told.append
    return widget, told


def card_of(widget: TranscriptWidget) -> dict[str, Any]:
    """The open approval card in a snapshot, as a page that loads now sees it."""
    widget.flush()
    snapshot = widget.get_state("_snapshot")["_snapshot"]
    found = list(with_nonce(snapshot))
    assert len(found) == 1
    return found[0]


def with_nonce(value: Any) -> Generator[dict[str, Any], None, None]:
    if isinstance(value, dict):
        approval = value.get("approval")
        if isinstance(approval, dict) and "nonce" in approval:
            yield {
                "type": "decide",
                "call": value["id"],
                "approval": approval["id"],
                "nonce": approval["nonce"],
                "decision": "proceed",
            }
    if isinstance(value, (dict, list)):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from with_nonce(inside)


def test_two_views_that_click_at_the_same_moment_decide_once():
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry)
        widget, told = page_of(chat)
        task = asked(turned, chat)
        click = card_of(widget)
        for number, decision in enumerate(["proceed", "deny", "proceed"]):
            message = {**click, "id": f"view{number}", "decision": decision}
            widget._hear(widget, message, [])
        widget._hear(widget, {**click, "id": "view0"}, [])
        turned.until(task.done)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    answers = [one["accepted"] for one in told if "accepted" in one]
    assert answers == [True, False, False, True]  # the last: the first one, repeated
    assert len(ferry.booked) == 1


def test_a_page_that_is_loaded_again_while_a_call_waits_can_answer():
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry)
        widget, _ = page_of(chat)
        for page in ("before", "after"):
            ready = {"type": "ready", "id": page, "page": page, "views": 1}
            widget._hear(widget, ready, [])
        task = asked(turned, chat)
        gone = {"type": "ready", "id": "gone", "page": "before", "views": 0}
        widget._hear(widget, gone, [])
        assert widget.watched
        widget._hear(widget, {**card_of(widget), "id": "again"}, [])
        turned.until(task.done)
        assert task.result().status == "finished"
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert len(ferry.booked) == 1


HOSTILE = [
    None,
    5,
    "decide",
    [],
    {},
    {"type": "decide"},
    {"type": "decide", "id": "x" * 10_000},
    {"type": "send", "id": "1", "text": 5},
    {"type": "send", "id": "2", "text": "x" * 1_000_000},
    {"type": "send", "id": "3", "text": "\ud800"},
    {"type": "__class__", "id": "4"},
    {"type": "asset", "id": "5", "name": "../../etc/passwd"},
    {"type": "ready", "id": "6", "page": "p", "views": 10**30},
    {"type": "stop", "id": "7", **{f"key{n}" * 50: n for n in range(20_000)}},
    {"method": "update", "state": {"_esm": "alert(1)"}},
    {"type": "send", "id": "8", "text": "x" * 50_000_000},
    {"type": "edit", "id": "9", "message": "m" * 50_000_000, "text": "x"},
    {"type": "rows", "id": "10", "start": 0, "count": 10**400},
]


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_message_does_nothing_and_costs_little(content: Any, caplog):
    ferry = Ferry()
    with steps() as turned, caplog.at_level(logging.WARNING):
        chat = ferry_chat(ferry)
        widget, told = page_of(chat)
        task = asked(turned, chat)
        widget._hear(widget, content, [])
        assert len(chat.waiting) == 1
        assert not any(one.get("accepted") for one in told)
        assert len(caplog.text) < 2000
        approve_what_waits(chat)
        turned.until(task.done)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert len(ferry.booked) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "guessed"},
        {"approval": "approval_99"},
        {"call": "another"},
        {"decision": "yes"},
        {"arguments": "[1]"},
        {"arguments": "{not json"},
        {"arguments": "[" * 300_000},
        {"arguments": '{"route": 5}'},
    ],
)
def test_a_forged_yes_runs_nothing(change: dict[str, str]):
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry)
        widget, told = page_of(chat)
        task = asked(turned, chat)
        widget._hear(widget, {**card_of(widget), "id": "forged", **change}, [])
        assert [one["accepted"] for one in told if "accepted" in one] == [False]
        turned.once()
        assert not ferry.booked
        chat.stop()
        turned.until(task.done)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert not ferry.booked


@pytest.fixture
def visits() -> Generator[tuple[str, list[str]], None, None]:
    """A web server that nobody may visit: its address, and who came."""
    came: list[str] = []

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append(self.path)
            self.send_error(404)

    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/schema.json", came
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_a_strangers_schema_fetches_nothing(visits: tuple[str, list[str]]):
    """A server describes its tools; checking edited arguments must not visit it."""
    url, came = visits
    schema = {"type": "object", "properties": {"a": {"$ref": url}}}
    conversation = ai.Conversation()
    ids = {"toolCallId": "c"}
    approval = {"id": "q", "needsApproval": True}
    for event in (
        {
            "type": "RUN_STARTED",
            "threadId": "t",
            "runId": "r",
            "input": {"tools": [{"name": "act", "parameters": schema}]},
        },
        {"type": "TOOL_CALL_START", "toolCallName": "act", **ids},
        {"type": "TOOL_CALL_END", **ids},
        {
            "type": "CUSTOM",
            "name": "aistream:asked",
            "value": {"toolName": "act", "input": {}, "approval": approval, **ids},
        },
    ):
        conversation.receive(event)
    widget = TranscriptWidget(conversation, on_action=lambda _: "")
    told: list[dict[str, Any]] = []
    vars(widget)["send"] = told.append
    click = {**card_of(widget), "id": "1", "arguments": '{"a": 1}'}
    widget._hear(widget, click, [])
    assert came == []
    (answer,) = [one for one in told if "accepted" in one]
    assert not answer["accepted"]
    assert "not part of it" in answer["why"]
    widget.close()
