from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from aistream_nb.cli import lab, main
from aistream_nb.errors import AIStreamError


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would have been started."""
    commands: list[list[str]] = []

    def start(command: list[str], *, check: bool) -> SimpleNamespace:
        commands.append(command)
        return SimpleNamespace(returncode=7)

    monkeypatch.setattr(subprocess, "run", start)
    return commands


def test_lab_opens_the_first_notebook_of_your_copies(
    tmp_path: Path, started: list[list[str]]
):
    code = main(["lab", str(tmp_path / "mine"), "--no-browser", "--port", "8123"])

    (command,) = started
    first = tmp_path / "mine" / "01_first_agent.ipynb"
    assert code == 7
    assert first.exists()
    assert command[:4] == [sys.executable, "-m", "jupyterlab", str(first)]
    assert "--no-browser" in command
    assert "--port=8123" in command


def test_root_is_let_in(
    tmp_path: Path, started: list[list[str]], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    main(["lab", str(tmp_path)])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    main(["lab", str(tmp_path)])

    assert ["--allow-root" in command for command in started] == [True, False]


def test_without_jupyterlab_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)

    assert main(["lab"]) == 2
    assert "pip install 'aistream-nb[lab]'" in capsys.readouterr().err


def test_a_notebook_that_is_there_is_never_overwritten(tmp_path: Path):
    source, target = tmp_path / "shipped", tmp_path / "mine"
    source.mkdir()
    target.mkdir()
    for name in ("a.ipynb", "b.ipynb"):
        (source / name).write_text("new")
    (target / "a.ipynb").write_text("changed by a person")

    copied = lab.copy_notebooks(source, target)

    assert copied == (target / "b.ipynb",)
    assert (target / "a.ipynb").read_text() == "changed by a person"


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(AIStreamError, match="aistream-nb lab FOLDER"):
        lab.copy_notebooks(tmp_path, tmp_path / "file")


def test_the_shipped_notebooks_win_over_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module = tmp_path / "aistream_nb" / "cli" / "lab.py"
    monkeypatch.setattr(lab, "__file__", str(module))
    assert lab._source() == tmp_path / "notebooks"

    shipped = tmp_path / "aistream_nb" / "notebooks"
    shipped.mkdir(parents=True)
    assert lab._source() == shipped
