from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agui_kit import finished, sse, started, text

from aistream_nb.cli import main
from aistream_nb.conversation import Conversation
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.recording import Recording


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


def test_an_agent_that_is_not_there_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"
    url = "http://127.0.0.1:9/agent"

    assert record(url, "--prompt", "Hi", "-o", str(out)) == 2

    told = capsys.readouterr()
    assert "The run failed" in told.err
    assert f"Nothing came from {url}, and nothing is kept." in told.err
    assert told.out == ""
    assert list(tmp_path.iterdir()) == []
    words = ["--prompt", "Hi", "-o", str(out), "--format", "json"]
    assert record(url, *words) == 2
    assert json.loads(capsys.readouterr().out)["file"] is None


def test_a_run_that_breaks_off_is_1_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"
    events = [started(threadId="t", runId="r"), *text("Hello")[:2]]

    assert asyncio.run(talk(out, sse(*events))) == 1

    assert Recording.load(out).ending == "failed"
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]
    assert "failed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["run.jsonl", "unfinished-run.jsonl"])
def test_a_file_that_is_there_is_only_replaced_by_force(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out, there = tmp_path / "run.jsonl", tmp_path / name
    there.write_text("mine")

    assert record("offline", "--prompt", "Hi", "-o", str(out)) == 2
    assert there.read_text() == "mine"
    assert "--force replaces it" in capsys.readouterr().err

    assert record("offline", "--prompt", "Hi", "-o", str(out), "--force") == 0
    assert Recording.load(out).ending == "finished"
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_place_that_cannot_be_written_is_told_before_anybody_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "no" / "run.jsonl"

    assert record("offline", "--prompt", "Hi", "-o", str(out)) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_name_that_is_taken_at_the_end_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "run.jsonl"
    out.mkdir()

    assert record("offline", "--prompt", "Hi", "-o", str(out), "--force") == 2

    growing = tmp_path / "unfinished-run.jsonl"
    assert f"The recording is {growing}." in capsys.readouterr().err
    assert Recording.load(growing).ending == "finished"


def test_what_a_full_disk_refused_is_written_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    out, write, writes = tmp_path / "run.jsonl", os.write, iter(range(1000))

    def full_for_a_moment(descriptor: int, content: bytes) -> int:
        if next(writes) == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, content)

    monkeypatch.setattr(os, "write", full_for_a_moment)

    assert record("offline", "--prompt", "Hi", "-o", str(out)) == 0

    assert "No space left on device" in capsys.readouterr().err
    assert Recording.load(out).ending == "finished"
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal as a shell does")
@pytest.mark.parametrize("form", ["text", "json"])
def test_an_interrupt_keeps_what_had_arrived_and_says_so(form: str, tmp_path: Path):
    out = tmp_path / "run.jsonl"
    command = [sys.executable, "-m", "aistream_nb", "record", "offline"]
    words = ["--prompt", OFFLINE_PROMPT, "-o", str(out), "--format", form]
    with subprocess.Popen(  # noqa: S603 # our own words, no shell
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            if "get_forecast" in line:
                break
        process.send_signal(signal.SIGINT)
        rest, told = process.stderr.read(), process.stdout.read()

    assert process.returncode == 130
    assert f"Stopped. What had arrived is kept in {out}." in rest
    kept = Recording.load(out)
    assert f"{out}: {len(kept)} events, stopped\n" == told or '"stopped"' in told
    assert kept.events[-1]["outcome"] == {"type": "cancelled"}
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]


def cancel_the_run() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


def interrupt_the_process() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("stop", [cancel_the_run, interrupt_the_process])
def test_a_run_that_was_stopped_is_told_as_one(
    stop: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    out = tmp_path / "run.jsonl"
    receive = Conversation.receive

    def stop_at_the_first_call(conversation: Conversation, event: Any) -> Any:
        changed = receive(conversation, event)
        if event.get("type") == "TOOL_CALL_ARGS":
            stop()
        return changed

    monkeypatch.setattr(Conversation, "receive", stop_at_the_first_call)

    assert record("offline", "--prompt", OFFLINE_PROMPT, "-o", str(out)) == 130

    told = capsys.readouterr()
    assert f"Stopped. What had arrived is kept in {out}." in told.err
    assert told.out.endswith("events, stopped\n")


async def talk(out: Path, answer: bytes, *words: str, seen: list[bytes] | None = None):
    """Record a server that gives this answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if seen is not None:
            seen.append(head)
        status = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        writer.write(status + b"Connection: close\r\n\r\n" + answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/agent"
        asked = [url, "--prompt", "Hi", "-o", str(out), *words]
        return await asyncio.to_thread(record, *asked)


def test_a_server_gets_the_headers_and_the_recording_does_not(tmp_path: Path):
    out = tmp_path / "run.jsonl"
    seen: list[bytes] = []
    ids = {"threadId": "t", "runId": "r"}
    answer = sse(started(**ids), *text("Hello"), finished(**ids))
    header = ["--header", "Authorization: Bearer very-secret-word"]

    assert asyncio.run(talk(out, answer, *header, seen=seen)) == 0

    assert b"very-secret-word" in seen[0]
    assert b"very-secret-word" not in out.read_bytes()
    assert Recording.load(out).header["protocol"] == "ag-ui"
