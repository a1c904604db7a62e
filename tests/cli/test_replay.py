from __future__ import annotations

import json
from pathlib import Path

import pytest

from aistream_nb.cli import main
from aistream_nb.recording import Recording

KEPT = Path(__file__).parents[1] / "golden" / "anthropic" / "booked-after-529.jsonl"
TOOLS = [
    word
    for name in ("get_forecast", "list_departures", "book_ferry")
    for word in ("--tools", f"offline_in_cli:{name}")
]
MODULE = (
    "from aistream_nb.tools.travel import offline_tools\n"
    "get_forecast, list_departures, book_ferry = offline_tools()\n"
)


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "offline_in_cli.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_todays_tools_come_to_the_same(capsys: pytest.CaptureFixture[str]):
    assert main(["replay", str(KEPT), *TOOLS]) == 0
    assert "book_ferry" in capsys.readouterr().out


def test_a_tool_that_is_gone_is_named_and_the_new_run_can_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "new.jsonl"

    assert main(["replay", str(KEPT), *TOOLS[:4], "--save", str(kept)]) == 1
    told = capsys.readouterr().out
    assert "the tool book_ferry is not offered any more" in told
    assert Recording.load(kept).ending == "finished"


def test_json_is_for_machines(capsys: pytest.CaptureFixture[str]):
    assert main(["replay", str(KEPT), *TOOLS[:4], "--format", "json"]) == 1

    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert [call["status"] for call in told["calls"]][-1] == "error"
    assert any("book_ferry" in sentence for sentence in told["differences"])


@pytest.mark.parametrize("name", ["no.such:tool", "offline_in_cli:nothing", "x"])
def test_an_unknown_tool_is_an_error_of_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["replay", str(KEPT), "--tools", name]) == 2
    assert "MODULE:NAME" in capsys.readouterr().err


def test_without_tools_the_recorded_results_stand_in_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
):
    assert main(["replay", str(KEPT)]) == 0

    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.startswith("No --tools: what the tools gave")
    assert "holds: no difference" in told.out


def test_a_recording_without_tools_needs_no_stand_ins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = Recording.of([{"type": "RUN_STARTED"}]).save(tmp_path / "it.jsonl")

    assert main(["replay", str(kept)]) == 0
    assert capsys.readouterr().err == ""
