from __future__ import annotations

import copy
from typing import Any

from aistream_nb.core.processor.callbacks import Activity, Problem
from aistream_nb.core.processor.processor import StreamProcessor

ADD = {"op": "add", "path": "/n", "value": 1}
SHOWN = {
    "type": "ACTIVITY_SNAPSHOT",
    "messageId": "x",
    "activityType": "plan",
    "content": {"steps": []},
}


class Heard:
    """A processor, and what it told."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self.problems: list[Problem] = []
        self.states: list[Any] = []
        self.activities: list[Activity] = []
        self.processor = StreamProcessor(
            callbacks={
                "on_problem": self.problems.append,
                "on_state_change": self.states.append,
                "on_activity_change": self.activities.append,
            }
        )
        for event in events:
            self.processor.receive(event)


def test_a_snapshot_replaces_the_state():
    heard = Heard({"type": "STATE_SNAPSHOT", "snapshot": None})
    assert heard.processor.shared_state is None
    assert heard.states == [None]


def test_a_delta_changes_the_state_and_not_what_was_handed_out():
    heard = Heard({"type": "STATE_SNAPSHOT", "snapshot": {"a": [1]}})
    before = heard.processor.shared_state
    kept = copy.deepcopy(before)
    heard.processor.receive({"type": "STATE_DELTA", "delta": [ADD]})
    assert heard.processor.shared_state == {"a": [1], "n": 1}
    assert before == kept


def test_a_delta_that_fails_changes_nothing_and_is_told():
    missing = {"op": "remove", "path": "/missing"}
    heard = Heard({"type": "STATE_DELTA", "delta": [ADD, missing]})
    assert heard.processor.shared_state == {}
    assert heard.states == []
    assert [problem.field for problem in heard.problems] == ["delta"]


def test_a_delta_whose_copies_have_no_end_changes_nothing_and_is_told_once():
    twice = {"op": "copy", "from": "", "path": "/-"}
    heard = Heard(
        {"type": "STATE_SNAPSHOT", "snapshot": [["x"]]},
        {"type": "STATE_DELTA", "delta": [twice] * 40},
    )
    assert heard.processor.shared_state == [["x"]]
    assert len(heard.states) == 1
    assert [problem.field for problem in heard.problems] == ["delta"]


def test_an_older_delta_sets_members():
    heard = Heard({"type": "STATE_DELTA", "delta": {"n": 1}})
    assert heard.processor.shared_state == {"n": 1}


def test_malformed_state_events_change_nothing_and_are_told():
    heard = Heard({"type": "STATE_SNAPSHOT"}, {"type": "STATE_DELTA", "delta": 7})
    assert heard.processor.shared_state == {}
    assert [problem.came for problem in heard.problems] == ["nothing", "int"]


def test_an_activity_is_shown_and_replaced():
    heard = Heard(SHOWN, {**SHOWN, "content": {"steps": [1]}})
    shown = Activity(id="x", activity_type="plan", content={"steps": [1]})
    assert heard.processor.activities == (shown,)
    assert heard.activities[-1] is heard.processor.activities[0]


def test_an_activity_may_ask_not_to_be_replaced():
    heard = Heard(SHOWN, {**SHOWN, "content": {}, "replace": False})
    assert heard.processor.activities[0].content == {"steps": []}


def change(patch: object, message_id: object = "x") -> dict[str, Any]:
    return {
        "type": "ACTIVITY_DELTA",
        "messageId": message_id,
        "activityType": "plan",
        "patch": patch,
    }


def test_an_activity_changes_as_a_whole_or_not_at_all():
    push = {"op": "add", "path": "/steps/-", "value": 1}
    heard = Heard(SHOWN, change([push]))
    assert heard.processor.activities[0].content == {"steps": [1]}
    heard.processor.receive(change([push, {"op": "remove", "path": "/missing"}]))
    assert heard.processor.activities[0].content == {"steps": [1]}
    assert [problem.field for problem in heard.problems] == ["patch"]


def test_an_activity_that_nobody_showed_cannot_change():
    heard = Heard(change([ADD]), change([ADD], 7), {**SHOWN, "messageId": None})
    assert heard.processor.activities == ()
    assert [problem.field for problem in heard.problems] == ["messageId"] * 2


def test_a_snapshot_of_messages_brings_its_activities():
    rows: list[Any] = [
        {"id": "x", "role": "activity", "activityType": "plan", "content": {}},
        {"id": 7, "role": "activity", "activityType": "plan"},
        {"id": "u", "role": "user", "content": "q"},
        7,
    ]
    heard = Heard({"type": "MESSAGES_SNAPSHOT", "messages": rows})
    assert [activity.id for activity in heard.processor.activities] == ["x"]
    assert [message.id for message in heard.processor.messages] == ["u"]


def test_nobody_has_to_listen():
    processor = StreamProcessor()
    for event in (SHOWN, {"type": "STATE_SNAPSHOT", "snapshot": 1}):
        processor.receive(event)
    assert processor.shared_state == 1
