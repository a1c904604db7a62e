"""The times of a turn as a person sees them: first text, speed, thinking.

A conversation that knows its own times (from its events) is believed, so that a
recording shows the times of its run; else they are measured where text becomes
visible, by a clock that is handed in. They are shown only: nothing depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from aistream_nb.widgets.wire_views import TurnView

__all__ = ["TurnClock"]

_NOTHING: Final[Mapping[str, Any]] = {}


class TurnClock:
    """Measures one turn after the other."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started: float | None = None
        self._first: float | None = None
        self._usage: Mapping[str, Any] = _NOTHING
        self._opened: dict[tuple[str, int], float] = {}

    def start(self, conversation: object) -> None:
        """A turn begins; what was used before is not its own."""
        self._started, self._first = self._clock(), None
        self._usage = dict(_mapping(conversation, "usage"))

    def opened(self, key: tuple[str, int]) -> None:
        """A part with text appeared."""
        self._opened[key] = self._clock()
        self.grew()

    def renamed(self, before: str, after: str) -> None:
        """A message got another id."""
        self._opened = {
            (after if message == before else message, part): at
            for (message, part), at in self._opened.items()
        }

    def grew(self) -> None:
        """Text arrived."""
        if self._started is not None and self._first is None:
            self._first = self._clock()

    def closed(self, key: tuple[str, int]) -> float | None:
        """How long a part grew; ``None`` if that was not seen in a running turn."""
        opened = self._opened.pop(key, None)
        if opened is None or self._started is None:
            return None
        return round(self._clock() - opened, 3)

    def end(self, conversation: object) -> TurnView:
        """The footer of the turn that ends now."""
        written = self._used(conversation, "outputTokens", "output_tokens")
        first, writing = self._times(_mapping(conversation, "timing"))
        model = getattr(conversation, "model", None)
        return TurnView(
            model=model if isinstance(model, str) else "",
            first_text_seconds=first,
            tokens_per_second=_rate(written, writing),
            input_tokens=self._used(conversation, "inputTokens", "input_tokens"),
            output_tokens=written,
        )

    def _times(self, timing: Mapping[str, Any]) -> tuple[float | None, float | None]:
        """Seconds to the first text, and from there to the end."""
        started, first, ended = (
            timing.get(name) for name in ("started", "first_token", "ended")
        )
        if started is None or ended is None:
            started, first, ended = self._started, self._first, self._clock()
        return _since(first, started), _since(ended, first)

    def _used(self, conversation: object, *names: str) -> int | None:
        usage = _mapping(conversation, "usage")
        for name in names:
            now, before = usage.get(name), self._usage.get(name, 0)
            if isinstance(now, int) and isinstance(before, int) and now > before:
                return now - before
        return None


def _mapping(owner: object, name: str) -> Mapping[str, Any]:
    value = getattr(owner, name, None)
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING


def _since(later: object, earlier: object) -> float | None:
    if not isinstance(later, (int, float)) or not isinstance(earlier, (int, float)):
        return None
    return round(max(0.0, later - earlier), 3)


def _rate(count: int | None, seconds: float | None) -> float | None:
    if count is None or seconds is None or seconds <= 0:
        return None
    return round(count / seconds, 1)
