from __future__ import annotations

from typing import Any

import pytest
from conversation_kit import (
    ASKED,
    FAILED,
    call,
    custom,
    finished,
    result,
    run,
    started,
    text,
)

from aistream_nb.core.call_status import SETTLED

STATUSES = {
    "writing arguments": (call()[:2], "streaming"),
    "arguments written": (call(), "ready"),
    "asked": ([*call(), ASKED], "awaiting-approval"),
    "approved": (
        [*call(), ASKED, custom("aistream:decision", decision="proceed")],
        "approved",
    ),
    "running": ([*call(), custom("aistream:executing")], "executing"),
    "done": ([*call(), custom("aistream:executing"), result()], "complete"),
    "failed": ([*call(), result("boom", **FAILED)], "error"),
    "denied": (
        [
            *call(),
            custom("aistream:decision", decision="deny", reason="no", by="you"),
            result("no", **FAILED),
        ],
        "denied",
    ),
    "stopped while running": (
        [*call(), custom("aistream:executing"), finished("cancelled")],
        "aborted",
    ),
    "broken while writing": (
        [*call()[:2], {"type": "RUN_ERROR", "message": "x"}],
        "aborted",
    ),
    "left for the client": ([*call(), finished()], "ready"),
    "answered before the end": (
        [*call(), result(), finished("cancelled")],
        "complete",
    ),
    "never ended by the server": ([*call()[:2], finished()], "ready"),
}


@pytest.mark.parametrize(("events", "status"), STATUSES.values(), ids=STATUSES)
def test_a_call_says_in_one_word_how_far_it_is(
    events: list[dict[str, Any]], status: str
):
    conversation = run(started(), *text("x"), *events)

    assert conversation.tool_calls["c"].status == status


def test_a_call_that_broke_off_is_settled():
    conversation = run(
        started(), *text("x"), *call()[:2], {"type": "RUN_ERROR", "message": "x"}
    )

    assert conversation.tool_calls["c"].status in SETTLED


def test_a_call_tells_what_is_known_of_it():
    tool = {
        "name": "f",
        "parameters": {"type": "object"},
        "metadata": {"aistream": {"annotations": {"destructiveHint": True}}},
    }
    conversation = run(
        started(tools=[tool]),
        *text("x"),
        *[{**event, "timestamp": 2000} for event in call()],
        ASKED,
        custom(
            "aistream:decision",
            approvalId="a",
            decision="proceed",
            by="you",
            arguments={"x": 2},
        )
        | {"timestamp": 3000},
        result(timestamp=5000),
    )
    model = conversation.tool_calls["c"]

    assert model.name == "f"
    assert model.args == {"x": 1}
    assert model.annotations == {"destructiveHint": True}
    assert model.parameters == {"type": "object"}
    assert (model.decision, model.decided_by) == ("proceed", "you")
    assert model.decided_at == 3.0
    assert model.edited_arguments == {"x": 2}
    assert not model.by_server
    assert model.approval_id == "a"
    assert (model.started_at, model.ended_at) == (2.0, 5.0)
    assert model.result == "42"
    assert model.error is None
    assert model.message_id == "m"
    assert conversation.message("m") is conversation.messages[0]
    assert conversation.messages[0].tool_calls == (model,)
    assert repr(model) == "<tool call f: complete>"


def test_an_agent_tells_of_its_own_tools_in_the_metadata():
    tool = {"name": "f", "parameters": {"type": "object"}}
    began = {**started(), "metadata": {"aistream": {"tools": [tool]}}}

    conversation = run(began, *text("x"), *call())

    assert conversation.tool_calls["c"].parameters == {"type": "object"}


def test_a_failed_call_keeps_its_reason():
    conversation = run(started(), *text("x"), *call(), result("boom", **FAILED))

    assert conversation.tool_calls["c"].error == "boom"


def test_arguments_that_say_nothing_yet_are_none():
    conversation = run(started(), *text("x"), call()[0])

    assert conversation.tool_calls["c"].args is None


def test_a_call_that_nobody_here_decided_or_ran_was_the_server_s():
    conversation = run(started(), *text("x"), *call(), result())

    assert conversation.tool_calls["c"].by_server


def test_a_call_knows_when_it_was_asked_about_and_when_it_began_to_run():
    conversation = run(
        started(),
        *text("x"),
        *call(),
        {**ASKED, "timestamp": 2000},
        {**custom("aistream:decision", decision="proceed"), "timestamp": 9000},
        {**custom("aistream:executing"), "timestamp": 9001},
        {**result(), "timestamp": 9500},
    )

    found = conversation.tool_calls["c"]
    assert (found.asked_at, found.decided_at) == (2.0, 9.0)
    assert (found.executed_at, found.ended_at) == (9.001, 9.5)
