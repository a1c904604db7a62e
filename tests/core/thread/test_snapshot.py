from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.thread.snapshot import reconcile

HELD: list[dict[str, Any]] = [
    {"id": "u1", "role": "user"},
    {"id": "q1", "role": "reasoning"},
    {"id": "a1", "role": "activity", "activityType": "s"},
    {"id": "a2", "role": "activity", "activityType": "t"},
]


def kept(*roles: str, metadata: Any = None) -> list[str]:
    snapshot = [{"id": f"n{n}", "role": role} for n, role in enumerate(roles)]
    made = reconcile(HELD, snapshot, metadata=metadata)
    return [message["id"] for message in made if not message["id"].startswith("n")]


@pytest.mark.parametrize(
    ("roles", "left"),
    [
        ((), ["q1", "a1", "a2"]),
        (("user",), ["q1", "a1", "a2"]),
        (("reasoning",), ["a1", "a2"]),
        (("activity",), ["q1"]),
    ],
)
def test_what_only_the_client_knows_stays_unless_the_server_knows_such_things(
    roles: tuple[str, ...], left: list[str]
):
    assert kept(*roles) == left


@pytest.mark.parametrize(
    ("types", "left"),
    [
        (["s"], ["q1", "a2"]),
        ([], ["q1", "a1", "a2"]),
        (None, ["q1"]),
    ],
)
def test_the_server_may_say_which_activities_it_knows(types: Any, left: list[str]):
    metadata = {"@ag-ui/client": {"authoritativeActivityTypes": types}}
    assert kept("activity", metadata=metadata) == left
    assert kept(metadata={"@ag-ui/client": 3}) == ["q1", "a1", "a2"]


def test_two_messages_with_one_id_become_one_in_two_places():
    first, second = reconcile([HELD[0], HELD[0]], [{"id": "u1", "role": "user"}])
    assert first is second


def test_known_messages_are_replaced_in_place_and_new_ones_appended():
    snapshot = [
        {"id": "n1", "role": "user"},
        {"id": "u1", "role": "user", "content": "a"},
        {"id": "u1", "role": "user", "content": "b"},
        {"id": "n1", "role": "user"},
    ]
    made = reconcile(HELD[:1], snapshot)
    assert made == [snapshot[2], snapshot[0], snapshot[3]]
