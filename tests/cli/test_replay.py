from __future__ import annotations

import json
import os
import subprocess
import sys
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
CHANGED = [*TOOLS[2:], "--tools", "changed_in_cli:get_forecast"]
CHANGED_MODULE = (
    "import aistream_nb as ai\n"
    "@ai.tool(read_only=True)\n"
    "def get_forecast(place: str, date: str) -> str:\n"
    "    'Not today.'\n"
    "    raise RuntimeError('out of order')\n"
)


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "offline_in_cli.py").write_text(MODULE)
    (tmp_path / "changed_in_cli.py").write_text(CHANGED_MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_todays_tools_come_to_the_same(capsys: pytest.CaptureFixture[str]):
    assert main(["replay", str(KEPT), *TOOLS]) == 0
    assert "book_ferry" in capsys.readouterr().out


def test_for_a_tool_that_is_not_given_the_recorded_result_stands_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "new.jsonl"

    assert main(["replay", str(KEPT), *TOOLS[:2], "--save", str(kept)]) == 0
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.startswith("Not given by --tools: list_departures, book_ferry.")
    assert told.out.splitlines()[-1] == f"{KEPT.name} holds: no difference"
    assert Recording.load(kept).ending == "finished"


def test_a_file_that_is_there_is_replaced_only_where_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "new.jsonl"
    kept.write_text("mine")

    assert main(["replay", str(KEPT), "--save", str(kept)]) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert kept.read_text() == "mine"
    assert main(["replay", str(KEPT), "--save", str(kept), "--force"]) == 0
    assert Recording.load(kept).ending == "finished"


def test_json_is_for_machines(capsys: pytest.CaptureFixture[str]):
    assert main(["replay", str(KEPT), *CHANGED, "--format", "json"]) == 1

    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert next(call["status"] for call in told["calls"]) == "error"
    assert any("get_forecast" in sentence for sentence in told["differences"])
    assert told["not_compared"] == []


def test_tools_are_found_where_the_person_stands(tmp_path: Path):
    (tmp_path / "tools_of_mine.py").write_text(MODULE)
    command = str(Path(sys.executable).with_name("aistream-nb"))
    words = ["replay", str(KEPT), "--tools", "tools_of_mine:get_forecast"]
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}

    done = subprocess.run(  # noqa: S603 # our own words, no shell
        [command, *words],
        cwd=tmp_path,
        env=plain,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_what_a_torn_recording_cannot_tell_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    torn = tmp_path / "torn.jsonl"
    lines = KEPT.read_bytes().splitlines(keepends=True)
    torn.write_bytes(b"".join(lines[: len(lines) // 2]))

    main(["replay", str(torn)])
    (line,) = [
        line
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("Not compared:")
    ]
    assert "cut off after event" in line


def test_what_a_dump_cannot_tell_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    dump = str(tmp_path / "out.sse")

    assert main(["convert", str(KEPT), dump]) == 0
    assert main(["replay", dump]) == 0
    *_, line = capsys.readouterr().out.splitlines()
    assert line == (
        "Not compared: it holds events only: nothing was run, and no requests were "
        "compared"
    )


@pytest.mark.parametrize("name", ["no.such:tool", "offline_in_cli:nothing", "x"])
def test_an_unknown_tool_is_an_error_of_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["replay", str(KEPT), "--tools", name]) == 2
    told = capsys.readouterr().err
    assert "MODULE:NAME" in told
    assert f"looked for in {Path.cwd()}" in told


def test_without_tools_the_recorded_results_stand_in_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
):
    assert main(["replay", str(KEPT)]) == 0

    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.startswith("Not given by --tools: get_forecast")
    assert "holds: no difference" in told.out


def test_a_recording_without_tools_needs_no_stand_ins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = Recording.of([{"type": "RUN_STARTED"}]).save(tmp_path / "it.jsonl")

    assert main(["replay", str(kept)]) == 0
    assert capsys.readouterr().err == ""
