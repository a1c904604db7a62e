from __future__ import annotations

import io

import pytest

from aistream_nb.cli.working import working


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_told_that_work_goes_on(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")

    with working("thinking hard …"):
        pass

    assert "thinking hard …" in terminal.getvalue()


def test_a_log_is_told_nothing(capsys: pytest.CaptureFixture[str]):
    with working("thinking hard …"):
        pass

    assert capsys.readouterr() == ("", "")
