from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

from aistream_nb.cli import demo, main
from aistream_nb.cli.demo import ask_at_prompt
from aistream_nb.cli.prompt import Read
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


def types(line: str) -> Read:
    """Somebody who types this line."""

    async def read(_prompt: str) -> str:
        return line

    return read


@pytest.mark.parametrize(("line", "decision"), ANSWERS.items())
def test_only_a_plain_yes_runs_a_tool(line: str, decision: object):
    console = Console(file=io.StringIO())

    asked = ask_at_prompt(console, REQUEST, read=types(line))

    assert asyncio.run(asked) == decision


def test_the_prompt_says_what_counts_as_a_yes_and_what_denies():
    seen: list[str] = []

    async def read(prompt: str) -> str:
        seen.append(prompt)
        return "yes"

    asyncio.run(ask_at_prompt(Console(file=io.StringIO()), REQUEST, read=read))

    (prompt,) = seen
    assert "yes to run" in prompt
    assert "Anything else denies" in prompt
    assert "Enter" in prompt


def test_nobody_at_the_prompt_is_a_no():
    async def gone(_prompt: str) -> str:
        raise EOFError

    asked = ask_at_prompt(Console(file=io.StringIO()), REQUEST, read=gone)

    assert asyncio.run(asked) == Deny(reason="there was nobody at the prompt")


def test_a_question_that_is_given_up_ends_its_line():
    async def stopped(_prompt: str) -> str:
        raise asyncio.CancelledError

    out = io.StringIO()
    asked = ask_at_prompt(Console(file=out), REQUEST, read=stopped)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asked)
    assert out.getvalue().endswith("\n\n")


def test_arguments_are_shown_as_they_are():
    out = io.StringIO()

    asyncio.run(ask_at_prompt(Console(file=out), REQUEST, read=types("n")))

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
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n"))

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

    asked = ask_at_prompt(Console(file=io.StringIO()), REQUEST, read=types("n"))
    asyncio.run(asked)

    assert flushed == [(terminal, 0)]


def test_a_demo_whose_input_ends_says_so_to_the_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.stdin", io.StringIO())

    assert main(["demo", "--pace", "0"]) == 0
    assert "there was nobody at the prompt" in capsys.readouterr().out


@pytest.mark.parametrize("pace", ["-1", "nan", "inf", "fast"])
def test_a_pace_that_is_none_is_refused(pace: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        main(["demo", f"--pace={pace}"])

    assert left.value.code == 2
    assert f"'{pace}' is no pace" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="a terminal of Unix")
def test_an_interrupt_at_the_question_ends_it_at_once():
    import pty  # noqa: PLC0415 # there is none on Windows

    command = [sys.executable, "-m", "aistream_nb", "demo", "--pace", "0"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(  # noqa: S603 # our own words, no shell
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        said = b""
        while b"or just Enter: " not in said:
            said += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        code = process.wait()  # nobody presses Enter
        said += os.read(ours, 4096)
    os.close(ours)

    assert code == 130
    assert b"book_ferry aborted" in said
