from __future__ import annotations

import asyncio

import pytest
from chat_kit import Agent, offline, somebody, until

import aistream_nb as ai
from aistream_nb.chat.ids import counted_ids
from aistream_nb.core.bridge import TurnBridge
from aistream_nb.core.tool_spec import GateRequest
from aistream_nb.core.turn_events import TextDelta, ToolCallDone, ToolCallStart
from aistream_nb.errors import AIStreamError, OrderingError, ProviderStreamError
from aistream_nb.providers.offline import (
    OFFLINE_BOOKING_PROMPT,
    OFFLINE_PROMPT,
    Fault,
)

# ---------------------------------------------------------------- talking


async def test_a_question_that_only_looks_things_up_is_answered():
    chat = offline()

    reply = await chat.send(OFFLINE_PROMPT)

    assert reply.status == "finished"
    assert reply.text.startswith("Take the ferry.")
    assert [c.status for c in reply.tool_calls.values()] == ["complete", "complete"]
    assert chat.violations == ()
    assert chat.conversation.messages[-1].text == reply.text
    assert chat.conversation.messages[0].text == OFFLINE_PROMPT
    assert chat.conversation.usage["outputTokens"] > 0


async def test_where_nobody_watches_a_destructive_tool_is_denied_with_a_reason():
    chat = offline()

    reply = await chat.send(OFFLINE_BOOKING_PROMPT)

    (booking,) = [c for c in reply.tool_calls.values() if c.name == "book_ferry"]
    assert booking.status == "denied"
    assert "nobody was watching" in booking.reason
    assert reply.status == "finished"


async def test_a_tool_that_is_approved_runs_once_and_the_answer_goes_on():
    booked: list[str] = []

    @ai.tool(destructive=True)
    def book_ferry(
        route: str, date: str, departure: str, adults: int, pets: int
    ) -> str:
        """Book a ferry."""
        booked.append(departure)
        return "booked"

    chat = offline(tools=[book_ferry], gate=ai.ApprovalGate())
    chat._view.audience = somebody  # a person watches
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))

    assert chat.conversation.status == "waiting"
    assert chat.approve() == "decided"
    reply = await run

    assert booked == ["08:30"]
    assert reply.tool_calls[reply.messages[0].tool_calls[0].id].decided_by == "you"
    assert run.done


async def test_a_denied_tool_does_not_run_and_the_model_hears_the_reason():
    chat = offline()
    chat._view.audience = somebody  # a person watches
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))

    chat.deny(reason="we have changed our minds")
    reply = await run

    assert "we have changed our minds" in reply.text


async def test_a_second_run_is_refused_while_one_goes_on():
    agent = Agent()
    chat = ai.Chat(agent)
    run = chat.start("one")

    with pytest.raises(AIStreamError, match="still going on"):
        await chat.send("two")
    with pytest.raises(AIStreamError, match="still going on"):
        chat.start("two")
    assert repr(run) == "<run: going on>"
    agent.go_on.set()
    await run

    assert (await chat.send("three")).status == "finished"


def test_a_background_run_needs_a_loop():
    with pytest.raises(AIStreamError, match=r"asyncio\.run"):
        ai.Chat(Agent()).start("x")


async def test_a_failure_is_raised_and_what_had_arrived_is_kept():
    chat = offline(faults=[Fault(kind="cut", after=25)])

    with pytest.raises(ProviderStreamError):
        await chat.send(OFFLINE_PROMPT)

    assert chat.conversation.status == "error"
    assert chat.conversation.messages[-1].thinking
    assert chat.recording.events[-1]["type"] == "RUN_ERROR"


async def test_a_failure_nobody_awaits_is_still_shown():
    chat = offline(faults=[Fault(kind="cut", after=25)])

    run = chat.start(OFFLINE_PROMPT)
    await until(lambda: run.done)

    assert chat.conversation.status == "error"


async def test_a_conversation_goes_on_over_several_sends():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)

    reply = await chat.send(OFFLINE_BOOKING_PROMPT)

    assert len({message.id for message in chat.conversation.messages}) == len(
        chat.conversation.messages
    )
    assert reply.messages[0] not in chat.conversation.messages[:3]


# ---------------------------------------------------------------- asking anew


async def test_a_retry_takes_the_place_of_the_last_answer():
    chat = offline()
    await chat.send("call get_forecast {}")
    first = await chat.send(OFFLINE_PROMPT)

    again = await chat.retry()

    assert again.text == first.text
    assert [m.role for m in chat.conversation.messages].count("user") == 2
    assert first.messages[-1] not in chat.conversation.messages
    assert not [v for v in chat.violations if v.level == "fatal"]


async def test_an_edited_question_forgets_what_came_after():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)
    await chat.send(OFFLINE_BOOKING_PROMPT)
    question = chat.conversation.messages[0]

    reply = await chat.edit(question.id, OFFLINE_BOOKING_PROMPT)

    asked = [m.text for m in chat.conversation.messages if m.role == "user"]
    assert asked == [OFFLINE_BOOKING_PROMPT]
    assert "booked nothing" in reply.text


async def test_only_a_question_can_be_asked_anew():
    chat = offline()
    with pytest.raises(AIStreamError, match="Nothing was asked"):
        await chat.retry()
    with pytest.raises(AIStreamError, match="no question 'x'"):
        await chat.edit("x", "y")

    assert (await chat.send(OFFLINE_PROMPT)).status == "finished"


async def test_an_agent_that_cannot_forget_says_so():
    agent = Agent()
    agent.go_on.set()
    chat = ai.Chat(agent)
    await chat.send("one")

    with pytest.raises(AIStreamError, match="cannot forget"):
        await chat.retry()


async def test_a_question_the_agent_does_not_know_is_not_lost():
    chat = offline()
    question = {"id": "u", "role": "user", "content": "from elsewhere"}
    chat._journal.emit({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})
    chat._journal.emit({"type": "MESSAGES_SNAPSHOT", "messages": [question]})

    with pytest.raises(AIStreamError, match="does not remember"):
        await chat.edit("u", "x")

    assert chat.conversation.messages[0].text == "from elsewhere"


# ---------------------------------------------------------------- stopping


async def test_a_stopped_run_keeps_what_had_arrived_and_aborts_its_calls():
    bridge = TurnBridge(thread_id="t", run_id="r", new_id=counted_ids())
    bridge.open_round(provider="p", model="m")
    events = [
        *bridge.receive(TextDelta(delta="so far")),
        *bridge.receive(ToolCallStart(tool_name="f", call_id="c")),
        *bridge.receive(ToolCallDone(tool_name="f", call_id="c", arguments={})),
    ]
    agent = Agent(*events)
    chat = ai.Chat(agent)
    run = chat.start("go")
    await agent.reached.wait()

    run.stop()
    reply = await run

    assert reply.status == "aborted"
    assert reply.messages[0].text == "so far"
    assert chat.conversation.tool_calls["c"].status == "aborted"


async def test_stopping_when_nothing_runs_does_nothing():
    chat = ai.Chat(Agent())
    chat.stop()

    assert not chat.busy


async def test_an_interrupt_aborts_the_run_and_goes_on_up():
    agent = Agent()
    chat = ai.Chat(agent)
    sending = asyncio.ensure_future(chat.send("go"))  # noqa: TID251 # the cell, which is cancelled
    await agent.reached.wait()

    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending

    assert chat.conversation.status == "aborted"
    agent.go_on.set()
    assert (await chat.send("again")).status == "finished"


async def test_closing_ends_the_run_and_the_connection():
    agent = Agent()
    chat = ai.Chat(agent)
    run = chat.start("go")
    await agent.reached.wait()

    await chat.aclose()

    assert run.done
    assert agent.closed


# ---------------------------------------------------------------- deciding


async def test_deciding_says_what_became_of_it():
    chat = offline()

    assert chat.approve() == "No call waits."
    assert chat.deny("c") == "No call 'c' waits for a decision."


async def test_of_several_waiting_calls_one_must_be_named():
    asked = [
        {
            "type": "CUSTOM",
            "name": "aistream:asked",
            "value": {"toolCallId": call, "approval": {"id": f"approval {call}"}},
        }
        for call in "ab"
    ]
    calls = [
        {"type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "f"}
        for call in "ab"
    ]
    chat = ai.Chat(Agent())
    chat.conversation.receive_all([*calls, *asked])

    assert "name one of ['a', 'b']" in chat.approve()
    assert "no question" in chat.approve("a") or chat.approve("a")


async def test_a_gate_of_your_own_is_asked_and_its_answer_is_recorded():
    async def gate(request: GateRequest) -> ai.Deny:
        return ai.Deny(reason=f"not {request.tool.name}")

    chat = offline(gate=gate)
    reply = await chat.send(OFFLINE_PROMPT)

    assert {c.status for c in reply.tool_calls.values()} == {"denied"}
    assert {c.decided_by for c in reply.tool_calls.values()} == {"gate"}
    assert chat.gate is gate
    chat.conversation.receive_all(
        [
            {"type": "TOOL_CALL_START", "toolCallId": "z", "toolCallName": "f"},
            {
                "type": "CUSTOM",
                "name": "aistream:asked",
                "value": {"toolCallId": "z", "approval": {"id": "q"}},
            },
        ]
    )
    assert chat.approve("z") == "This chat's gate does not ask people."


def test_a_gate_in_a_with_block_is_the_gate_of_the_chats_made_inside():
    with ai.ApprovalGate(ask="never") as gate:
        assert offline().gate is gate
    assert offline().gate is not gate


# ---------------------------------------------------------------- order


async def test_a_violation_is_kept_and_the_run_goes_on():
    wrong = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}
    agent = Agent(wrong)
    agent.go_on.set()
    chat = ai.Chat(agent)

    reply = await chat.send("go")

    assert reply.status == "finished"
    assert [v.rule for v in chat.violations] == ["text.content_unopened"]


async def test_a_strict_chat_raises_at_the_first_violation():
    wrong = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}
    chat = ai.Chat(Agent(wrong), strict=True)

    with pytest.raises(OrderingError) as raised:
        await chat.send("go")

    assert raised.value.rule == "text.content_unopened"
    assert raised.value.index == 1


# ---------------------------------------------------------------- looking


async def test_a_chat_has_a_static_form_that_is_the_same_each_time():
    chat = offline()
    before = chat._repr_mimebundle_()
    await chat.send(OFFLINE_PROMPT)
    after, again = chat._repr_mimebundle_(), chat._repr_mimebundle_()

    assert set(after) == {"text/plain", "text/html"}
    assert after == again != before
    assert "Take the ferry" in after["text/plain"]
    assert "<script" not in after["text/html"]
    assert repr(chat) == "Chat('offline')"
    assert [tool.spec.name for tool in chat.tools] == [
        "get_forecast",
        "list_departures",
        "book_ferry",
    ]


async def test_a_recording_says_enough_to_be_replayed():
    chat = offline()
    await chat.send(OFFLINE_PROMPT)

    assert chat.recording.header["provider"] == "anthropic"
    assert chat.recording.header["agent"] == "offline"
    assert len(chat.recording.rounds) == 2
    assert b"message_stop" in chat.recording.rounds[0].body
    types = [event["type"] for event in chat.recording.events]
    assert (types[0], types[-1]) == ("RUN_STARTED", "RUN_FINISHED")
