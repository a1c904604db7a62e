from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from aistream_nb import errors


def exceptions() -> dict[str, type[Exception]]:
    return {
        name: member
        for name, member in vars(errors).items()
        if inspect.isclass(member) and issubclass(member, Exception)
    }


def test_every_exception_is_exported_and_drawn_in_the_tree():
    drawn = re.findall(r"- (\w+)", errors.__doc__ or "")

    assert sorted(drawn) == sorted(exceptions()) == sorted(errors.__all__)


def test_everything_can_be_caught_by_the_root():
    assert all(issubclass(e, errors.AIStreamError) for e in exceptions().values())


def test_errors_carry_what_a_caller_reacts_to():
    status = errors.ProviderStatusError(
        "busy", provider="p", status_code=529, request_id="r", retry_after=2.0
    )
    stream = errors.ProviderStreamError("cut", provider="p", after=3)
    order = errors.OrderingError(
        "x", rule="text.start_open", index=4, event_type="T", expected="y"
    )
    turn = errors.TurnError("x", tool_name="f", tool_call_id="c")
    recording = errors.RecordingError("x", path="a.jsonl", line=2)

    assert (status.status_code, status.request_id, status.retry_after) == (529, "r", 2)
    assert (stream.provider, stream.after) == ("p", 3)
    assert (order.rule, order.index, order.event_type) == ("text.start_open", 4, "T")
    assert order.expected == "y"
    assert (turn.tool_name, turn.tool_call_id) == ("f", "c")
    assert (recording.path, recording.line) == ("a.jsonl", 2)
    assert errors.ToolInputError("x", tool_name="f").tool_name == "f"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    made: Any = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.colors = "nocolor"
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def test_ipython_shows_two_lines_and_can_show_all(
    shell: Any, capsys: pytest.CaptureFixture[str]
):
    shell.run_cell("from aistream_nb.errors import AIStreamError")
    shell.run_cell("raise AIStreamError('no key')")

    line, hint = capsys.readouterr().out.splitlines()
    assert line == "AIStreamError: no key"
    shell.run_cell(hint.partition(": ")[2].removesuffix(")"))
    told = capsys.readouterr()
    assert "Traceback (most recent call last)" in told.out + told.err


def test_where_the_users_own_code_failed_everything_is_shown(
    shell: Any, capsys: pytest.CaptureFixture[str]
):
    shell.run_cell("from aistream_nb.errors import TurnError")
    shell.run_cell("raise TurnError('gate failed') from ValueError('mine')")

    told = capsys.readouterr().out
    assert "ValueError" in told
    assert "Traceback (most recent call last)" in told
