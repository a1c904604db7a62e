from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from aistream_nb.cli import main
from aistream_nb.recording import Recording

GOOD = Path(__file__).parents[1] / "golden" / "anthropic" / "failing-tool.jsonl"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    events = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ]
    return Recording.of(events).save(tmp_path / "bad.jsonl")


def test_a_good_recording_is_0_and_a_bad_one_1(
    bad: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["check", str(GOOD), "--profile", "client"]) == 0
    capsys.readouterr()

    assert main(["check", str(bad)]) == 1
    assert "text.content_unopened" in capsys.readouterr().out


def test_json_and_junit_are_for_machines(
    bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    junit = tmp_path / "report.xml"

    code = main(["check", str(bad), "--format", "json", "--junit", str(junit)])

    told = json.loads(capsys.readouterr().out)
    assert code == 1
    assert told["ok"] is False
    assert told["violations"][0]["rule"] == "text.content_unopened"
    (case,) = ET.parse(junit).iter("testcase")  # noqa: S314  # our own file
    assert case.find("failure") is not None


def test_standard_input_is_read_and_a_torn_line_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    text = GOOD.read_bytes() + b'{"t":9,"ev'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))

    assert main(["check", "-", "--profile", "client"]) == 0
    assert "torn by a crash" in capsys.readouterr().err


def test_a_dump_of_a_server_is_judged_frame_by_frame(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    dump = tmp_path / "run.sse"
    dump.write_text(
        'data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n\n'
        "data: not JSON\n\n"
        'data: {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}\n\n'
    )

    assert main(["check", str(dump)]) == 1
    assert "frame.bad_json" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["[]", '{"type": "hello"}', 'data: {"type": "x"}\n\n'])
def test_what_holds_no_event_of_agui_is_not_in_order(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "it"
    path.write_text(text)

    assert main(["check", str(path)]) == 1
    assert "out of order" in capsys.readouterr().out
