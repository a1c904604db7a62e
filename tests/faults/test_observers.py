"""Those who watch a run raise, at every event; the run goes on, and nothing is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fault_kit import (
    BOOK,
    PATIENCE,
    Ferry,
    approve_what_waits,
    ferry_chat,
    hold_the_laws,
    steps,
)

import aistream_nb as ai
from aistream_nb.gate import Decided


def explode(*_told: object) -> None:
    raise ValueError("what was said: a secret word")


def at_the_conversation(chat: ai.Chat) -> None:
    chat.conversation.observe(explode)


def at_the_messages(chat: ai.Chat) -> None:
    def observe_new(change: Any) -> None:
        for message in change["new"]:
            message.observe(explode)

    chat.conversation.observe(observe_new, "messages")


def at_the_calls(chat: ai.Chat) -> None:
    def observe_new(change: Any) -> None:
        for call in change["new"].values():
            call.observe(explode, "status")

    chat.conversation.observe(observe_new, "tool_calls")


def as_a_subscriber(chat: ai.Chat) -> None:
    chat.conversation.subscribe(explode)


def at_the_gate(chat: ai.Chat) -> None:
    assert isinstance(chat.gate, ai.ApprovalGate)
    chat.gate.subscribe(explode)


WATCHED = [
    at_the_conversation,
    at_the_messages,
    at_the_calls,
    as_a_subscriber,
    at_the_gate,
]


@pytest.mark.parametrize("watch", WATCHED)
def test_an_observer_that_raises_ends_no_run(watch: Callable[..., None], caplog):
    ferry = Ferry()
    with steps() as turned, caplog.at_level(logging.WARNING):
        chat = ferry_chat(ferry)
        watch(chat)
        task = turned.start(chat.send(BOOK))
        for _ in range(PATIENCE):
            if task.done():
                break
            turned.once()
            approve_what_waits(chat)
        assert task.result().status == "finished"
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert len(ferry.booked) == 1
    assert "ValueError" in caplog.text
    assert "secret word" not in caplog.text
    assert len(caplog.records) < 30


def test_an_observer_that_stops_the_run_stops_it_once():
    with steps() as turned:
        chat = ferry_chat(Ferry())
        chat.conversation.observe(lambda _: chat.stop(), "tool_calls")
        task = turned.start(chat.send(BOOK))
        turned.until(task.done)
        assert task.result().status == "aborted"
        hold_the_laws(chat)
        turned.run(chat.aclose())


def test_an_observer_that_answers_the_question_answers_it():
    """The shortest way from a question to its answer: inside the event that asks."""
    ferry = Ferry()
    with steps() as turned:
        chat = ferry_chat(ferry)
        chat.conversation.subscribe(lambda _: approve_what_waits(chat))
        task = turned.start(chat.send(BOOK))
        turned.until(task.done)
        assert task.result().status == "finished"
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert len(ferry.booked) == 1


def test_an_observer_of_a_decision_that_decides_again_changes_nothing():
    ferry = Ferry()
    with steps() as turned:
        gate = ai.ApprovalGate()
        receipts: list[str] = []
        chat = ferry_chat(ferry, gate=gate)

        def deny_late(event: object) -> None:
            if isinstance(event, Decided) and event.pending is not None:
                late = gate.decide(event.pending.id, ai.Deny(reason="too late"))
                receipts.append(late.message)

        gate.subscribe(deny_late)
        chat.conversation.subscribe(lambda _: approve_what_waits(chat))
        task = turned.start(chat.send(BOOK))
        turned.until(task.done)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert len(ferry.booked) == 1
    assert receipts == ["already decided by you: proceed"]


def test_nobody_can_send_from_inside_a_run():
    refused: list[str] = []
    with steps() as turned:
        chat = ferry_chat(Ferry())

        def send(_change: object) -> None:
            try:
                chat.start("and also")
            except ai.AIStreamError as error:
                refused.append(str(error))

        chat.conversation.subscribe(send)
        chat.conversation.subscribe(lambda _: approve_what_waits(chat))
        task = turned.start(chat.send(BOOK))
        turned.until(task.done)
        hold_the_laws(chat)
        turned.run(chat.aclose())
    assert refused
    assert "chat.stop()" in refused[0]
