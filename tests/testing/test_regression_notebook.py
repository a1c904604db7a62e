"""How the notebook is written; that it passes nbval is tested with the command."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import nbformat
import pytest

import aistream_nb as ai
from aistream_nb.providers.offline import OFFLINE_PROMPT
from aistream_nb.recording import Recording
from aistream_nb.testing.regression_notebook import (
    _asked_with,
    regression_notebook,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "anthropic"


def sources(text: str) -> list[str]:
    return [cell.source for cell in nbformat.reads(text, as_version=4).cells]


def test_the_code_is_what_a_person_would_write(tmp_path: Path):
    kept = tmp_path / "recordings" / "it.jsonl"
    kept.parent.mkdir()
    kept.write_bytes((GOLDEN / "cut-then-asked-again.jsonl").read_bytes())

    cells = sources(regression_notebook(kept, tmp_path / "it.ipynb"))

    assert cells[1] == (
        "import aistream_nb as ai\n"
        "from aistream_nb.testing import agent_recording\n\n"
        'recording = agent_recording("recordings/it.jsonl")\n'
        'chat = recording.chat("offline:anthropic")'
    )
    assert cells[2].startswith('try:\n    await chat.send("We are two adults')
    assert cells[2].endswith(
        "except ai.AIStreamError as error:\n    print(type(error).__name__)"
    )
    assert cells[-1] == "recording.check()"


def test_the_process_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AISTREAM_RECORD", "all")
    before = (os.getcwd(), list(sys.path), sys.stdout)  # noqa: PTH109 # as it is told
    kept = GOLDEN / "denied.jsonl"

    regression_notebook(kept, tmp_path / "x.ipynb")

    assert (os.getcwd(), list(sys.path), sys.stdout) == before  # noqa: PTH109
    assert os.environ["AISTREAM_RECORD"] == "all"


def test_a_real_providers_recording_needs_no_key_and_keeps_its_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    kept = tmp_path / "it.jsonl"
    text = (GOLDEN / "denied.jsonl").read_text("utf-8")
    kept.write_text(
        text.replace('"offline:anthropic"', '"anthropic:claude-sonnet-5"'), "utf-8"
    )

    cells = sources(regression_notebook(kept, tmp_path / "it.ipynb"))

    assert (
        'chat = recording.chat("anthropic:claude-sonnet-5", '
        'tools=recorded_tools("it.jsonl"), system="You are a travel desk assistant.'
    ) in cells[1]


def test_the_options_of_a_real_provider_are_written_as_arguments():
    told = {
        "system": "Be kind.",
        "options": {
            "temperature": 0.2,
            "output_schema": {"name": "trip", "schema": {"type": "object"}},
        },
    }

    made = Recording(clock=lambda: 0.0, header=told)
    assert _asked_with("anthropic:m", made) == [
        'system="Be kind."',
        "temperature=0.2",
        "output_schema={'type': 'object'}",
    ]
    assert _asked_with("anthropic:m", Recording(clock=lambda: 0.0)) == []


def test_what_the_embedded_agent_brings_is_not_written():
    kept = Recording.load(GOLDEN / "denied.jsonl")

    assert _asked_with("offline", kept) == []
    assert len(_asked_with("anthropic:m", kept)) == 2


async def test_an_offline_run_with_tools_of_ones_own_gets_stand_ins(tmp_path: Path):
    @ai.tool(read_only=True)
    def get_forecast(place: str, date: str) -> str:
        """My own forecast."""
        return "snow"

    chat = ai.Chat("offline", tools=[get_forecast], pace=0)
    await chat.send(OFFLINE_PROMPT)
    kept = chat.recording.save(tmp_path / "own.jsonl")

    text = await asyncio.to_thread(regression_notebook, kept, tmp_path / "own.ipynb")

    _, setup, *_ = sources(text)
    assert 'tools=recorded_tools("own.jsonl")' in setup
    assert "own.jsonl holds: no difference" in text
