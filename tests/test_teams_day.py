"""A team's day: an agent's behaviour is kept, a tool changes, and somebody notices."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from aistream_nb.recording import Recording

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(300)]

TOOLS = '''
    """The team's tools."""

    import aistream_nb as ai
    from aistream_nb.tools.travel import offline_tools

    _, list_departures, book_ferry = offline_tools()


    @ai.tool(read_only=True)
    def get_forecast(place: str, date: str) -> dict[str, object]:
        """Daily weather forecast for a place on a date."""
        return {"place": place, "high_c": 14}
'''

TEST = '''
    """The team's test."""

    import asyncio

    from our_tools import book_ferry, get_forecast, list_departures

    PROMPT = "Should we take the ferry to Hvar? Check the forecast and the ferry."


    def test_the_trip(agent_recording):
        tools = [get_forecast, list_departures, book_ferry]
        chat = agent_recording.chat("offline", tools=tools, pace=0)
        reply = asyncio.run(chat.send(PROMPT))
        assert "ferry" in reply.text
'''


@dataclass
class Team:
    """A project of its own, and what is typed in its terminal."""

    home: Path

    def write(self, name: str, text: str) -> None:
        (self.home / name).write_text(dedent(text).lstrip(), "utf-8")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603  # our own words, no shell
            [sys.executable, "-m", *command],
            cwd=self.home,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        quiet = ("-p", "no:cacheprovider", "-p", "no:asyncio", "-q")
        return self.run("pytest", *quiet, "-o", "pythonpath=.", *arguments)


def test_a_changed_tool_is_noticed_named_and_accepted(tmp_path: Path):
    team = Team(tmp_path)
    recording = tmp_path / "recordings" / "test_the_trip.jsonl"
    everything = ("--nbval", "trip.ipynb", "test_trip.py")

    # In the morning the agent's behaviour is kept, as a test and as a notebook.
    team.write("our_tools.py", TOOLS)
    team.write("test_trip.py", TEST)
    made = team.pytest("--agent-record=once", "test_trip.py")
    assert made.returncode == 0, made.stdout
    names = ("get_forecast", "list_departures", "book_ferry")
    tools = [word for name in names for word in ("--tools", f"our_tools:{name}")]
    code = "import sys; from aistream_nb.cli import main; sys.exit(main())"
    team.write("aistream.py", code)
    told = team.run("aistream", "notebook", str(recording), "-o", "trip.ipynb", *tools)
    assert told.returncode == 0, told.stdout
    kept = team.pytest(*everything)
    assert kept.returncode == 0, kept.stdout

    # At noon somebody changes what the forecast returns.
    team.write("our_tools.py", TOOLS.replace('"high_c": 14', '"high_f": 57'))
    noticed = team.pytest(*everything)
    assert noticed.returncode == 1
    by_test, by_notebook = parts(noticed.stdout)
    for said in (by_test, by_notebook):
        assert "get_forecast(place=" in said
        assert "the result differs" in said
        assert '"high_c":14' in said
        assert '"high_f":57' in said
        assert "--agent-record=all" in said
    assert "2 failed" in noticed.stdout

    # It was meant. The recording is made anew, and everything is green again.
    anew = team.pytest("--agent-record=all", *everything)
    assert anew.returncode == 0, anew.stdout
    green = team.pytest(*everything)
    assert green.returncode == 0, green.stdout
    assert '"high_f' in str(recording.read_bytes())
    assert Recording.load(recording).header["owner"] == "test_trip.py::test_the_trip"


def parts(output: str) -> tuple[str, str]:
    """What the test said, and what the notebook said."""
    before, _, after = output.partition("test_the_trip __")
    assert after, output
    return after, before
