"""Reads by path, deltas, events and the response: before, during and after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.invocation.events import (
    Answered,
    ArgsDelta,
    ArgsDone,
    Ended,
    Left,
    ToolResponse,
)
from aistream_nb.core.values import ABSENT
from aistream_nb.tracker.reader import ArgumentsReader, CallReader


def fed(*pieces: str, close: bool = False) -> ArgumentsReader:
    args = ArgumentsReader()
    for piece in pieces:
        args.receive(piece)
    if close:
        args.close()
    return args


async def all_of(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


async def test_a_value_comes_as_soon_as_it_cannot_change() -> None:
    args = fed('{"n":1')
    n, missing = args.get("n"), args.get("zzz")
    args.receive('2,"m"')
    assert await n == 12
    assert await args.get("n") == 12
    args.close()
    assert await missing is ABSENT


async def test_when_the_text_ends_early_every_read_ends() -> None:
    args = fed('{"n":1,"s":"ab')
    s, whole = args.get("s"), args.get()
    text, values, items = args.stream_text("s"), args.stream_values("n"), args.each()
    args.close()
    assert await s == "ab"
    assert await whole == {"n": 1, "s": "ab"}
    assert await all_of(text) == ["ab"]
    assert await all_of(values) == [1]
    assert await all_of(items) == []


async def test_reads_that_are_made_after_the_end_are_answered_at_once() -> None:
    args = fed('{"s":"ab","l":[1,{"k":2}]}', close=True)
    assert args.done
    assert await args.get("l", 1, "k") == 2
    assert await all_of(args.stream_text("s")) == ["ab"]
    assert await all_of(args.stream_values("s")) == ["ab"]
    assert await all_of(args.each("l")) == [1, {"k": 2}]


async def test_text_streams_as_first_seen_and_then_what_is_added() -> None:
    args = ArgumentsReader()
    text, number = args.stream_text("s"), args.stream_text("n")
    for piece in ('{"n":1,"s":"', "ab", "", "c", '","t":0}'):
        args.receive(piece)
    assert await all_of(text) == ["", "ab", "c"]
    assert await all_of(number) == []


async def test_values_stream_once_for_each_piece_and_are_copies() -> None:
    args = fed('{"l":[')
    values = args.stream_values("l")
    for piece in ('{"k":', "2},4", '5],"x"'):
        args.receive(piece)
    assert await all_of(values) == [[], [{}], [{"k": 2}, 4], [{"k": 2}, 45]]


async def test_elements_come_once_each_when_they_are_final() -> None:
    args = ArgumentsReader()
    items = args.each("l")
    for piece in ('{"l":[{"k":', "2},4", "5", "]}"):
        args.receive(piece)
    assert await all_of(items) == [{"k": 2}, 45]


async def test_the_value_so_far_is_a_copy() -> None:
    args = fed('{"l":[1')
    value = args.value
    args.receive(",2]}")
    assert value == {"l": [1]}
    assert args.value == {"l": [1, 2]}
    assert args.text == '{"l":[1,2]}'


async def test_many_reads_do_not_disturb_each_other() -> None:
    args = ArgumentsReader()
    first, second = args.stream_text("s"), args.stream_text("s")
    assert not first.closed
    args.receive('{"s":"a"}')
    assert await all_of(first) == ["a"]
    assert await all_of(second) == ["a"]


@given(cuts=st.lists(st.integers(1, 9), min_size=1), late=st.booleans())
def test_any_split_gives_the_same_final_values(cuts: list[int], *, late: bool) -> None:
    text = (
        '{"who":{"name":"A\\u00e9"},"list":[{"k":2},45,"x"],"flag":false,"f":-1.5e+3}'
    )

    async def read() -> list[Any]:
        args = ArgumentsReader()
        early = None if late else reads(args)
        at = 0
        for size in (*cuts, len(text)):
            args.receive(text[at : at + size])
            at += size
        args.close()
        return await asyncio.gather(*(early or reads(args)))

    def reads(args: ArgumentsReader) -> list[Any]:
        gets = [args.get("who", "name"), args.get("f"), args.get("flag")]
        streams = [all_of(args.each("list")), joined(args)]
        return [*map(wait, gets), *streams]

    async def joined(args: ArgumentsReader) -> str:
        return "".join(await all_of(args.stream_text("who", "name")))

    async def wait(value: Any) -> Any:
        return await value

    expected = ["Aé", -1500.0, False, [{"k": 2}, 45, "x"], "Aé"]
    assert asyncio.run(read()) == expected


# ---------------------------------------------------------------- the whole call


async def test_deltas_come_in_the_pieces_in_which_they_came() -> None:
    reader = CallReader("c")
    early = reader.deltas()
    reader.receive("ab")
    reader.receive("c")
    late = reader.deltas()
    reader.receive("d")
    reader.close_arguments()
    assert await all_of(early) == ["ab", "c", "d"]
    assert await all_of(late) == ["abc", "d"]
    assert await all_of(reader.deltas()) == ["abcd"]
    assert reader.text == "abcd"


async def test_events_begin_with_what_was_and_go_on_after_the_response() -> None:
    reader = CallReader("c")
    early = reader.events()
    reader.receive("{}")
    reader.close_arguments()
    reader.close_arguments()
    reader.respond(ToolResponse(1))
    reader.respond(ToolResponse(2))
    middle = reader.events()
    reader.tell(Left())
    reader.end("reset", ToolResponse(3))
    told = [Left(), Ended("reset")]
    assert await all_of(early) == [
        ArgsDelta("{}"),
        ArgsDone(),
        Answered(ToolResponse(1)),
        *told,
    ]
    assert await all_of(middle) == [ArgsDelta("{}"), ArgsDone(), *told]
    assert await all_of(reader.events()) == [ArgsDelta("{}"), ArgsDone()]
    assert await reader.result() == 1


async def test_a_call_that_ends_leaves_nobody_waiting() -> None:
    reader = CallReader("c")
    response, value = reader.response(), reader.args.get("n")
    reader.end("reset", ToolResponse("gone", is_error=True))
    assert await response == ToolResponse("gone", is_error=True)
    assert await value is ABSENT


async def test_a_reader_is_finished_when_all_was_said_and_nobody_listens() -> None:
    reader = CallReader("c")
    assert not reader.finished
    reader.end("forgotten")
    assert not reader.finished
    reader.respond(ToolResponse(1))
    assert reader.finished
    reader.events()
    assert not reader.finished


@pytest.mark.parametrize("text", ["7", "x", '{"n":1}x'])
async def test_text_that_gives_no_value_gives_no_values(text: str) -> None:
    args = ArgumentsReader()
    values = args.stream_values("n")
    args.receive(text)
    args.close()
    assert len(await all_of(values)) <= 1
