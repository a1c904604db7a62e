"""The pytest plugin: the fixture ``agent_recording`` and the option ``--agent-record``.

    async def test_the_booking_is_asked_about(agent_recording):
        chat = agent_recording.chat("anthropic:claude-sonnet-5", tools=[book])
        await chat.send("Book the ferry.")
        assert agent_recording.outline == snapshot()

Tests that await need ``pytest-asyncio``, which ``aistream-nb[test]`` brings, and
``asyncio_mode = "auto"`` in pytest's configuration; without it, mark them with
``pytest.mark.asyncio``.

The recording lies beside the test, in ``recordings/<name of the test>.jsonl``. At the
end of a test that passed it is written, or the test is held against it.

Every pytest of an environment loads this module, also those that never heard of
agents. So nothing is imported here that costs time; what is needed is imported when a
test asks for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from aistream_nb.testing import AgentRecording

__all__ = [
    "agent_recording",
    "pytest_addoption",
    "pytest_configure",
    "pytest_report_header",
    "pytest_runtest_call",
]

_MODES: Final = ("none", "once", "all")
_VARIABLE: Final = "AISTREAM_RECORD"
"""Also read by notebooks: the kernels that nbval starts inherit it."""
_in_use: Final = pytest.StashKey["AgentRecording"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare ``--agent-record``."""
    parser.getgroup("aistream_nb", "agents' recordings").addoption(
        "--agent-record",
        choices=_MODES,
        default=None,
        help="none: play recordings (default); once: make those that are missing; "
        "all: make all of them anew",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Hand the mode on to the kernels of notebooks."""
    mode = config.getoption("--agent-record")
    if mode is None:
        return
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = str(mode)

    def restore() -> None:
        os.environ.pop(_VARIABLE)
        if before is not None:
            os.environ[_VARIABLE] = before

    config.add_cleanup(restore)


def pytest_report_header() -> str | None:
    """Say that real agents are talked to, if they are."""
    mode = os.environ.get(_VARIABLE, "none")
    return None if mode == "none" else f"agents are recorded: {mode}"


@pytest.fixture
def agent_recording(request: pytest.FixtureRequest) -> AgentRecording:
    """The recording of this test, to play or to make: ``.chat(…)``, ``.outline``."""
    from aistream_nb.testing import AgentRecording  # noqa: PLC0415 # see the promise

    node: pytest.Item = request.node
    name = re.sub(r"[^\w.-]+", "-", node.name).strip("-")
    path = node.path.parent / "recordings" / f"{name}.jsonl"
    owner = node.nodeid.rpartition("/")[2]
    made = AgentRecording(path, os.environ.get(_VARIABLE, "none"), owner=owner)
    node.stash[_in_use] = made
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Write, or compare, at the end of a test that passed."""
    result = yield
    made = item.stash.get(_in_use, None)
    # Outside of an ``except``: pytest would print the cause, which says the same.
    if made is not None and made.used and (difference := _difference(made)):
        pytest.fail(difference, pytrace=False)
    return result


def _difference(made: AgentRecording) -> str:
    try:
        made.check()
    except AssertionError as error:
        return str(error)
    return ""
