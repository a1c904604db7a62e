from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from aistream_nb.cli import main
from aistream_nb.recording import Recording

START = {
    "type": "RUN_STARTED",
    "threadId": "t",
    "runId": "r",
    "protocolVersion": "1.0",
}
END = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}
STRAY = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}


@pytest.fixture
def good(tmp_path: Path) -> str:
    return str(Recording.of([START, END]).save(tmp_path / "good.jsonl"))


@pytest.fixture
def bad(tmp_path: Path) -> str:
    return str(Recording.of([START, STRAY, END]).save(tmp_path / "bad.jsonl"))


def test_a_stream_in_order_is_no_failure(good: str):
    assert main(["check", good]) == 0


def test_a_violation_is_one_line_and_a_failure(
    bad: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["check", bad]) == 1

    lines = [
        line
        for line in capsys.readouterr().out.splitlines()
        if "text.content_unopened" in line
    ]
    assert len(lines) == 1
    assert "event 1" in lines[0]


def test_json_is_for_machines(bad: str, capsys: pytest.CaptureFixture[str]):
    main(["check", bad, "--format", "json"])

    told = json.loads(capsys.readouterr().out)
    assert told["violations"][0]["rule"] == "text.content_unopened"


def test_a_junit_file_is_written_beside(bad: str, tmp_path: Path):
    junit = tmp_path / "junit.xml"

    main(["check", bad, "--junit", str(junit)])

    assert ET.parse(junit).getroot().findall(".//failure")  # noqa: S314 # our own file


def test_a_dump_of_server_sent_events_can_be_checked(tmp_path: Path):
    dump = tmp_path / "dump.sse"
    frames = [f"data: {json.dumps(event)}\n\n" for event in (START, STRAY, END)]
    dump.write_text("".join(frames))

    assert main(["check", str(dump)]) == 1


def test_standard_input_can_be_checked(monkeypatch: pytest.MonkeyPatch):
    content = "\n".join(json.dumps(event) for event in (START, END)).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    assert main(["check", "-"]) == 0


def test_what_was_repaired_is_said(
    good: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    torn = tmp_path / "torn.jsonl"
    torn.write_text(Path(good).read_text() + '{"t": 1, "event": {"ty')

    main(["check", str(torn)])

    assert capsys.readouterr().err
