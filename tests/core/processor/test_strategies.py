from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.processor.strategies import (
    BatchStrategy,
    ChunkStrategy,
    CompositeStrategy,
    ImmediateStrategy,
    PunctuationStrategy,
    WordBoundaryStrategy,
    reset_strategy,
)

PUNCTUATION = {
    "a full stop ends a sentence": (".", True),
    "a mark in the middle of the delta counts": ("a,b", True),
    "a newline counts": ("\n", True),
    "a carriage return alone does not": ("\r", False),
    "a mark of another script does not": ("\u3002", False),
    "an empty delta does not": ("", False),
}
BOUNDARIES = {
    "a space ends a word": ("word ", True),
    "a word is no end": ("word", False),
    "a byte order mark is white space to ECMAScript": ("a\ufeff", True),
    "a unit separator is not, though Python says so": ("a\u001f", False),
    "an empty delta does not": ("", False),
}


@pytest.mark.parametrize(("delta", "due"), PUNCTUATION.values(), ids=PUNCTUATION)
def test_punctuation_shows(delta: str, *, due: bool):
    assert PunctuationStrategy().should_emit(delta, delta) is due


@pytest.mark.parametrize(("delta", "due"), BOUNDARIES.values(), ids=BOUNDARIES)
def test_a_word_boundary_shows(delta: str, *, due: bool):
    assert WordBoundaryStrategy().should_emit(delta, delta) is due


def answers(strategy: ChunkStrategy, deltas: list[str]) -> list[bool]:
    return [strategy.should_emit(delta, "") for delta in deltas]


def test_immediate_always_shows():
    assert answers(ImmediateStrategy(), ["a", ""]) == [True, True]


@pytest.mark.parametrize("size", [1, 0, -3])
def test_a_batch_of_one_or_less_always_shows(size: int):
    assert answers(BatchStrategy(size), ["a", "", "b"]) == [True, True, True]


def test_a_batch_counts_empty_deltas_and_starts_again():
    assert answers(BatchStrategy(3), ["a", "", "b", "c"]) == [False, False, True, False]


def test_a_reset_batch_begins_anew():
    batch = BatchStrategy(2)
    batch.should_emit("a", "a")
    batch.reset()
    assert answers(batch, ["b", "c"]) == [False, True]


def test_a_composite_stops_at_the_first_yes():
    batch = BatchStrategy(2)
    either = CompositeStrategy([PunctuationStrategy(), batch])
    assert answers(either, [".", "a", "b"]) == [True, False, True]


def test_an_empty_composite_never_shows():
    assert answers(CompositeStrategy([]), ["a", "."]) == [False, False]


def test_a_reset_composite_resets_its_members():
    either = CompositeStrategy([WordBoundaryStrategy(), BatchStrategy(2)])
    either.should_emit("a", "a")
    either.reset()
    assert answers(either, ["b", "c"]) == [False, True]


def test_what_cannot_be_reset_stays_as_it_is():
    class Own:
        def should_emit(self, delta: str, segment: str) -> bool:
            return segment.endswith(delta)

    own: Any = Own()
    reset_strategy(own)
    assert isinstance(own, ChunkStrategy)
