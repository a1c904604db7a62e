from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from agui_kit import AGUIServer, call, finished, started, text

import aistream_nb as ai
from aistream_nb.cli import main
from aistream_nb.recording import Recording

GOLDEN = Path(__file__).parents[1] / "golden"
STORIES = [
    "booked-after-529",
    "denied",
    "edited",
    "failing-tool",
    "cut-then-asked-again",
]


def nbval(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--nbval", "-q"]
    quiet = ["-p", "no:cacheprovider", "-p", "no:asyncio"]
    return subprocess.run(  # noqa: S603  # our own words, no shell
        [*command, *quiet, "."], cwd=folder, check=False, capture_output=True, text=True
    )


def written(path: Path) -> Any:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


@pytest.mark.notebook
@pytest.mark.timeout(300)
def test_every_kind_of_recording_gives_a_notebook_that_passes_nbval(tmp_path: Path):
    for story in STORIES:
        kept = GOLDEN / "anthropic" / f"{story}.jsonl"
        (tmp_path / kept.name).write_bytes(kept.read_bytes())
        assert main(["notebook", str(tmp_path / kept.name)]) == 0
    for name, recording in others().items():
        recording.save(tmp_path / name)
        assert main(["notebook", str(tmp_path / name)]) == 0

    done = nbval(tmp_path)
    assert done.returncode == 0, done.stdout[-6000:]


def others() -> dict[str, Recording]:
    """Remote, edited, stopped; and events without a wire."""

    async def talk() -> dict[str, Recording]:
        @ai.tool(read_only=True)
        def lookup() -> str:
            """Look it up."""
            return "found"

        server = AGUIServer(
            [started(), *call("c1", "lookup"), finished("c1")],
            [started(), *text("Fine."), finished()],
            [started(), *text("Again.", "m2"), finished()],
        )
        chat = server.chat(tools=[lookup], system='Be "brief".')
        await chat.send("It's one")
        await chat.edit(chat.conversation.messages[0].id, "two")
        await chat.aclose()
        bare = Recording.of(chat.recording.events)
        return {"remote.jsonl": chat.recording, "bare.jsonl": bare}

    return asyncio.run(talk())


def test_the_notebook_shows_what_was_said_and_whether_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = GOLDEN / "anthropic" / "denied.jsonl"
    out = tmp_path / "deep.ipynb"

    assert main(["notebook", str(kept), "-o", str(out)]) == 0

    cells = written(out).cells
    assert capsys.readouterr().out == f"{out}\n"
    assert "I booked nothing" in str(cells[2].outputs)
    last = cells[-1].outputs[0].data["text/plain"]
    assert last == "denied.jsonl holds: no difference"
    assert cells[-1].metadata == {}


def test_a_recording_that_does_not_hold_gives_no_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "changed_tools.py").write_text(
        "import aistream_nb as ai\n"
        "@ai.tool(read_only=True)\n"
        "def get_forecast(place: str, date: str) -> str:\n"
        '    """Daily weather forecast for a place on a date."""\n'
        '    return "storm"\n'
    )
    kept = GOLDEN / "anthropic" / "booked-after-529.jsonl"
    out = tmp_path / "out.ipynb"
    tools = ["--tools", "changed_tools:get_forecast"]

    assert main(["notebook", str(kept), "-o", str(out), *tools]) == 1
    assert "call 1, get_forecast(" in capsys.readouterr().err
    assert not out.exists()


def test_tools_that_lie_where_the_person_stands_are_found_by_the_notebook_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "tools_beside.py").write_text(
        "from aistream_nb.tools.travel import offline_tools\n"
        "get_forecast, list_departures, book_ferry = offline_tools()\n"
    )
    folder = tmp_path / "deep"
    folder.mkdir()
    kept = GOLDEN / "anthropic" / "denied.jsonl"
    (folder / kept.name).write_bytes(kept.read_bytes())
    monkeypatch.chdir(tmp_path)
    names = ["get_forecast", "list_departures", "book_ferry"]
    tools = [word for one in names for word in ("--tools", f"tools_beside:{one}")]

    assert main(["notebook", "deep/denied.jsonl", *tools]) == 0
    setup = written(folder / "denied.ipynb").cells[1].source
    assert 'sys.path.insert(0, "..")' in setup
    assert main(["notebook", "deep/denied.jsonl", "-o", "here.ipynb", *tools]) == 0
    assert "sys.path" not in written(tmp_path / "here.ipynb").cells[1].source


def test_what_a_torn_recording_cannot_tell_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    lines = (GOLDEN / "anthropic" / "denied.jsonl").read_bytes().splitlines(True)
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(b"".join(lines[: len(lines) // 2]))

    assert main(["notebook", str(torn)]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("Not compared: it is cut off after event")


def test_a_notebook_that_is_there_is_only_replaced_by_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = GOLDEN / "anthropic" / "denied.jsonl"
    out = tmp_path / "mine.ipynb"
    out.write_text("mine")

    assert main(["notebook", str(kept), "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["notebook", str(kept), "-o", str(out), "--force"]) == 0
    assert json.loads(out.read_text("utf-8"))["nbformat"] == 4


def test_an_unknown_tool_is_an_error_of_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = GOLDEN / "anthropic" / "denied.jsonl"
    out = ["-o", str(tmp_path / "x.ipynb")]

    assert main(["notebook", str(kept), *out, "--tools", "no_such:tool"]) == 2
    assert "MODULE:NAME" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = GOLDEN / "anthropic" / "denied.jsonl"

    assert main(["notebook", str(kept), "-o", str(tmp_path / "no" / "x.ipynb")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_place_that_is_a_folder_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = GOLDEN / "anthropic" / "denied.jsonl"

    assert main(["notebook", str(kept), "-o", str(tmp_path), "--force"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_json_says_what_was_written_and_whether_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "it.jsonl"
    text = (GOLDEN / "anthropic" / "denied.jsonl").read_text("utf-8")
    kept.write_text(text, "utf-8")
    words = ["notebook", str(kept), "--force", "--format", "json"]

    assert main(words) == 0
    written_to = str(tmp_path / "it.ipynb")
    assert json.loads(capsys.readouterr().out) == {"ok": True, "file": written_to}

    lines = text.splitlines(keepends=True)
    said = next(at for at, line in enumerate(lines) if "TEXT_MESSAGE_CONTENT" in line)
    kept.write_text("".join(lines[:said] + lines[said + 1 :]), "utf-8")
    assert main(words) == 1
    told = capsys.readouterr()
    assert json.loads(told.out) == {"ok": False, "file": None}
    assert "went differently" in told.err
