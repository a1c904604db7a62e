"""What one event changed: enough for a view to redraw that and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one event changed."""

    messages: tuple[str, ...] = ()
    """Ids of the messages that changed, appeared or went."""
    tool_calls: tuple[str, ...] = ()
    """Ids of the tool calls that may have changed."""
    structure: bool = False
    """Whether messages appeared, went, or changed their order."""
    run: bool = False
    """Whether the run's status, its usage or the shared state changed."""
    growth: bool = False
    """Whether the event only let text grow, so that telling of it may wait."""
    reset: bool = False
    """Whether everything that was said before is void."""
