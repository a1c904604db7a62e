"""The magics in a real shell; in a real kernel they are in tests/jupyter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import aistream_nb as ai
from aistream_nb.magics import awaited_cell
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT

BEGIN = f"%%agent --provider offline\n{OFFLINE_PROMPT}\n"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    made: Any = InteractiveShell.instance()
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "aistream_nb")
    made.user_ns["ai"] = ai
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def run(shell: Any, cell: str) -> Any:
    done = shell.run_cell(cell)
    done.raise_error()
    return done.result


def error(shell: Any, cell: str) -> str:
    done = shell.run_cell(cell)
    return str(done.error_in_exec or done.error_before_exec)


def test_a_cell_is_sent_and_its_answer_is_the_value(shell: Any):
    reply = run(shell, BEGIN)

    assert reply.status == "finished"
    assert "Take the ferry" in reply.text
    chat = shell.user_ns["chat"]
    assert len(chat.conversation.messages) == 3

    run(shell, f"%%agent\n{OFFLINE_BOOKING_PROMPT}")
    assert shell.user_ns["chat"] is chat
    assert chat.conversation.tool_calls
    assert len(chat.conversation.messages) > 3


def test_tools_and_a_gate_are_taken_from_the_notebook(shell: Any):
    run(
        shell,
        "from aistream_nb.tools.travel import offline_tools\n"
        "forecast, departures, book = offline_tools()\n"
        "pair = [forecast, departures]\n"
        "gate = ai.ApprovalGate(rules=['deny book_*'])",
    )
    options = "--provider offline --tools pair,book --gate gate --name trip"

    run(shell, f"%%agent {options}\n{OFFLINE_BOOKING_PROMPT}")

    trip = shell.user_ns["trip"]
    assert [tool.spec.name for tool in trip.tools] == [
        "get_forecast",
        "list_departures",
        "book_ferry",
    ]
    assert trip.gate is shell.user_ns["gate"]
    run(shell, "%%agent --provider offline --gate never --name free\nHello")
    assert isinstance(shell.user_ns["free"].gate, ai.ApprovalGate)


def test_the_live_view_takes_the_place_of_the_answer(
    shell: Any, capsys: pytest.CaptureFixture[str]
):
    assert run(shell, BEGIN.replace("offline\n", "offline --live\n", 1)) is None
    assert "Nothing was said yet." in capsys.readouterr().out


def test_the_magic_itself_can_be_called_too(shell: Any):
    reply = shell.run_cell_magic("agent", "--provider offline", OFFLINE_PROMPT)

    assert "Take the ferry" in reply.text


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%%agent\nHi", "There is none yet: begin with %%agent --provider offline"),
        ("%%agent --provider offline\n  \n", "Write your message below the line"),
        ("%%agent --tools x\nHi", "belong to a new chat"),
        ("%%agent --provider offline --tools nothing\nHi", "no tool 'nothing'"),
        ("%%agent --provider offline --gate nothing\nHi", "no gate 'nothing'"),
        ("%%agent --provider offline --name a-b\nHi", "no name of a variable"),
        ("%%agent --provider offline --name ai\nHi", "ai is a module"),
        ("%%agent --provider nobody:x\nHi", "An agent is"),
        ("%%agent --colour\nHi", "unrecognized arguments"),
        ("%agent_record --name x", "There is no chat 'x'"),
        ("%agent_check", "Which chat?"),
    ],
)
def test_what_is_wrong_is_said(shell: Any, cell: str, words: str):
    assert words in error(shell, cell)
    assert "chat" not in shell.user_ns


def test_a_chat_that_code_made_is_found(shell: Any):
    run(shell, "mine = ai.Chat('offline', pace=0)")

    run(shell, f"%%agent\n{OFFLINE_PROMPT}")
    assert len(shell.user_ns["mine"].conversation.messages) == 3

    run(shell, "other = ai.Chat('offline', pace=0)\ndel mine")
    run(shell, "third = ai.Chat('offline', pace=0)")
    assert "There are: other, third. Say --name." in error(shell, "%%agent\nHi")
    run(shell, "%%agent --name third\nHi")
    assert shell.user_ns["third"].conversation.messages


def test_a_chat_is_recorded_and_checked(
    shell: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    run(shell, "chat = ai.Chat('offline', pace=0)")
    run(shell, f"%%agent\n{OFFLINE_PROMPT}")
    path = tmp_path / "it.jsonl"
    run(shell, f"%agent_record {path}")
    assert "2 provider rounds" in capsys.readouterr().out
    run(shell, "%agent_record")
    assert "in it.jsonl" in capsys.readouterr().out

    report = run(shell, "%agent_check")
    assert report.ok
    held = run(shell, f"%agent_check {path}")
    assert str(held) == "it.jsonl holds: no difference"
    shell.user_ns["chat"].recording.close()


def test_a_notebook_that_is_run_again_replaces_its_own_recording_and_no_other_file(
    shell: Any, tmp_path: Path
):
    own, foreign, kept = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl"))
    foreign.write_text("mine")
    ai.Recording.of([], agent="offline", owner="test_x").save(kept)
    for _ in range(2):
        run(shell, "chat = ai.Chat('offline', pace=0)")
        run(shell, f"%agent_record {own}")
    for path in (foreign, kept):
        assert "--force replaces it" in error(shell, f"%agent_record {path}")
    assert foreign.read_text() == "mine"

    run(shell, f"%agent_record {foreign} --force")
    assert ai.Recording.load(foreign).header["agent"] == "offline"


@pytest.mark.parametrize("line", ["%%agent --help", "%%agent -h"])
def test_help_is_shown_and_nothing_is_sent(
    shell: Any, line: str, capsys: pytest.CaptureFixture[str]
):
    run(shell, line)

    told = capsys.readouterr().out
    assert "--provider" in told
    assert "or the only one" in " ".join(told.split())
    assert "chat" not in shell.user_ns


def completions(shell: Any, line: str) -> list[str]:
    with provisionalcompleter():
        return [found.text for found in shell.Completer.completions(line, len(line))]


def test_options_and_their_values_are_completed(shell: Any):
    run(shell, "gate = ai.ApprovalGate()\ntalk = ai.Chat('offline')")
    run(shell, "@ai.tool\ndef look() -> str:\n    '''Look.'''\n    return ''")

    assert "--provider" in completions(shell, "%%agent --p")
    assert "anthropic:" in completions(shell, "%%agent --provider anth")
    assert "offline" in completions(shell, "%%agent --provider ")
    assert {"never", "gate"} <= set(completions(shell, "%%agent --gate "))
    assert "look" in completions(shell, "%%agent --tools lo")
    assert "talk" in completions(shell, "%agent_check --name ta")
    assert "--name" in completions(shell, "%agent_record --n")


@pytest.mark.parametrize("name", ["%%agent", "%agent_record", "%agent_check"])
def test_a_question_mark_explains(
    shell: Any, name: str, capsys: pytest.CaptureFixture[str]
):
    shell.run_cell(f"{name}?")

    assert "--name" in capsys.readouterr().out


def test_a_cell_without_a_body_yet_is_not_complete(shell: Any):
    status, _ = shell.input_transformer_manager.check_complete("%%agent\nHi")

    assert status == "incomplete"
    assert awaited_cell([]) == []


def test_what_was_loaded_can_be_unloaded(shell: Any):
    run(shell, "%reload_ext aistream_nb")
    ai.load_ipython_extension(shell)
    assert shell.input_transformers_cleanup.count(awaited_cell) == 1

    run(shell, "%unload_ext aistream_nb")

    assert awaited_cell not in shell.input_transformers_cleanup
    assert "agent" not in shell.magics_manager.magics["cell"]
    ai.unload_ipython_extension(shell)
