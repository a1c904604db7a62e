from __future__ import annotations

from pathlib import Path

import pytest

import aistream_nb as ai
from aistream_nb.cli import main
from aistream_nb.providers.offline import OFFLINE_PROMPT
from aistream_nb.recording import Recording

TOOLS = [
    "--tools",
    "aistream_nb.tools.travel:get_forecast",
    "--tools",
    "aistream_nb.tools.travel:list_departures",
    "--tools",
    "aistream_nb.tools.travel:book_ferry",
]


@pytest.fixture
async def kept(tmp_path: Path) -> str:
    chat = ai.Chat("offline", pace=0)
    await chat.send(OFFLINE_PROMPT)
    return str(chat.recording.save(tmp_path / "run.jsonl"))


def test_the_same_tools_are_no_difference(
    kept: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["replay", kept, *TOOLS]) == 0
    assert "no difference" in capsys.readouterr().out


def test_a_missing_tool_is_a_difference_that_is_shown(
    kept: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["replay", kept]) == 1
    assert "get_forecast" in capsys.readouterr().out


def test_the_new_recording_can_be_kept(kept: str, tmp_path: Path):
    anew = tmp_path / "anew.jsonl"

    main(["replay", kept, *TOOLS, "--save", str(anew)])

    assert not Recording.load(kept).diff(Recording.load(anew))


@pytest.mark.parametrize("name", ["nowhere:tool", "aistream_nb.tools:nothing", ""])
def test_a_tool_that_is_not_there_is_a_clear_error(
    name: str, kept: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["replay", kept, "--tools", name]) == 2
    assert "MODULE:NAME" in capsys.readouterr().err
