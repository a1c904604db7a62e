from __future__ import annotations

from typing import Any

import pytest
from conversation_kit import (
    ASKED,
    call,
    custom,
    finished,
    result,
    run,
    started,
    text,
)

from aistream_nb.conversation import Change, Conversation
from aistream_nb.core.wire.events import EVENT_TYPES


def test_the_question_of_a_run_comes_before_its_answer():
    question = {"id": "u", "role": "user", "content": "Hi"}

    conversation = run(started(messages=[question]), *text("Hello"))

    assert [(m.id, m.role, m.text) for m in conversation.messages] == [
        ("u", "user", "Hi"),
        ("m", "assistant", "Hello"),
    ]


def test_history_that_is_known_is_not_repeated():
    question = {"id": "u", "role": "user", "content": "Hi"}
    more = {"id": "v", "role": "user", "content": "And?"}

    conversation = run(
        started(messages=[question]),
        finished(),
        started(messages=[question, more, 7]),
    )

    assert [m.id for m in conversation.messages] == ["u", "v"]


def test_a_message_follows_its_stream_when_it_is_read():
    conversation = run(started(), *text("a"))
    message = conversation.messages[-1]
    conversation.receive(text("b")[1])

    assert message.text == "ab"
    assert message.parts[0].content == "ab"
    assert repr(message) == "<assistant message: 'ab'>"


def test_an_observer_hears_of_every_delta():
    conversation = run(started(), *text("a"))
    heard: list[str] = []
    message = conversation.messages[-1]
    message.observe(lambda change: heard.append(change["new"]), "text")

    conversation.receive(text("b")[1])
    conversation.receive(text("c")[1])

    assert heard == ["ab", "abc"]


def test_nobody_is_told_of_what_did_not_change():
    conversation = run(started(), *text("a"))
    heard: list[Any] = []
    conversation.messages[-1].observe(heard.append, "role")

    conversation.receive(text("b")[1])

    assert heard == []


def test_a_subscriber_gets_one_change_for_each_event_until_it_leaves():
    conversation = Conversation()
    heard: list[Change] = []
    leave = conversation.subscribe(heard.append)
    conversation.receive_all([started(), *text("a"), text("b")[1]])
    leave()
    leave()
    conversation.receive(finished())

    assert [(c.messages, c.structure, c.growth, c.run) for c in heard] == [
        ((), False, False, True),
        ((), False, False, False),
        (("m",), True, False, True),
        (("m",), False, True, False),
    ]


def test_a_run_waits_while_a_person_is_asked():
    conversation = run(started(), *text("x"), *call(), ASKED)
    assert conversation.status == "waiting"

    conversation.receive(custom("aistream:decision", decision="deny", reason="no"))
    assert conversation.status == "running"
    assert conversation.tool_calls["c"].reason == "no"


def test_an_interrupted_run_goes_on_waiting():
    assert run(started(), finished("interrupt")).status == "waiting"


ENDS = {
    "finished": (finished(), "finished", ""),
    "cancelled": (finished("cancelled"), "aborted", ""),
    "failed": ({"type": "RUN_ERROR", "message": "gone"}, "error", "gone"),
    "failed, older spelling": (
        {"type": "RUN_ERROR", "error": {"message": "gone"}},
        "error",
        "gone",
    ),
    "failed without words": ({"type": "RUN_ERROR"}, "error", "An error occurred"),
}


@pytest.mark.parametrize(("event", "status", "error"), ENDS.values(), ids=ENDS)
def test_a_run_ends_in_one_way(event: dict[str, Any], status: str, error: str):
    conversation = run(started(), *text("x"), event)

    assert (conversation.status, conversation.error) == (status, error)


def test_a_new_run_forgets_the_last_error():
    conversation = run(started(), {"type": "RUN_ERROR", "message": "x"}, started())

    assert (conversation.status, conversation.error) == ("running", "")


def test_usage_is_summed_over_rounds_and_not_counted_twice():
    usage = {"inputTokens": 3, "outputTokens": 4, "model": "m", "odd": True}
    conversation = run(
        started(),
        {"type": "CUSTOM", "name": "aistream:round", "value": {"usage": usage}},
        {"type": "CUSTOM", "name": "aistream:round", "value": {}},
        finished(usage=[usage]),
        started(),
        finished(usage=[usage, "nonsense"]),
    )

    assert conversation.usage == {"inputTokens": 6, "outputTokens": 8}


def test_the_model_that_answered_last_is_told():
    told = {"type": "CUSTOM", "name": "aistream:round", "value": {"model": "m"}}

    assert run(started(), told).model == "m"


def test_the_times_of_a_run_are_those_of_its_events():
    conversation = run(
        started(),
        *text("x", timestamp=1500),
        text("y", timestamp=1700)[1],
        finished(timestamp=2000),
    )

    assert conversation.timing == {"started": 1.0, "first_token": 1.5, "ended": 2.0}


def test_text_before_any_run_has_no_time():
    assert run(*text("x", timestamp=1)).timing == {}


def test_a_timestamp_that_is_no_number_is_no_time():
    assert run({**started(), "timestamp": True}).timing == {"started": None}


def test_the_shared_state_can_be_observed():
    conversation = Conversation()
    heard: list[Any] = []
    conversation.observe(lambda change: heard.append(change["new"]), "state")

    conversation.receive({"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}})
    patch = [{"op": "replace", "path": "/n", "value": 2}]
    conversation.receive({"type": "STATE_DELTA", "delta": patch})

    assert heard == [{"n": 1}, {"n": 2}]


def test_a_snapshot_of_messages_replaces_what_was_there():
    snapshot = {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [{"id": "n", "role": "user", "content": "new"}],
    }
    conversation = run(started(), *text("old"), *call(), snapshot)

    assert [m.id for m in conversation.messages] == ["n"]
    assert conversation.message("m") is None


def test_a_message_that_is_gone_keeps_what_it_said():
    conversation = run(started(), *text("old"))
    message = conversation.messages[0]
    assert message.text == "old"

    conversation.receive({"type": "MESSAGES_SNAPSHOT", "messages": []})
    conversation.receive(finished("cancelled"))

    assert message.text == "old"
    assert message.tool_calls == ()


def test_a_call_whose_message_is_gone_is_forgotten():
    asked = custom("aistream:decision", decision="deny")
    conversation = run(started(), *text("x"), *call(), ASKED, asked)
    gone = conversation.tool_calls["c"]

    conversation.receive({"type": "MESSAGES_SNAPSHOT", "messages": []})
    assert conversation.tool_calls == {}
    conversation.receive_all([*text("y"), *call()])

    assert gone.name == "f"
    assert conversation.tool_calls["c"] is not gone
    assert conversation.tool_calls["c"].status == "ready"


def test_reset_starts_over_and_tells_everybody():
    conversation = run(started(), *text("x"), *call())
    heard: list[Change] = []
    conversation.subscribe(heard.append)

    conversation.reset()

    assert heard == [Change(reset=True, structure=True, run=True)]
    assert conversation.messages == ()
    assert conversation.tool_calls == {}
    assert conversation.status == "idle"


NONSENSE: list[Any] = [
    None,
    7,
    "no json",
    "[]",
    {},
    {"type": 5},
    {"type": "CUSTOM"},
    {"type": "CUSTOM", "name": "aistream:decision", "value": 3},
    custom("aistream:decision", decision="maybe"),
    custom("aistream:executing"),
    custom("approval-requested", approval=5),
    {"type": "RUN_STARTED", "input": []},
    {"type": "RUN_FINISHED", "outcome": 3, "usage": 4},
    {"type": "TOOL_CALL_ARGS", "toolCallId": []},
    {"type": "TOOL_CALL_RESULT"},
]


@pytest.mark.parametrize("event", NONSENSE, ids=repr)
def test_no_event_raises(event: Any):
    conversation = run(started(), *text("x"))

    conversation.receive(event)

    assert conversation.messages[0].text == "x"


def test_the_same_events_end_in_the_same_state():
    events = [started(), *text("x"), *call(), ASKED, result(), finished()]

    one, other = run(*events), run(*events)

    assert [m.parts for m in one.messages] == [m.parts for m in other.messages]
    assert one.timing == other.timing


@pytest.mark.parametrize("odd", [[], {}, [[1]], None, 5, "\ud800"])
def test_a_member_of_another_kind_raises_nothing(odd: object):
    conversation = Conversation()
    conversation.receive_all(
        [
            {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "act"},
            {
                "type": "CUSTOM",
                "name": "aistream:decision",
                "value": {"toolCallId": "c", "decision": odd},
            },
            {"type": "RUN_FINISHED", "outcome": {"type": odd}},
        ]
    )
    assert conversation.status == "finished"
    assert conversation.tool_calls["c"].decision is None


def test_depth_in_a_field_of_an_event_is_no_fault():
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    conversation = Conversation()
    for kind in EVENT_TYPES:
        for field in ("message", "name", "toolCallId", "value", "outcome", "messageId"):
            conversation.receive({"type": kind, field: deep})
    conversation.receive({"type": "RUN_ERROR", "message": deep})
    assert (conversation.status, conversation.error) == ("error", "<list>")
