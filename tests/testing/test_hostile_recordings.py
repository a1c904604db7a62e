"""Recordings that no chat has made: each is read, or refused in our own words.

Whatever is in a file, a replay, its stand-ins, its report and the exports come to an
end without an error that is not ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agui_kit import AGUIServer, call, finished, started, text

import aistream_nb as ai
from aistream_nb.errors import AIStreamError
from aistream_nb.export import to_anthropic, to_html, to_markdown, to_openai
from aistream_nb.recording import Recording
from aistream_nb.recording.writing import encode_recording
from aistream_nb.testing import recorded_tools, replay
from aistream_nb.tools.travel import offline_tools

GOLDEN = Path(__file__).parents[1] / "golden"
ODD: list[Any] = [
    *(None, True, -1, 1e308, "", "x" * 100, [], [1], {}, {"a": {}}, [[[]]], "\x00"),
]
Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def remote_rows() -> list[Row]:
    @ai.tool(read_only=True)
    def lookup() -> str:
        """Look it up."""
        return "found"

    async def talk() -> Recording:
        server = AGUIServer(
            [started(), *call("c1", "lookup"), finished("c1")],
            [started(), *text("Fine."), finished()],
        )
        chat = server.chat(tools=[lookup], system="Be kind.")
        await chat.send("Hi")
        await chat.aclose()
        return chat.recording

    written = encode_recording(asyncio.run(talk()), "jsonl")
    return [json.loads(line) for line in written.splitlines()]


def lines(*rows: Any) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode("utf-8", "replace")


def mutated(rows: list[Row], seed: int) -> bytes:
    """The rows, with values that nobody expects in some of them."""
    chance = random.Random(seed)  # noqa: S311 the same each time

    def mutate(value: Any) -> Any:
        if chance.random() < 0.12:
            return chance.choice(ODD)
        if isinstance(value, dict):
            kept = [(k, v) for k, v in value.items() if chance.random() > 0.03]
            return {k: mutate(v) if chance.random() < 0.3 else v for k, v in kept}
        if isinstance(value, list):
            return [mutate(v) if chance.random() < 0.3 else v for v in value]
        return chance.choice(ODD) if chance.random() < 0.3 else value

    changed = [
        mutate(row) if chance.random() < 0.15 else row for row in copy.deepcopy(rows)
    ]
    if chance.random() < 0.3:
        chance.shuffle(changed)
    return lines(*changed[: chance.randrange(1, len(changed) + 1)])


def try_everything(content: bytes) -> None:
    """Whatever can be done with a recording; only our own errors may come of it."""
    try:
        recording = Recording.read(content)
    except AIStreamError:
        return
    works: list[Callable[[], object]] = [
        lambda: replay(recording, tools=offline_tools()).report,
        lambda: replay(recording, tools=recorded_tools(recording))._repr_html_(),
        lambda: replay(recording, tools=[], gate=ai.ApprovalGate()).report,
        lambda: recording.compact().diff(recording),
        lambda: (repr(recording), recording._repr_html_()),
        *(
            lambda export=export: export(recording)
            for export in (to_html, to_markdown, to_openai, to_anthropic)
        ),
    ]
    for work in works:
        with contextlib.suppress(AIStreamError):
            work()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("vendor", ["anthropic", "gemini"])
def test_a_provider_recording_with_odd_values_is_read_or_refused(
    vendor: str, seed: int
):
    try_everything(mutated(rows_of(GOLDEN / vendor / "booked-after-529.jsonl"), seed))


@pytest.mark.parametrize("seed", range(12))
def test_a_remote_recording_with_odd_values_is_read_or_refused(seed: int):
    try_everything(mutated(remote_rows(), seed))


HEADERS: dict[str, Row] = {
    "other types": {"provider": ["x"], "model": {"a": 1}, "system": 7, "agent": {}},
    "nobody's provider": {"provider": "nobody"},
    "odd options": {
        "options": {
            "thinking": 7,
            "max_tokens": "many",
            "temperature": {"a": 1},
            "server_tools": [3],
            "extra_body": [1],
            "tier": ["x"],
            "output_schema": {"schema": {"type": 5}, "name": 3},
        }
    },
    "options of another type": {"options": [1]},
    "odd address": {"protocol": "ag-ui", "url": "javascript:alert(1)"},
    "odd approvals": {
        "protocol": "ag-ui",
        "url": "http://h/x",
        "approvals": ["[", 3],
    },
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_header_that_says_odd_things_is_read_or_refused(header: Row):
    first, *rest = rows_of(GOLDEN / "anthropic" / "denied.jsonl")

    try_everything(lines(first | header, *rest))


def test_odd_rounds_bodies_and_pieces_are_read_or_refused():
    first, *rest = rows_of(GOLDEN / "anthropic" / "denied.jsonl")
    numbers = (True, -1, 10**30, "1", None)
    bodies: tuple[Any, ...] = (None, 7, {}, [1], {"messages": [[[]]]})
    odd = [
        {"t": 0, "wire": {"round": number, "request": {"body": body}}}
        for number in numbers
        for body in bodies
    ]
    pieces: list[Row] = [{"base64": "!!!"}, {"text": "\x00\ud800"}, {"text": 7}]
    odd += [{"t": 0, "wire": {"round": 1, **piece}} for piece in pieces]

    try_everything(lines(first, *odd, *rest))


def test_names_and_ids_of_other_types_and_in_circles_are_read_or_refused():
    run: Row = {
        "type": "RUN_STARTED",
        "threadId": "a",
        "runId": "a",
        "parentRunId": "a",
    }
    said: Row = {"input": {"messages": [{"id": {}, "role": "user", "content": []}]}}
    events: list[Row] = [
        {"type": "TOOL_CALL_START", "toolCallId": "a", "parentMessageId": "a"},
        {"type": "TEXT_MESSAGE_START", "messageId": "a"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "a", "messageId": "a"},
        run | said,
        run | said,
        {"type": "CUSTOM", "name": {"a": 1}, "value": {"toolCallId": []}},
        {"type": "CUSTOM", "name": "aistream:executing", "value": 7},
        {"type": "CUSTOM", "name": "aistream:decision", "value": {"by": {}}},
        {"type": ["RUN_FINISHED"]},
    ]
    wire = {"t": 0, "wire": {"round": 1, "request": {"body": {"x": 1}}}}
    first, *_ = rows_of(GOLDEN / "anthropic" / "denied.jsonl")

    try_everything(lines(first, wire, *({"t": 0, "event": one} for one in events)))


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 100,
        gzip.compress(b"[" + b"1," * 200_000 + b"1]"),
        b'{"t":1,"event":' + b"[" * 5000 + b"]" * 5000 + b"}\n",
        b'{"t":1,"event":{"type":"X","v":' + b"[" * 5000 + b"]" * 5000 + b"}}\n",
        lines(
            *[
                {"t": 0, "wire": {"round": n, "request": {"body": {}}}}
                for n in range(500)
            ]
        ),
    ],
    ids=["binary", "zipped numbers", "deep line", "deep value", "many rounds"],
)
def test_what_is_binary_deep_or_long_is_read_or_refused(content: bytes):
    try_everything(content)
