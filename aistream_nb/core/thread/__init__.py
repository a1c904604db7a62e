"""The official reading of a thread: its messages, its state and its outcome."""

from __future__ import annotations

from aistream_nb.core.thread.reducer import ReducerNote, ThreadReducer, apply_events

__all__ = [
    "ReducerNote",
    "ThreadReducer",
    "apply_events",
]
