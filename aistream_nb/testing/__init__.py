"""For tests of agents: replay a recording against today's tools, script a provider."""

from __future__ import annotations

from aistream_nb.testing.agent_recording import AgentRecording, agent_recording
from aistream_nb.testing.outline import outline
from aistream_nb.testing.recorded_tools import recorded_tools
from aistream_nb.testing.replay import Invocation, Replay, replay
from aistream_nb.testing.scripted import RecordedGate, ScriptedAnswer, ScriptedProvider

__all__ = [
    "AgentRecording",
    "Invocation",
    "RecordedGate",
    "Replay",
    "ScriptedAnswer",
    "ScriptedProvider",
    "agent_recording",
    "outline",
    "recorded_tools",
    "replay",
]
