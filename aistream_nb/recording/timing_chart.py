"""The timing chart of a recording: a picture in a cell, and a file.

The picture holds times, which differ from run to run. A recording that was loaded
shows the same each time; for a live run, tag the cell ``nbval-ignore-output``.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from aistream_nb.core.run_timing import RunTiming, read_timings
from aistream_nb.core.timing_svg import draw_timings
from aistream_nb.recording.entries import Entry

__all__ = ["TimingChart"]


class TimingChart:
    """When the first token came, where the gaps are, how long tools took.

    False where the recording has no times.

    >>> chart = TimingChart([Entry(0.0, "event", {"type": "RUN_STARTED"})])
    >>> bool(chart), chart
    (False, <timing chart of 1 run>)
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        timed = [(entry.t, entry.event) for entry in entries if entry.event is not None]
        self.runs: tuple[RunTiming, ...] = tuple(read_timings(timed))
        """The numbers behind the picture."""
        self._known = any(moment for moment, _ in timed)

    def __bool__(self) -> bool:
        return self._known

    def __repr__(self) -> str:
        count = len(self.runs)
        return f"<timing chart of {count} run{'' if count == 1 else 's'}>"

    def _repr_html_(self) -> str:
        if not self:
            return "<p>The recording holds no times.</p>"
        return self.to_svg()

    def to_svg(self, *, alone: bool = False) -> str:
        """The picture, to be put into a page, or ``alone`` to be a file of its own."""
        return draw_timings(self.runs, alone=alone)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the picture to a ``.svg`` file; returns where."""
        place = Path(path)
        place.write_text(self.to_svg(alone=True), "utf-8", "replace")
        return place
