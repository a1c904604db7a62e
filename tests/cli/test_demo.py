from __future__ import annotations

import asyncio
import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from aistream_nb.cli import demo, main
from aistream_nb.cli.demo import ask_at_prompt
from aistream_nb.core.tool_spec import Deny, GateRequest, Proceed, ToolSpec

REQUEST = GateRequest(
    tool=ToolSpec(name="book"), arguments={"place": "[red]Hvar[/red]"}
)

ANSWERS = {
    "y": Proceed(),
    " YES ": Proceed(),
    "n": Deny(),
    "": Deny(),
    "too early": Deny(reason="too early"),
    "yes please": Deny(reason="yes please"),
}


@pytest.mark.parametrize(("line", "decision"), ANSWERS.items())
def test_only_a_plain_yes_runs_a_tool(line: str, decision: object):
    console = Console(file=io.StringIO())

    asked = ask_at_prompt(console, REQUEST, read=lambda _prompt: line)

    assert asyncio.run(asked) == decision


def test_nobody_at_the_prompt_is_a_no():
    def gone(_prompt: str) -> str:
        raise EOFError

    asked = ask_at_prompt(Console(file=io.StringIO()), REQUEST, read=gone)

    assert asyncio.run(asked) == Deny(reason="there was nobody at the prompt")


def test_arguments_are_shown_as_they_are():
    out = io.StringIO()

    asyncio.run(ask_at_prompt(Console(file=out), REQUEST, read=lambda _prompt: "n"))

    assert "[red]Hvar[/red]" in out.getvalue()


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini", "xai"])
@pytest.mark.parametrize(
    ("line", "told"),
    [("y", "book_ferry complete"), ("not today", "book_ferry denied: not today")],
)
def test_the_demo_asks_once_and_heeds_the_answer(
    provider: str,
    line: str,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr("builtins.input", lambda _prompt: line)

    code = main(["demo", "--provider", provider, "--pace", "0"])

    out = capsys.readouterr().out
    assert code == 0
    assert out.count("Run book_ferry?") == 1
    assert told in out


def test_what_was_typed_before_the_question_does_not_answer_it(
    monkeypatch: pytest.MonkeyPatch,
):
    flushed: list[object] = []
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(demo.sys, "stdin", terminal)
    monkeypatch.setattr(
        demo,
        "termios",
        SimpleNamespace(TCIFLUSH=0, tcflush=lambda *it: flushed.append(it)),
    )

    asked = ask_at_prompt(
        Console(file=io.StringIO()), REQUEST, read=lambda _prompt: "n"
    )
    asyncio.run(asked)

    assert flushed == [(terminal, 0)]
