from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from agui_kit import finished, sse, started, text

from aistream_nb.cli import main
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.recording import Recording

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def record(*arguments: str) -> int:
    return main(["record", *arguments])


def test_a_run_is_kept_and_shown_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"
    prompts = ["--prompt", OFFLINE_PROMPT, "--prompt", OFFLINE_BOOKING_PROMPT]

    assert record("offline", *prompts, "-o", str(out)) == 0

    told = capsys.readouterr()
    assert told.out == f"{out}: {len(Recording.load(out))} events, finished\n"
    assert "book_ferry denied" in told.err


def test_the_summary_is_json_and_everything_may_be_approved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"
    how = ["--approve", "everything", "--format", "json"]

    assert (
        record("offline", "--prompt", OFFLINE_BOOKING_PROMPT, "-o", str(out), *how) == 0
    )

    told = json.loads(capsys.readouterr().out)
    assert told["ending"] == "finished"
    assert told["calls"][-1] == {"name": "book_ferry", "status": "complete"}
    assert told["violations"] == []


def test_a_run_that_fails_is_1_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"

    code = record("http://127.0.0.1:9/agent", "--prompt", "Hi", "-o", str(out))

    assert code == 1
    assert Recording.load(out).ending == "failed"
    assert "The run failed" in capsys.readouterr().err


def test_a_file_that_is_there_is_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"
    out.write_text("mine")

    assert record("offline", "--prompt", "Hi", "-o", str(out)) == 2
    assert out.read_text() == "mine"
    assert "is there already" in capsys.readouterr().err


def test_a_server_gets_the_headers_and_the_recording_does_not(tmp_path: Path):
    out = tmp_path / "run.jsonl"
    seen: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        ids = {"threadId": "t", "runId": "r"}
        events = [started(**ids), *text("Hello"), finished(**ids)]
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        writer.write(head + b"Connection: close\r\n\r\n" + sse(*events))
        await writer.drain()
        writer.close()

    async def talk() -> int:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            url = f"http://127.0.0.1:{port}/agent"
            header = ["--header", "Authorization: Bearer very-secret-word"]
            words = [url, "--prompt", "Hi", "-o", str(out), *header]
            return await asyncio.to_thread(record, *words)

    assert asyncio.run(talk()) == 0
    assert b"very-secret-word" in seen[0]
    assert b"very-secret-word" not in out.read_bytes()
    assert Recording.load(out).header["protocol"] == "ag-ui"
