"""A saved thread with an AG-UI server is gone on with; no tool of it runs again."""

from __future__ import annotations

from typing import Any

import pytest
from agui_kit import (
    AGUIServer,
    Charts,
    Said,
    allow,
    answer,
    call,
    finished,
    interrupted,
    remote,
    somebody,
    started,
    text,
    tool_messages,
    until,
)

import aistream_nb as ai
from aistream_nb.core.values import Event
from aistream_nb.testing import replay

SHOW = [started(), *call("c1", "show_chart", '{"kind": "bar"}'), finished("c1")]


def again_with(
    saved: ai.Recording, server: AGUIServer, charts: Charts, **options: Any
) -> ai.Chat:
    return ai.Chat.restore(
        saved,
        agent=server.agent(),
        tools=[charts.tool()],
        gate=options.pop("gate", allow),
        **options,
    )


def torn(recording: ai.Recording, what: str) -> ai.Recording:
    """What is left if the kernel died behind the first entry of a kind."""
    copy = ai.Recording(clock=lambda: 0.0, header=recording.header)
    for entry in recording.entries:
        event: Event = entry.event or {}
        if entry.event is None:
            copy._add(entry)
        else:
            copy.append(entry.event)
        if what in {event.get("type"), event.get("name")}:
            return copy
    raise AssertionError(what)


async def shown(charts: Charts, **options: Any) -> ai.Chat:
    server = AGUIServer(SHOW, answer("There it is."))
    chat = server.chat(tools=[charts.tool()], **options)
    await chat.send("Show me")
    return chat


async def test_the_thread_goes_on_and_the_server_is_told_all_of_it():
    charts = Charts()
    chat = await shown(charts, system="Be brief.")
    server = AGUIServer(answer("Gladly.", "answer_2"))

    again = again_with(chat.recording, server, charts)
    reply = await again.send("Thank you")

    assert reply.text == "Gladly."
    assert charts.shown == ["bar"]
    (request,) = server.requests
    assert request["threadId"] == "thread"
    assert request["runId"] == "run_3"
    assert [m["role"] for m in request["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert tool_messages(request) == [("c1", "shown bar")]
    assert again.violations == ()
    assert [one.round for one in again.recording.rounds] == [1, 2, 3]


async def test_saved_calls_are_history_for_the_tracker_and_the_ledger_says_so():
    charts = Charts()
    chat = await shown(charts)
    server = AGUIServer(SHOW, answer("As before.", "answer_2"))

    again = again_with(chat.recording, server, charts)
    (row,) = remote(again).tracker.ledger
    await again.send("Show it again")  # the server uses the same id

    assert row.outcome == "recorded"
    assert row.runs == 0
    assert row.why_not_run == "it was answered in history"
    assert charts.shown == ["bar"]
    assert remote(again).tracker.ledger.of("c1")[0].runs == 0


async def test_a_server_that_asks_for_an_answered_call_again_gets_the_saved_answer():
    charts = Charts()
    chat = await shown(charts)
    forgets = {"type": "MESSAGES_SNAPSHOT", "messages": []}
    anew = call("c1", "show_chart", '{"kind": "bar"}')
    server = AGUIServer(
        [started(), forgets, *anew, finished("c1")], answer("Yes", "answer_2")
    )

    again = again_with(chat.recording, server, charts)
    await again.send("Once more")

    assert charts.shown == ["bar"]
    assert tool_messages(server.requests[1]) == [("c1", "shown bar")]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("TOOL_CALL_END", "not run: the run ended before this call was answered"),
        ("aistream:executing", "the run ended while it ran; what it did is not known"),
    ],
)
async def test_a_call_that_a_kill_left_open_is_shown_as_interrupted_and_never_runs(
    what: str, words: str
):
    charts = Charts()
    left = torn((await shown(charts)).recording, what)
    charts.shown.clear()
    server = AGUIServer(answer("All right.", "answer_2"))

    again = again_with(left, server, charts)

    (model,) = again.conversation.tool_calls.values()
    assert model.status == "aborted"
    assert again.conversation.status == "aborted"
    (row,) = remote(again).tracker.ledger
    assert (row.outcome, row.runs) == ("restored", 0)
    assert row.why_not_run == "it is history, and nothing about it changed"
    await again.send("Go on")
    assert charts.shown == []
    assert tool_messages(server.requests[0]) == [("c1", words)]
    assert again.violations == ()


@pytest.mark.parametrize(
    "what", ["RUN_STARTED", "TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
)
async def test_a_torn_thread_that_went_on_can_be_replayed(what: str):
    charts = Charts()
    talk = [started(), *text("Look: "), *SHOW[1:]]
    server = AGUIServer(talk, answer("There it is."))
    chat = server.chat(tools=[charts.tool()])
    await chat.send("Show me")
    left = torn(chat.recording, what)
    again = again_with(left, AGUIServer(answer("All right.", "answer_2")), charts)

    await again.send("Go on")

    kinds = [e["type"] for e in again.recording.events]
    assert kinds.count("RUN_STARTED") == kinds.count("RUN_FINISHED") == 2
    assert again.violations == ()
    later = again_with(again.recording, AGUIServer(answer("Bye", "m3")), charts)
    assert thread_of(later) == thread_of(again)


def thread_of(chat: ai.Chat) -> Any:
    thread = remote(chat)._thread
    assert thread is not None
    return thread.messages, thread.state, thread.interrupts


async def test_a_kill_in_the_middle_of_a_tool_can_be_replayed():
    charts = Charts()
    left = torn((await shown(charts)).recording, "aistream:executing")
    again = again_with(left, AGUIServer(answer("All right.", "answer_2")), charts)
    await again.send("Go on")

    outcome = replay(again.recording, tools=[charts.tool()])

    assert outcome.check()


async def test_an_open_question_of_the_server_is_cancelled_with_the_next_message():
    question = {"id": "i1", "reason": "confirmation", "message": "Really?"}
    server = AGUIServer([started(), *text("Hm."), interrupted(question)])
    chat = server.chat(gate=ai.ApprovalGate())
    chat._view.audience = somebody
    run = chat.start("Delete it")
    await until(lambda: bool(chat.waiting))
    left = torn(chat.recording, "aistream:asked")
    chat.stop()
    await run
    later = AGUIServer(answer("Never mind.", "answer_2"))

    again = again_with(left, later, Charts(), gate=ai.ApprovalGate())

    assert not again.waiting
    await again.send("Leave it")
    assert later.requests[0]["resume"] == [{"interruptId": "i1", "status": "cancelled"}]


async def test_the_shared_state_is_as_it_was():
    says = [
        started(),
        {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}},
        *text("ok"),
        finished(),
    ]
    chat = AGUIServer(says).chat()
    await chat.send("Count")
    server = AGUIServer(answer("2", "answer_2"))

    again = again_with(chat.recording, server, Charts())

    assert again.state == again.conversation.state == {"n": 1}
    await again.send("Go on")
    assert server.requests[0]["state"] == {"n": 1}


async def test_a_decision_that_tanstack_wants_in_the_history_is_told_again():
    asks = [
        {"type": "RUN_STARTED"},
        {"type": "TOOL_CALL_START", "toolCallId": "c9", "toolName": "pay"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c9", "delta": "{}"},
        {"type": "TOOL_CALL_END", "toolCallId": "c9", "toolName": "pay"},
        interrupted({"id": "ask_c9", "reason": "tool_call", "toolCallId": "c9"}),
    ]
    says = [{"type": "RUN_STARTED", "model": "m"}, *text("Paid."), finished()]
    chat = AGUIServer(Said(events=asks), Said(events=says)).chat()
    await chat.send("Pay")
    server = AGUIServer(answer("Bye", "answer_2"))

    again = again_with(chat.recording, server, Charts())
    await again.send("Thanks")

    (held,) = [m for m in server.requests[0]["messages"] if m.get("parts")]
    assert held["parts"][0]["approval"]["approved"] is True
