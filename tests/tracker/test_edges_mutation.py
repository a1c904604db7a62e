"""Hosts mutate: what is seen of a message that is edited in place, and of odd equals.

The specification (section 4, step 2) says that the same list is not looked at again.
Beyond that a message that is the same object is taken for unchanged if all its calls
are answered, if another one comes behind it, and if no run began or ended.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
from tracker_session import Session, call, message

from aistream_nb.core.invocation.events import AnswerReplaced, ArgsChanged


def state(messages: list[Any], *, running: bool = True) -> dict[str, Any]:
    return {"messages": messages, "isRunning": running}


async def test_e3_an_edit_of_the_same_list_is_not_seen_until_a_run_ends(
    session: Session,
) -> None:
    await session.live()
    messages = [message(call("a", '{"n"'))]
    session.tracker.set_state(state(messages))
    messages[0]["content"][0]["argsText"] = '{"n":1}'
    messages.append(message(call("b", "{}")))
    session.tracker.set_state(state(messages))
    await session.turn()
    assert session.ran == []
    session.tracker.set_state(state(messages, running=False))
    await session.turn()
    assert session.ran == [("a", {"n": 1}), ("b", {})]


async def test_e3_an_edit_of_the_last_message_is_seen_in_a_new_list(
    session: Session,
) -> None:
    await session.live()
    last = message()
    for number in range(5):
        last["content"].append(call(f"c{number}", "{}"))
        session.tracker.set_state(state([message(), message(), last]))
        await session.turn()
    assert [name for name, _ in session.ran] == ["c0", "c1", "c2", "c3", "c4"]


async def test_e3_an_edit_that_comes_with_the_next_message_is_seen(
    session: Session,
) -> None:
    await session.live()
    shared = [message()]
    for number in range(5):
        shared[-1]["content"].append(call(f"c{number}", "{}", result=1))
        shared.append(message())
        session.tracker.set_state(state([*shared]))
        await session.turn()
    assert session.tool.opened == ["c0", "c1", "c2", "c3", "c4"]
    assert session.ran == []


async def test_d1_an_answer_that_is_written_into_an_older_message_is_seen(
    session: Session,
) -> None:
    await session.live()
    old, newer = message(call("a", "{")), [message(), message()]
    session.tracker.set_state(state([old, *newer]))
    await session.turn()
    old["content"][0]["result"] = "from the backend"
    old["content"][0]["argsText"] = "{}"
    session.tracker.set_state(state([old, *newer]))
    await session.turn()
    assert session.ran == []
    reader = session.tool.readers["a"]
    assert await reader.result() == "from the backend"


async def test_e3_a_call_that_is_put_into_an_old_settled_message_runs_once_in_the_end(
    session: Session,
) -> None:
    await session.live()
    shared = [message(call("a", "{}", result=1)), message(), message()]
    session.tracker.set_state(state([*shared]))
    shared[0]["content"].append(call("late", "{}"))
    for _ in range(3):
        session.tracker.set_state(state([*shared]))
        await session.turn()
    assert session.ran == []
    for running in (False, True, False):
        session.tracker.set_state(state([*shared], running=running))
        await session.turn()
    assert session.ran == [("late", {})]


async def test_e3_a_copy_of_what_was_edited_is_seen_in_the_end_too(
    session: Session,
) -> None:
    await session.live()
    shared = [message(call("a", "{}", result=1)), message(), message()]
    session.tracker.set_state(state([*shared]))
    shared[0]["content"].append(call("late", "{}"))
    session.tracker.set_state(state(copy.deepcopy(shared)))
    session.tracker.set_state(state(copy.deepcopy(shared), running=False))
    await session.turn()
    assert session.ran == [("late", {})]


async def test_e3_a_copy_with_one_call_more_is_seen_at_once(session: Session) -> None:
    await session.live()
    shared = [message(call(f"c{n}", "{}", result=n)) for n in range(6)]
    session.tracker.set_state(state([*shared]))
    for number in range(5):
        edited = copy.deepcopy(shared)
        edited[number]["content"].append(call(f"new{number}", "{}"))
        session.tracker.set_state(state(edited))
        await session.turn()
    assert [name for name, _ in session.ran] == [f"new{n}" for n in range(5)]


# ---------------------------------------------------------------- odd equals


async def test_a3_one_and_true_are_two_arguments_though_python_calls_them_equal(
    session: Session,
) -> None:
    session.watch()
    await session.live()
    for text in ('{"n":1}', '{"n":1.0}', '{"n":true}'):
        shown = [message(call("a", text)), message(), message()]
        session.tracker.set_state(state(shown))
        await session.turn()
    changes = [e for e in await session.events("a") if isinstance(e, ArgsChanged)]
    assert changes == [ArgsChanged('{"n":1.0}', '{"n":true}')]
    assert session.ran == [("a", {"n": 1})]


@pytest.mark.parametrize("results", [(1, True, 1.0), (0, False, 0.0)])
async def test_a6_an_answer_that_only_changes_its_kind_is_no_other_answer(
    session: Session, results: tuple[Any, ...]
) -> None:
    session.watch()
    await session.live()
    session.tracker.set_state(state([message(call("a", "{"))]))
    for result in results:
        shown = [message(call("a", "{", result=result)), message(), message()]
        session.tracker.set_state(state(shown))
        await session.turn()
    assert not [e for e in await session.events("a") if isinstance(e, AnswerReplaced)]
    assert session.ran == []


async def test_a6_a_nan_that_is_decoded_anew_is_no_other_answer(
    session: Session,
) -> None:
    session.watch()
    await session.live()
    session.tracker.set_state(state([message(call("a", "{"))]))
    for _ in range(4):
        answered = message(call("a", "{", result={"n": float("nan")}))
        session.tracker.set_state(state([answered, message(), message()]))
        await session.turn()
    assert not [e for e in await session.events("a") if isinstance(e, AnswerReplaced)]
    reader = session.tool.readers["a"]
    assert math.isnan((await reader.result())["n"])


async def test_b1_equal_messages_with_other_calls_are_other_calls(
    session: Session,
) -> None:
    await session.live()
    for number in range(4):
        shown = [message(call(f"{name}{number}", "{}")) for name in "xyz"]
        session.tracker.set_state(state(shown))
        await session.turn()
    wanted = [f"{name}{number}" for number in range(4) for name in "xyz"]
    assert [name for name, _ in session.ran] == wanted


async def test_b1_calls_that_change_places_do_not_run_again(session: Session) -> None:
    await session.live()
    shown = [message(call(name, "{}")) for name in "abcd"]
    for order in (shown, shown[::-1], shown[2:] + shown[:2], shown):
        session.tracker.set_state(state(copy.deepcopy(order)))
        await session.turn()
    assert sorted(name for name, _ in session.ran) == ["a", "b", "c", "d"]


async def test_one_call_in_two_messages_that_differ_runs_at_most_once(
    session: Session,
) -> None:
    await session.live()
    for _ in range(3):
        shown = [message(call("a", '{"n":1}')), message(call("a", '{"n":2}'))]
        session.tracker.set_state(state(shown))
        await session.turn()
    assert session.ran == [("a", {"n": 1})]


async def test_a1_huge_arguments_grow_to_their_end(session: Session) -> None:
    await session.live()
    row = '{"id": 1, "text": "a \\"quoted\\" brace } and ] \\\\"}, '
    text = '{"rows": [' + row * 20_000 + "1]}"
    step = len(text) // 40
    for end in (*range(step, len(text), step), len(text)):
        session.tracker.set_state(state([message(call("a", text[:end]))]))
        await session.turn()
    ((name, args),) = session.ran
    assert (name, len(args["rows"])) == ("a", 20_001)
    assert session.tool.readers["a"].text == text


@pytest.mark.parametrize("space", [" ", "\n", " " * 40, "\r\n\t " * 30])
async def test_a1_space_behind_the_end_changes_nothing(
    session: Session, space: str
) -> None:
    await session.live()
    for text in ('{"a"', '{"a"' + space, '{"a"' + space + ":1" + space + "}" + space):
        session.tracker.set_state(state([message(call("a", text))]))
        await session.turn()
    assert session.ran == [("a", {"a": 1})]
