from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.recording import Recording
from aistream_nb.testing.script_of import (
    Question,
    answers_of,
    loose_calls,
    questions_of,
    requests_of,
)


def made(*steps: Any) -> Recording:
    """A recording of events, and of wire entries as (round, what)."""
    recording = Recording(clock=lambda: 0.0)
    for step in steps:
        if not isinstance(step, tuple):
            recording.append(step)
        elif isinstance(step[1], bytes):
            recording.append_wire(step[0], content=step[1])
        else:
            recording.append_wire(step[0], request=step[1])
    return recording


def started(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RUN_STARTED", "input": {"messages": list(messages)}}


def user(text: str, name: str) -> dict[str, Any]:
    return {"id": name, "role": "user", "content": text}


FINISHED = {"type": "RUN_FINISHED"}
CANCELLED = {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}


def failed(code: str, message: str = "no") -> dict[str, Any]:
    return {"type": "RUN_ERROR", "code": code, "message": message}


def test_each_request_has_its_own_answer_also_where_it_was_made_again():
    recording = made(
        started(),
        (1, {"body": {"n": 1}}),
        (1, {"body": {"n": 1}}),
        (1, b"one"),
        (1, b" more"),
        (2, {"body": {"n": 2}}),
        (2, b"two"),
        FINISHED,
    )

    busy, first, second = answers_of(recording)

    assert isinstance(busy.error, ProviderStatusError)
    assert first.pieces == [b"one", b" more"]
    assert second.pieces == [b"two"]
    assert not second.stops
    assert [body["n"] for body in requests_of(recording)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("code", "message", "pieces", "kind"),
    [
        ("http_500", "out of order", (), ProviderStatusError),
        ("ProviderConnectionError", "nobody home", (), ProviderConnectionError),
        ("ProviderStreamError", "JSON instead", (), ProviderStreamError),
        (
            "ProviderStreamError",
            "the stream broke off: x",
            (b"a",),
            ProviderStreamError,
        ),
    ],
)
def test_a_failure_is_the_same_failure(
    code: str, message: str, pieces: tuple[bytes, ...], kind: type[Exception]
):
    answered = [(1, piece) for piece in pieces]
    (answer,) = answers_of(made(started(), (1, {}), *answered, failed(code, message)))

    assert type(answer.error) is kind
    assert message in str(answer.error)


@pytest.mark.parametrize("code", ["TurnError", "ProviderStreamError", "http_x"])
def test_a_failure_that_the_stream_tells_needs_no_other(code: str):
    (answer,) = answers_of(made(started(), (1, {}), (1, b"a"), failed(code)))

    assert answer.error is None


def test_a_run_that_was_stopped_or_cut_off_stops_behind_its_last_piece():
    assert answers_of(made(started(), (1, {}), (1, b"a"), CANCELLED))[0].stops
    assert answers_of(made(started(), (1, {}), (1, b"a")))[0].stops


def test_bytes_without_a_request_are_an_answer_too():
    assert answers_of(made((1, b"a")))[0].pieces == [b"a"]


def test_questions_are_told_once_with_how_their_runs_ended():
    kept = {"type": "MESSAGES_SNAPSHOT", "messages": [user("x", "0"), user("c", "3")]}
    recording = made(
        {"type": "CUSTOM"},
        started(user("a", "1")),
        FINISHED,
        started(user("a", "1"), {"role": "tool", "toolCallId": "t"}),
        FINISHED,
        started(user("a", "1")),
        FINISHED,
        started(user("b", "2")),
        failed("x"),
        started(user("c", "3")),
        kept,
        CANCELLED,
        started(user("d", "4")),
    )

    assert questions_of(recording) == [
        Question(text="a"),
        Question(text="b", ending="failed"),
        Question(text="c", place=1, ending="cancelled"),
        Question(text="d", ending="cut off"),
    ]


def test_calls_that_a_stop_left_open_are_told_apart():
    def custom(name: str, call_id: str) -> dict[str, Any]:
        return {"type": "CUSTOM", "name": name, "value": {"toolCallId": call_id}}

    def begun(call_id: str, name: str) -> dict[str, Any]:
        kind = "TOOL_CALL_START"
        return {"type": kind, "toolCallId": call_id, "toolCallName": name}

    loose = loose_calls(
        made(
            started(),
            begun("1", "look"),
            custom("aistream:executing", "1"),
            {"type": "TOOL_CALL_RESULT", "toolCallId": "1"},
            begun("2", "look"),
            custom("aistream:executing", "2"),
            begun("3", "book"),
            custom("aistream:asked", "3"),
            CANCELLED,
        )
    )

    assert loose.ran == {"look": 2}
    assert loose.at_work == {"look": {1}}
    assert loose.in_question == {"3": 1}


def test_questions_without_ids_are_all_told():
    asked = {"role": "user", "content": "Hi"}

    questions = questions_of(made(started(asked), started(asked)))

    assert [one.text for one in questions] == ["Hi", "Hi"]
