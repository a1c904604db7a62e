"""A server that answers in AG-UI's binary form, over a real connection on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from agui_binary import BINARY, binary
from agui_kit import (
    Charts,
    Event,
    call,
    fill,
    finished,
    gate_saying,
    remote,
    started,
    text,
    tool_messages,
)
from fault_kit import kept_text

import aistream_nb as ai
from aistream_nb.cli import main
from aistream_nb.core.tool_spec import Deny, Proceed
from aistream_nb.errors import ProviderStreamError
from aistream_nb.recording import Recording
from aistream_nb.testing import replay

SHOW = [started(), *call("c1", "show_chart", '{"kind":"bar"}'), finished("c1")]
DONE = [started(), *text("Thäre it is."), finished()]

Cut = Callable[[bytes], bytes]


def whole(body: bytes) -> bytes:
    return body


@asynccontextmanager
async def answering(
    *answers: Sequence[Event], requests: list[Any], size: int = 5, cut: Cut = whole
) -> AsyncGenerator[str]:
    """A server that sends each answer in pieces of ``size`` bytes."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        asked: Mapping[str, Any] = json.loads(await reader.readexactly(length))
        requests.append(asked)
        body = cut(binary(*fill(answers[len(requests) - 1], asked)))
        writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {BINARY}\r\n"
            "transfer-encoding: chunked\r\nconnection: close\r\n\r\n".encode()
        )
        for start in range(0, len(body), size):
            piece = body[start : start + size]
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/agent"


async def test_a_tool_of_ours_runs_behind_the_gate_and_is_answered(tmp_path: Path):
    charts, requests = Charts(), []
    asked, gate = gate_saying(Proceed())
    async with answering(SHOW, DONE, requests=requests) as url:
        chat = ai.Chat(url, tools=[charts.tool()], gate=gate)
        reply = await chat.send("Show")
        await chat.aclose()

    assert [request.tool.name for request in asked] == ["show_chart"]
    assert charts.shown == ["bar"]
    assert tool_messages(requests[1]) == [("c1", "shown bar")]
    assert reply.text == "Thäre it is."
    assert chat.violations == ()
    assert remote(chat).faults == ()

    kept = Recording.load(chat.recording.save(tmp_path / "run.jsonl"))
    assert replay(kept, tools=[Charts().tool()]).check().messages[-1].id
    bodies = [one.body for one in kept.rounds]
    for body in bodies:
        assert ai.check_ordering(body, content_type=BINARY).ok
    shown = ai.Inspector(bodies[1], content_type=BINARY)
    assert [event["type"] for event in shown.events] == [e["type"] for e in DONE]


async def test_a_denied_tool_does_not_run():
    charts, requests = Charts(), []
    _, gate = gate_saying(Deny(reason="not today"))
    async with answering(SHOW, DONE, requests=requests, size=1) as url:
        chat = ai.Chat(url, tools=[charts.tool()], gate=gate)
        reply = await chat.send("Show")
        await chat.aclose()

    assert charts.shown == []
    assert reply.tool_calls["c1"].status == "denied"
    assert "not today" in tool_messages(requests[1])[0][1]


async def test_a_stream_that_ends_within_a_frame_has_failed_and_is_kept():
    requests: list[Any] = []

    def cut(body: bytes) -> bytes:
        return body[:-3]

    async with answering(DONE, requests=requests, cut=cut) as url:
        chat = ai.Chat(url)
        with pytest.raises(ProviderStreamError, match="in the middle of the run"):
            await chat.send("Hi")
        await chat.aclose()

    assert [fault.rule for fault in remote(chat).faults] == ["frame.truncated_proto"]
    assert chat.conversation.messages[-1].text == "Thäre it is."


async def test_a_restored_chat_goes_on_where_the_binary_answer_ended():
    charts, requests = Charts(), []
    async with answering(SHOW, DONE, DONE, requests=requests) as url:
        chat = ai.Chat(url, tools=[charts.tool()])
        await chat.send("Show")
        await chat.aclose()
        again = ai.Chat.restore(
            chat.recording, agent=ai.AGUIAgent(url), tools=[charts.tool()]
        )
        await again.send("Again")
        await again.aclose()

    assert charts.shown == ["bar"]
    assert tool_messages(requests[2]) == [("c1", "shown bar")]
    said = [m["content"] for m in requests[2]["messages"] if m["role"] == "user"]
    assert said == ["Show", "Again"]


async def test_the_command_line_records_it(tmp_path: Path):
    out, requests = tmp_path / "run.jsonl", []
    async with answering(DONE, requests=requests) as url:
        words = ["record", url, "--prompt", "Hi", "-o", str(out)]
        assert await asyncio.to_thread(main, words) == 0

    kept = Recording.load(out)
    assert replay(kept).check().messages
    dump = tmp_path / "answer.bin"
    dump.write_bytes(kept.rounds[0].body)
    assert main(["check", str(dump), "--profile", "client"]) == 0
    assert ai.check_ordering(dump).ok


async def test_a_key_that_the_server_repeats_is_not_kept_and_the_rest_can_be_replayed():
    requests: list[Any] = []
    answer = [started(), *text("You sent key-of-mine-42, I think."), finished()]
    async with answering(answer, requests=requests) as url:
        chat = ai.Chat(ai.AGUIAgent(url, headers={"Authorization": "key-of-mine-42"}))
        await chat.send("Hi")
        await chat.aclose()

    kept = kept_text(chat.recording)
    assert "key-of-mine-42" not in kept
    body = chat.recording.rounds[0].body
    assert b"key-of-mine-42" not in body
    assert ai.check_ordering(body, content_type=BINARY).ok
    again = replay(chat.recording).check()
    assert again.messages[-1].text == "You sent [redacted], I think."
