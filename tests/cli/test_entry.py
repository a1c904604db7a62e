from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from aistream_nb.cli import check, entry, main


def test_every_command_is_a_module_with_a_promise():
    commands = Path(entry.__file__).parent
    modules = {path.stem for path in commands.glob("[a-z]*.py")}

    assert set(entry.COMMANDS) <= modules
    assert all(promise.endswith(".") for promise in entry.COMMANDS.values())


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        main(["--version"])

    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("aistream-nb ")


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        main([])

    assert left.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        main(["fly"])

    assert left.value.code == 2
    assert "fly" in capsys.readouterr().err


@pytest.mark.parametrize("command", entry.COMMANDS)
def test_every_command_explains_itself(
    command: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])

    assert left.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_a_foreseen_error_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    code = main(["check", str(tmp_path / "missing.jsonl")])

    assert code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("aistream-nb check: ")
    assert "missing.jsonl" in line


def test_an_interrupt_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(_options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "run", interrupted)

    assert main(["check", "x"]) == 130
    assert capsys.readouterr().err == "\nStopped.\n"


def test_the_arguments_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("sys.argv", ["aistream-nb", "check", "/does/not/exist"])

    assert main() == 2


def test_the_module_is_the_command():
    module = import_module("aistream_nb.__main__")
    assert module.main is main

    command = [sys.executable, "-m", "aistream_nb", "--version"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 # our own words, no shell
    assert done.returncode == 0
    assert done.stdout.startswith("aistream-nb ")
