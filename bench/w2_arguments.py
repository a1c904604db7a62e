"""W2: one tool call whose arguments arrive in deltas of about ten characters.

*each*: the value so far is read after every delta. *frame*: after every 50. *records*
is nested JSON of many short values, *string* is one long string between a few others.
*preview* is what a person sees, *arguments* what a tool reads while it is called.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import workloads
from common import (
    Case,
    Pass,
    Plan,
    Rival,
    check,
    growth,
    node_rival,
    python_rival,
    race,
    timed,
)

from aistream_nb.core.partial_json.parsers import ArgumentsParser, PartialJSONParser

TITLE = "W2  arguments of one call"
FRAME = 50
SIZES = (500, 5_000, 20_000)
MIDDLE = SIZES[1]
READERS = {"preview": PartialJSONParser, "arguments": ArgumentsParser}
TANSTACKS = ("tanstack-ai-0.5", "tanstack-ai-0.58")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of arguments, and the targets for it."""

    make: Callable[[int, random.Random], str]
    beside_tanstack: float
    beside_floor: float
    beside_jiter: float | None = None


KINDS: Final = {
    "records": Kind(
        make=workloads.records,
        beside_tanstack=1 / 300,
        beside_floor=13,
        beside_jiter=1 / 45,
    ),
    "string": Kind(make=workloads.long_string, beside_tanstack=1 / 180, beside_floor=7),
}


def reading(reader: type[Any], deltas: list[str], *, every: int) -> Pass:
    """Parses, and looks at the value so far every so many deltas."""
    wanted = json.loads("".join(deltas))

    def work() -> None:
        parser = reader()
        for count, delta in enumerate(deltas):
            parser.receive(delta)
            if count % every == 0:
                parser.value  # noqa: B018 - reading is the work
        if parser.value != wanted:
            check(parser.value, wanted)

    return timed(work)


def appending(deltas: list[str]) -> Pass:
    """The floor: parse once, at the end."""

    def work() -> None:
        pieces: list[str] = []
        for delta in deltas:
            pieces.append(delta)  # noqa: PERF402 - one call a delta, as a stream has it
        json.loads("".join(pieces))

    return timed(work)


def _with_jiter(deltas: list[str]) -> Pass:
    from_json = import_module("jiter").from_json

    def work() -> None:
        whole = b""
        for delta in deltas:
            whole += delta.encode()
            from_json(whole, partial_mode="trailing-strings")

    return timed(work)


def measure(plan: Plan) -> Iterator[Case]:
    """Both kinds, with both readers, read after each delta and by frames."""
    for name, kind in KINDS.items():
        deltas = workloads.arguments(MIDDLE, make=kind.make)
        for reader_name, reader in READERS.items():
            is_main = reader is PartialJSONParser
            yield race(
                plan,
                f"{name}, {reader_name}, each",
                reading(reader, deltas, every=1),
                rivals=_rivals(plan, kind, deltas) if is_main else (),
                growth=growth(plan, _each(reader, kind), SIZES, at_most=1.15),
            )
        framed = reading(PartialJSONParser, deltas, every=FRAME)
        floor = Rival(name="floor: one json.loads", run=appending(deltas), at_most=6)
        yield race(plan, f"{name}, preview, frame", framed, rivals=[floor])


def _each(reader: type[Any], kind: Kind) -> Callable[[int], Pass]:
    def run_of(size: int) -> Pass:
        deltas = workloads.arguments(size, make=kind.make)
        return reading(reader, deltas, every=1)

    return run_of


def _rivals(plan: Plan, kind: Kind, deltas: list[str]) -> Iterator[Rival]:
    for name in TANSTACKS:
        yield node_rival(
            name,
            "arguments.mjs",
            name,
            workload=deltas,
            plan=plan,
            wanted=len("".join(deltas)),
            at_most=kind.beside_tanstack,
        )
    yield python_rival(
        "jiter, whole text each time",
        lambda: _with_jiter(deltas),
        package="jiter",
        at_most=kind.beside_jiter,
    )
    # The floor of both kinds is that of the records: a long string has none worth the
    # name, since the compiled parser copies it in one go.
    floor = appending(workloads.arguments(MIDDLE))
    yield Rival(
        name="floor: records, one json.loads", run=floor, at_most=kind.beside_floor
    )
