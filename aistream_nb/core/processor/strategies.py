"""When streamed text is shown: small objects that answer yes or no for a delta.

A strategy only chooses the moment. What it holds back is shown at the latest by the
next text start, by the next part of another kind, or at the end (stream processor,
section 9). Any object with :meth:`ChunkStrategy.should_emit` is a strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

from aistream_nb.core.json_text import JS_WHITESPACE

__all__ = [
    "BatchStrategy",
    "ChunkStrategy",
    "CompositeStrategy",
    "ImmediateStrategy",
    "PunctuationStrategy",
    "WordBoundaryStrategy",
    "reset_strategy",
]

_PUNCTUATION: Final = frozenset(".,!?;:\n")


@runtime_checkable
class ChunkStrategy(Protocol):
    """Answers for each delta whether the text so far is to be shown now.

    A strategy that counts may also have ``reset()``; it is called for each stream.
    """

    def should_emit(self, delta: str, segment: str) -> bool:
        """Whether to show ``segment``, which ends with ``delta``."""
        ...


class ImmediateStrategy:
    """Show every delta as it comes."""

    def should_emit(self, delta: str, segment: str) -> bool:  # noqa: ARG002 - the protocol's names
        """Yes.

        >>> ImmediateStrategy().should_emit("a", "a")
        True
        """
        return True


class PunctuationStrategy:
    """Show when a delta holds punctuation or a line's end."""

    def should_emit(self, delta: str, segment: str) -> bool:  # noqa: ARG002 - the protocol's names
        """Whether ``delta`` holds one of ``. , ! ? ; :`` or a newline.

        >>> PunctuationStrategy().should_emit("Ahoy!", "Ahoy!")
        True
        """
        return not _PUNCTUATION.isdisjoint(delta)


class BatchStrategy:
    """Show every n-th delta; empty ones count."""

    def __init__(self, size: int = 5) -> None:
        self._size = size
        self._count = 0

    def should_emit(self, delta: str, segment: str) -> bool:  # noqa: ARG002 - the protocol's names
        """Whether the batch is full; a full one starts the next.

        >>> pairs = BatchStrategy(2)
        >>> [pairs.should_emit("a", "a") for _ in range(4)]
        [False, True, False, True]
        """
        self._count += 1
        if self._count < self._size:
            return False
        self._count = 0
        return True

    def reset(self) -> None:
        """Begin a new batch."""
        self._count = 0


class WordBoundaryStrategy:
    """Show when a delta ends with white space."""

    def should_emit(self, delta: str, segment: str) -> bool:  # noqa: ARG002 - the protocol's names
        """Whether the last character is white space, as ECMAScript sees it.

        >>> WordBoundaryStrategy().should_emit("the ", "the ")
        True
        """
        return delta != "" and delta[-1] in JS_WHITESPACE


class CompositeStrategy:
    """Show when one of several strategies says so; the first yes ends the asking."""

    def __init__(self, strategies: Sequence[ChunkStrategy]) -> None:
        self._strategies = tuple(strategies)

    def should_emit(self, delta: str, segment: str) -> bool:
        """Whether any member says yes; members behind it do not see the delta."""
        return any(each.should_emit(delta, segment) for each in self._strategies)

    def reset(self) -> None:
        """Reset every member."""
        for each in self._strategies:
            reset_strategy(each)


def reset_strategy(strategy: ChunkStrategy) -> None:
    """Reset a strategy that can be reset."""
    reset = getattr(strategy, "reset", None)
    if callable(reset):
        reset()
