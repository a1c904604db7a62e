"""Those who listen to a conversation: what they raise breaks nothing but themselves.

An event is folded once. Were an observer allowed to raise into the fold, the run that
brought the event would fail in the middle, with traits that say half of it. So each
listener is called behind a shield, and its failure is told in the log of this module:
once for each kind, because an observer that fails does so at every token.

What it raised is told by its type and its place and not by its words, which may hold
what a person or a model said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

from traitlets import All, HasTraits
from traitlets.utils.sentinel import Sentinel

__all__ = ["Observed", "Shield"]

_log: Final = logging.getLogger(__name__)


class Shield:
    """A listener that can be called and compared like the one inside.

    >>> shield = Shield(print)
    >>> shield("heard"), shield == print, [shield].index(print)
    heard
    (None, True, 0)
    """

    def __init__(self, listener: Callable[..., object]) -> None:
        self.listener: Callable[..., object] = listener
        self._told: set[type[BaseException]] = set()

    def __call__(self, *arguments: Any) -> None:
        """Call the listener; a failure of its own ends here."""
        try:
            self.listener(*arguments)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 the promise of this module
            self._tell(error)

    def __eq__(self, other: object) -> bool:
        inside = other.listener if isinstance(other, Shield) else other
        return self.listener == inside

    def __hash__(self) -> int:
        return hash(self.listener)

    def _tell(self, error: BaseException) -> None:
        kind = type(error)
        if kind in self._told:
            return
        self._told.add(kind)
        _log.warning(
            "%s listens to a conversation and failed with %s at %s; the run goes on. "
            "Mend it, or take it off with unobserve.",
            getattr(self.listener, "__qualname__", type(self.listener).__name__),
            kind.__name__,
            _place(error),
        )


def _place(error: BaseException) -> str:
    """Where it was raised, without what was said there."""
    trace = error.__traceback__
    assert trace is not None  # noqa: S101 it was caught, so it was raised
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


class Observed(HasTraits):
    """Traits whose observers cannot break what they observe."""

    def observe(
        self,
        handler: Callable[..., Any],
        names: Sentinel | str | Collection[Sentinel | str] = All,
        type: Sentinel | str = "change",  # noqa: A002 # traitlets' own keyword
    ) -> None:
        """Have ``handler`` called when a trait changes; see traitlets."""
        super().observe(Shield(handler), names, type)
