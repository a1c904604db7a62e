"""The plugin in a pytest of its own, as a user's project has it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from aistream_nb.pytest_plugin import pytest_report_header

pytest_plugins = "pytester"

pytestmark = pytest.mark.timeout(180)

QUIET = ("-p", "no:cacheprovider", "-p", "no:asyncio")

TEST = """
    import asyncio
    import aistream_nb as ai
    from aistream_nb.providers.offline import OFFLINE_PROMPT
    from aistream_nb.tools.travel import offline_tools

    def test_the_ferry(agent_recording):
        chat = agent_recording.chat("offline", pace=0)
        asyncio.run(chat.send(OFFLINE_PROMPT))
        calls = [row for row in agent_recording.outline if "call" in row]
        assert calls[0]["call"] == "get_forecast"
"""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*QUIET, *arguments)


def test_a_recording_is_made_once_beside_the_test_and_then_played(
    pytester: pytest.Pytester,
):
    place = pytester.path / "recordings" / "test_the_ferry.jsonl"
    pytester.makepyfile(TEST)

    missing = run(pytester)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*--agent-record=once*"])

    made = run(pytester, "--agent-record=once")
    made.assert_outcomes(passed=1)
    made.stdout.fnmatch_lines(["agents are recorded: once"])
    written = place.read_bytes()

    for mode in ("none", "once"):
        run(pytester, f"--agent-record={mode}").assert_outcomes(passed=1)
        assert place.read_bytes() == written


def test_a_difference_fails_the_test_and_names_the_call(pytester: pytest.Pytester):
    pytester.makepyfile(TEST)
    run(pytester, "--agent-record=once").assert_outcomes(passed=1)
    pytester.makepyfile(TEST.replace("pace=0", "pace=0, tools=offline_tools()[1:]"))

    failed = run(pytester, "-rN")  # in CI pytest's summary repeats the whole message

    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(
        ["*call 1, get_forecast(place=*): the status differs", "*  was: complete"]
    )
    told = failed.stdout.str()
    assert "pytest_plugin.py" not in told
    assert "During handling" not in told
    assert told.count("The conversation went differently from") == 1


def test_a_test_that_awaits_runs(pytester: pytest.Pytester):
    pytester.makeini("[pytest]\nasyncio_mode = auto\n")
    pytester.makepyfile("""
        import aistream_nb as ai
        from aistream_nb.providers.offline import OFFLINE_PROMPT

        async def test_the_ferry(agent_recording):
            chat = agent_recording.chat("offline")
            await chat.send(OFFLINE_PROMPT)
    """)

    made = pytester.runpytest_subprocess(*QUIET[:2], "--agent-record=once")

    made.assert_outcomes(passed=1)


def test_a_test_that_fails_replaces_no_recording(pytester: pytest.Pytester):
    pytester.makepyfile(TEST + "        assert False\n")

    run(pytester, "--agent-record=all").assert_outcomes(failed=1)

    assert not (pytester.path / "recordings").exists()


def test_a_test_that_asks_nothing_passes(pytester: pytest.Pytester):
    pytester.makepyfile("def test_x(agent_recording):\n    pass\n")

    run(pytester).assert_outcomes(passed=1)


def test_parameters_have_recordings_of_their_own(pytester: pytest.Pytester):
    pytester.makepyfile(
        TEST.replace(
            "    def test_the_ferry(agent_recording):",
            "    import pytest\n"
            "    @pytest.mark.parametrize('vendor', ['xai', 'gemini'])\n"
            "    def test_the_ferry(agent_recording, vendor):",
        ).replace('"offline"', 'f"offline:{vendor}"')
    )

    run(pytester, "--agent-record=once").assert_outcomes(passed=2)

    made = sorted(path.name for path in (pytester.path / "recordings").iterdir())
    assert made == ["test_the_ferry-gemini.jsonl", "test_the_ferry-xai.jsonl"]


def test_the_mode_is_handed_on_and_taken_back(pytester: pytest.Pytester):
    pytester.makepyfile(
        "import os\ndef test_x():\n    assert os.environ['AISTREAM_RECORD'] == 'all'\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AISTREAM_RECORD", "once")
        run(pytester, "--agent-record=all").assert_outcomes(passed=1)
        assert pytest_report_header() == "agents are recorded: once"
        patch.delenv("AISTREAM_RECORD")
        assert pytest_report_header() is None


def test_a_pytest_that_knows_no_agents_pays_nothing():
    code = (
        "import sys, pytest, aistream_nb.pytest_plugin\n"
        "heavy = {'httpx', 'pydantic', 'traitlets', 'ipywidgets', 'IPython', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
        "print([m for m in sys.modules if m.startswith('aistream_nb.')])"
    )

    told = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.splitlines()

    assert told == ["[]", "['aistream_nb.pytest_plugin']"]
