"""Traits that are brought up to date when they are read, or at once if observed.

A message may receive thousands of deltas between two looks at it. Setting a trait
for each would copy the whole text each time; so a delta only marks the mirror as
stale, and reading any of its traits, or having an observer, refreshes it.
"""

from __future__ import annotations

from typing import Any, cast

from traitlets import HasTraits, TraitType

from aistream_nb.conversation.listeners import Observed

__all__ = ["Mirror", "Mirrored"]


class Mirrored(TraitType[Any, Any]):
    """A read-only trait of a :class:`Mirror`; reading it refreshes the mirror."""

    def __init__(self, default: object = None, *, help: str) -> None:  # noqa: A002 # traitlets' own keyword
        super().__init__(default, allow_none=True, read_only=True, help=help)

    def get(self, obj: HasTraits, cls: type[Any] | None = None) -> Any:
        """The value, as it is now."""
        cast("Mirror", obj).refresh()
        return super().get(obj, cls)


class Mirror(Observed):
    """A model that follows something which grows."""

    def __init__(self) -> None:
        super().__init__()
        self._stale = True

    def refresh(self) -> None:
        """Bring the traits up to date; observers hear of what changed."""
        if self._stale:
            self._stale = False
            for name, value in self._read().items():
                self.set_trait(name, value)

    def touch(self) -> None:
        """Say that the mirrored thing changed."""
        self._stale = True
        if self._is_observed():
            self.refresh()

    def _read(self) -> dict[str, Any]:
        """The traits' values as they should be now; a name left out stays as it is."""
        return {}

    def _is_observed(self) -> bool:
        heard = cast("dict[Any, dict[Any, list[Any]]]", self._trait_notifiers)
        return any(any(kinds.values()) for kinds in heard.values())
