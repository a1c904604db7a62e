"""Recordings: a conversation as lines of JSON, to be played, compared and tested."""

from __future__ import annotations

from aistream_nb.recording.difference import RecordingDiff
from aistream_nb.recording.entries import FORMAT, Entry, WireRound
from aistream_nb.recording.recorder import Recording
from aistream_nb.recording.timing_chart import TimingChart

__all__ = ["FORMAT", "Entry", "Recording", "RecordingDiff", "TimingChart", "WireRound"]
