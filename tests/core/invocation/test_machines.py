"""The tables are walked: no path runs a call twice."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.invocation import machines as invocation
from aistream_nb.core.invocation.machines import (
    CONDITIONS,
    MACHINES,
    OPENING,
    OUTCOME,
    OWNER,
    REPORT_WHEN,
    Condition,
    Input,
    Move,
    Opening,
    Outcome,
    Owner,
    Permission,
    Standing,
    diagram,
)

STARTS = (Outcome.PENDING, Outcome.RESTORED, Outcome.RECORDED)
PARTS = ("opening", "input", "permission", "owner", "outcome")


def state_of(standing: Standing) -> tuple[Any, ...]:
    return tuple(getattr(standing, name) for name in PARTS)


def standing_at(state: tuple[Any, ...]) -> Standing:
    standing = Standing()
    for name, value in zip(PARTS, state, strict=True):
        setattr(standing, name, value)
    return standing


def walk(start: Outcome, *, gated: bool) -> Iterator[tuple[Any, Move, Any]]:
    """Every move that any path can make: (state before, move, state after)."""
    first = state_of(Standing(outcome=start, gated=gated))
    todo, seen = [first], {first}
    while todo:
        before = todo.pop()
        for move in Move:
            standing = standing_at(before)
            if standing.move(move):
                after = state_of(standing)
                yield before, move, after
                if after not in seen:
                    seen.add(after)
                    todo.append(after)


def most(move: Move, start: Outcome, *, gated: bool) -> int:
    """How often the most that any path can make ``move``, up to 2."""
    edges: dict[Any, list[tuple[Move, Any]]] = {}
    for before, made, after in walk(start, gated=gated):
        edges.setdefault(before, []).append((made, after))
    first = state_of(Standing(outcome=start, gated=gated))
    best = {first: 0}
    todo = [first]
    while todo:
        before = todo.pop()
        for made, after in edges.get(before, []):
            count = min(2, best[before] + (made is move))
            if count > best.get(after, -1):
                best[after] = count
                todo.append(after)
    return max(best.values())


@contextmanager
def table(name: str, state: Any, row: Mapping[Move, Any]) -> Generator[None]:
    """The tables with one row replaced."""
    machine: dict[Any, Any] = MACHINES[name]  # pyright: ignore[reportAssignmentType] -- broken on purpose
    kept = machine[state]
    machine[state] = row
    try:
        yield
    finally:
        machine[state] = kept


# ---------------------------------------------------------------- the walk


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("move", [Move.CLAIM, Move.INVOKE, Move.OPEN, Move.SETTLE])
def test_no_path_makes_a_call_run_open_or_settle_twice(
    move: Move, start: Outcome, *, gated: bool
) -> None:
    assert most(move, start, gated=gated) == 1


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("start", [Outcome.RESTORED, Outcome.RECORDED])
def test_a_restored_call_never_runs_without_promotion(
    start: Outcome, *, gated: bool
) -> None:
    table_without = {
        state: {m: after for m, after in row.items() if m is not Move.PROMOTE}
        for state, row in OUTCOME.items()
    }
    with table("outcome", Outcome.RESTORED, table_without[Outcome.RESTORED]):
        assert most(Move.CLAIM, start, gated=gated) == 0
        assert most(Move.INVOKE, start, gated=gated) == 0


@pytest.mark.parametrize("start", STARTS)
def test_an_answered_call_never_begins_to_run(start: Outcome) -> None:
    for before, move, _ in walk(start, gated=True):
        if move in {Move.CLAIM, Move.INVOKE}:
            assert standing_at(before).outcome not in invocation.RESOLVED


def test_a_call_runs_only_with_whole_arguments_and_if_it_is_ours() -> None:
    for before, move, _ in walk(Outcome.PENDING, gated=True):
        if move is Move.INVOKE:
            standing = standing_at(before)
            assert standing.input is Input.COMPLETE
            assert standing.owner is Owner.OURS
            assert standing.permission is Permission.APPROVED


def test_a_gated_call_is_not_invoked_before_its_gate_was_asked() -> None:
    with table("permission", Permission.UNASKED, {}):
        assert most(Move.INVOKE, Outcome.PENDING, gated=True) == 0


def test_an_abandoned_call_does_nothing_any_more_but_end_its_text() -> None:
    for before, move, _ in walk(Outcome.PENDING, gated=True):
        if standing_at(before).outcome is Outcome.ABANDONED:
            assert move not in {Move.OPEN, Move.CLAIM, Move.INVOKE, Move.SETTLE}
            assert move not in {Move.ANSWER, Move.ASK, Move.MUTE}


# ---------------------------------------------------------------- the tables


@pytest.mark.parametrize("name", MACHINES)
def test_every_state_has_a_row_in_the_order_of_its_enum(name: str) -> None:
    states = list(MACHINES[name])
    assert states == list(type(states[0]))


@pytest.mark.parametrize("name", MACHINES)
def test_every_state_but_the_first_can_be_reached(name: str) -> None:
    reached = {
        getattr(standing_at(after), name)
        for start in STARTS
        for gated in (False, True)
        for _, _, after in walk(start, gated=gated)
    }
    firsts = {getattr(Standing(outcome=start), name) for start in STARTS}
    assert set(MACHINES[name]) == reached | firsts | {Permission.UNASKED} & set(
        MACHINES[name]
    )


def test_every_move_belongs_to_one_machine() -> None:
    owners = {
        move: {
            name
            for name, rows in MACHINES.items()
            if any(move in row for row in rows.values())
        }
        for move in Move
    }
    assert all(len(names) == 1 for names in owners.values())


def test_conditions_name_moves_that_exist_in_the_tables() -> None:
    assert set(CONDITIONS) <= set(Move)


@pytest.mark.parametrize("state", [Opening.OPENED, Opening.MISSED, Owner.PROVIDERS])
def test_end_states_have_an_empty_row(state: Any) -> None:
    rows: Mapping[Any, Any] = OPENING if isinstance(state, Opening) else OWNER
    assert rows[state] == {}


# ---------------------------------------------------------------- one standing


@given(st.lists(st.sampled_from(list(Move)), max_size=40), st.sampled_from(STARTS))
def test_a_refused_move_changes_nothing(moves: list[Move], start: Outcome) -> None:
    standing = Standing(outcome=start, gated=len(moves) % 2 == 0)
    for move in moves:
        before, path = state_of(standing), list(standing.path)
        allowed = standing.allows(move)
        assert standing.move(move) is allowed
        if not allowed:
            assert (state_of(standing), standing.path) == (before, path)
        assert standing.resolved == (standing.outcome in invocation.RESOLVED)
    assert standing.path.count(Move.INVOKE) <= 1
    assert standing.invoked == (Move.INVOKE in standing.path)


def test_a_late_approval_of_the_provider_keeps_the_value_from_the_host() -> None:
    standing = Standing()
    for move in (Move.CLOSE, Move.OWN, Move.CLAIM, Move.INVOKE, Move.CEDE, Move.SETTLE):
        assert standing.move(move)
    assert standing.outcome is Outcome.SETTLED
    assert not REPORT_WHEN.met_by(standing)


def test_the_own_gates_question_is_not_taken_for_the_providers() -> None:
    standing = Standing(gated=True)
    for move in (Move.CLOSE, Move.OWN, Move.CLAIM, Move.ASK):
        assert standing.move(move)
    assert not standing.move(Move.CEDE)


def test_in_flight_is_between_claim_and_settle() -> None:
    standing = Standing()
    seen = [standing.in_flight]
    for move in (Move.CLOSE, Move.OWN, Move.CLAIM, Move.INVOKE, Move.SETTLE):
        standing.move(move)
        seen.append(standing.in_flight)
    assert seen == [False, False, False, True, True, False]


def test_a_back_and_forth_of_the_text_is_noted_once() -> None:
    standing = Standing()
    standing.move(Move.RECEIVE)
    for _ in range(50):
        standing.move(Move.DIVERGE)
        standing.move(Move.REJOIN)
    assert standing.path == [Move.RECEIVE, Move.DIVERGE, Move.REJOIN]


# ---------------------------------------------------------------- the drawing


def test_the_diagram_shows_every_row() -> None:
    drawn = diagram()
    for name, rows in MACHINES.items():
        assert f'state "{name}" as {name} {{' in drawn
        for state, row in rows.items():
            assert f"{name}_{state.name.lower()} : {state.value}" in drawn
            for move, after in row.items():
                arrow = f"{name}_{state.name.lower()} --> {name}_{after.name.lower()}"
                assert f"{arrow} : {move.value}" in drawn


# ---------------------------------------------------------------- mutations

BREAKAGES: dict[str, tuple[str, Any, dict[Move, Any], Move]] = {
    "a settled call may be pending again": (
        "outcome",
        Outcome.SETTLED,
        {Move.DISCARD: Outcome.PENDING, Move.ANSWER: Outcome.ANSWERED},
        Move.INVOKE,
    ),
    "an execution does not leave its claim": (
        "outcome",
        Outcome.CLAIMED,
        {**OUTCOME[Outcome.CLAIMED], Move.INVOKE: Outcome.CLAIMED},
        Move.INVOKE,
    ),
    "a discarded call may be claimed back": (
        "outcome",
        Outcome.EXECUTING,
        {**OUTCOME[Outcome.EXECUTING], Move.PROMOTE: Outcome.PENDING},
        Move.CLAIM,
    ),
    "an opened call is still due": (
        "opening",
        Opening.DUE,
        {Move.OPEN: Opening.DUE, Move.MISS: Opening.MISSED},
        Move.OPEN,
    ),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_broken_table_is_caught_by_the_walk(name: str) -> None:
    machine, state, row, move = BREAKAGES[name]
    with table(machine, state, row):
        assert most(move, Outcome.PENDING, gated=False) == 2
    assert most(move, Outcome.PENDING, gated=False) == 1


def test_a_dropped_condition_is_caught_by_the_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(CONDITIONS, Move.INVOKE, Condition())
    unapproved = [
        before
        for before, move, _ in walk(Outcome.PENDING, gated=True)
        if move is Move.INVOKE
        and standing_at(before).permission is not Permission.APPROVED
    ]
    assert unapproved


def test_a_restored_call_that_may_be_claimed_is_caught_by_the_walk() -> None:
    row = {**OUTCOME[Outcome.RESTORED], Move.CLAIM: Outcome.CLAIMED}
    del row[Move.PROMOTE]
    with table("outcome", Outcome.RESTORED, row):
        assert most(Move.INVOKE, Outcome.RESTORED, gated=False) == 1
