"""For tests of agents: replay a recording against today's tools, script a provider."""

from __future__ import annotations

from aistream_nb.testing.replay import Invocation, Replay, replay
from aistream_nb.testing.scripted import RecordedGate, ScriptedProvider

__all__ = ["Invocation", "RecordedGate", "Replay", "ScriptedProvider", "replay"]
