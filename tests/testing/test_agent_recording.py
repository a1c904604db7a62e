from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from agui_kit import AGUIServer, finished, started, text

import aistream_nb as ai
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.gate import Asked, GateEvent
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT, OFFLINE_PROMPT
from aistream_nb.recording import Recording
from aistream_nb.testing import AgentRecording, agent_recording
from aistream_nb.tools.travel import offline_tools


@ai.tool(name="get_forecast", read_only=True)
def storm(place: str, date: str) -> str:
    """Daily weather forecast for a place on a date."""
    return "storm"


async def told(
    path: Path, mode: str, prompt: str = OFFLINE_PROMPT, **options: Any
) -> AgentRecording:
    made = agent_recording(path, mode)
    await made.chat("offline", pace=0, **options).send(prompt)
    return made


async def test_once_makes_a_recording_and_then_plays_it(tmp_path: Path):
    path = tmp_path / "deep" / "run.jsonl"

    first = await told(path, "once")
    assert first.records
    assert str(first.check()) == "run.jsonl holds: no difference"
    written = path.read_bytes()

    second = await told(path, "once")
    assert not second.records
    assert str(second.check()) == "run.jsonl holds: no difference"
    assert path.read_bytes() == written
    assert second.outline == first.outline
    assert second.questions == (OFFLINE_PROMPT,)


async def test_none_never_talks_to_an_agent(tmp_path: Path):
    made = agent_recording(tmp_path / "run.jsonl", "none")

    with pytest.raises(RecordingError, match="--agent-record=once"):
        made.chat("offline")
    assert made.questions == ()


async def test_a_changed_tool_is_named_and_all_makes_the_recording_anew(
    tmp_path: Path,
):
    path = tmp_path / "run.jsonl"
    (await told(path, "all")).check()
    tools = [storm, *offline_tools()[1:]]

    with pytest.raises(AssertionError) as raised:
        (await told(path, "none", tools=tools)).check()
    assert "call 1, get_forecast(" in str(raised.value)
    assert "storm" in str(raised.value)
    assert "--agent-record=all" in str(raised.value)

    (await told(path, "all", tools=tools)).check()
    (await told(path, "none", tools=tools)).check()


async def test_the_recorded_person_answers_where_todays_gate_asks(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    gate = ai.ApprovalGate()

    def person(event: GateEvent) -> None:
        if isinstance(event, Asked):
            asyncio.get_running_loop().call_soon(
                gate.decide, event.pending.id, ai.Proceed()
            )

    gate.subscribe(person)
    made = await told(path, "all", OFFLINE_BOOKING_PROMPT, gate=gate)
    made.check()
    assert "by': 'you'" in str(Recording.load(path).events)

    same = await told(path, "none", OFFLINE_BOOKING_PROMPT, gate=ai.ApprovalGate())
    same.check()

    strict = ai.ApprovalGate(rules=["deny book_*"])
    other = await told(path, "none", OFFLINE_BOOKING_PROMPT, gate=strict)
    with pytest.raises(AssertionError, match=r"book_ferry.*the decision differs"):
        other.check()


async def test_another_agent_or_another_system_prompt_is_a_difference(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    (await told(path, "all")).check()

    made = agent_recording(path, "none")
    await made.chat("offline:gemini", system="Be brief.").send(OFFLINE_PROMPT)

    with pytest.raises(AssertionError) as raised:
        made.check()
    assert "the agent differs\n  was: offline\n  now: offline:gemini" in str(
        raised.value
    )
    assert "round 1, system differs\n  was: 'You are" in str(raised.value)
    assert "now: 'Be brief.'" in str(raised.value)


async def test_a_chat_that_asks_more_than_was_recorded_gets_no_answer(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    (await told(path, "all")).check()

    chat = agent_recording(path, "once").chat("offline", pace=0)
    await chat.send(OFFLINE_PROMPT)

    with pytest.raises(AIStreamError, match="--agent-record=all"):
        await chat.send("And then?")


async def test_a_recording_holds_one_chat(tmp_path: Path):
    made = await told(tmp_path / "run.jsonl", "all")

    with pytest.raises(AIStreamError, match="holds one chat"):
        made.chat("offline")
    assert made.used


def test_nothing_asked_is_nothing_to_check(tmp_path: Path):
    with pytest.raises(AIStreamError, match=r"begin with \.chat"):
        agent_recording(tmp_path / "x.jsonl").check()


def test_an_unknown_mode_names_the_known():
    with pytest.raises(AIStreamError, match="'none', 'once' and 'all'"):
        agent_recording("x.jsonl", "new_episodes")


def test_the_mode_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AISTREAM_RECORD", "all")
    assert agent_recording("x.jsonl").mode == "all"
    monkeypatch.delenv("AISTREAM_RECORD")
    assert agent_recording("x.jsonl").mode == "none"


async def test_two_owners_of_one_file_are_an_error(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    first = AgentRecording(path, "all", owner="test_a.py::test_x")
    await first.chat("offline", pace=0).send(OFFLINE_PROMPT)
    first.check()

    with pytest.raises(RecordingError, match=r"test_a\.py::test_x.*another name"):
        AgentRecording(path, "none", owner="test_b.py::test_x").chat("offline")


async def test_a_remote_agent_is_recorded_and_played(tmp_path: Path):
    path = tmp_path / "remote.jsonl"
    server = AGUIServer([started(), *text("Hello"), finished()])

    options: dict[str, Any] = {"approvals": ["pay"]}
    for mode in ("all", "none", "once"):
        made = agent_recording(path, mode)
        if mode == "once":
            options["on_interrupt"] = lambda _wire: None
        agent = server.agent(**options)
        await made.chat(agent).send("Hi")
        made.check()
        assert made.outline == [{"user": "Hi"}, {"assistant": "Hello"}]

    assert len(server.requests) == 1


async def test_times_and_ids_are_those_of_the_run_and_not_of_the_day(tmp_path: Path):
    made = await told(tmp_path / "run.jsonl", "all")
    made.check()
    event = Recording.load(tmp_path / "run.jsonl").events[0]

    assert event["threadId"] == "thread_1" or event["runId"] == "run_1"
    assert event["timestamp"] < 60_000


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        (
            {"context": [{"description": "d", "value": "new"}]},
            "context[0].value differs",
        ),
        ({"forwarded_props": {"k": 2}}, "forwardedProps.k differs"),
        ({"state": {"n": 2}}, "state.n differs"),
        ({"protocol_version": None}, "protocolVersion is not sent any more"),
        ({"system": "Be brief."}, "messages[0].content differs"),
    ],
)
async def test_what_a_remote_agent_is_asked_with_is_compared(
    tmp_path: Path, changed: dict[str, Any], path: str
):
    kept = tmp_path / "remote.jsonl"
    server = AGUIServer([started(), *text("Hello"), finished()])
    before: dict[str, Any] = {
        "context": [{"description": "d", "value": "old"}],
        "forwarded_props": {"k": 1},
        "state": {"n": 1},
        "system": "Be kind.",
    }

    async def hold(mode: str, told: dict[str, Any]) -> None:
        system = told.pop("system")
        made = agent_recording(kept, mode)
        await made.chat(server.agent(**told), system=system).send("Hi")
        made.check()

    await hold("all", dict(before))
    await hold("none", dict(before))
    with pytest.raises(AssertionError, match=re.escape(f"round 1, {path}")):
        await hold("none", before | changed)


async def test_todays_options_are_compared_and_can_be_given_up(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    (await told(path, "all", thinking="low")).check()
    (await told(path, "none", thinking="low")).check()

    other = await told(path, "none", thinking=None)

    with pytest.raises(AssertionError, match="round 1, thinking is not sent any more"):
        other.check()


async def test_what_changed_in_a_request_is_kept_when_it_is_recorded_anew(
    tmp_path: Path,
):
    path = tmp_path / "run.jsonl"
    (await told(path, "all", system="Be kind.")).check()
    with pytest.raises(AssertionError, match="round 1, system differs"):
        (await told(path, "none", system="Be brief.")).check()

    (await told(path, "all", system="Be brief.")).check()

    (await told(path, "once", system="Be brief.")).check()
    assert Recording.load(path).header["system"] == "Be brief."
