from __future__ import annotations

import re
from pathlib import Path

import pytest

import aistream_nb
from aistream_nb.core.counted import counted
from aistream_nb.core.invocation.ledger import Ledger, LedgerRow
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.run_timing import RunTiming
from aistream_nb.core.timing_svg import draw_timings
from aistream_nb.inspector import Inspector

VIEWS = ("widgets", "core/ordering", "core/invocation", "core/timing_svg.py")
EVENT = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a"}


@pytest.mark.parametrize(
    ("amount", "due"), [(0, "0 calls"), (1, "1 call"), (2, "2 calls")]
)
def test_only_one_is_singular(amount: int, due: str):
    assert counted(amount, "call") == due


def test_a_word_may_bring_its_own_plural():
    assert counted(2, "reply", "replies") == "2 replies"


def test_what_shows_itself_never_says_one_of_many():
    row = LedgerRow(1, "c", "t", ("invoke",), "answered", 1, "")
    shown = [
        repr(Ledger((row,))),
        repr(Inspector([EVENT])),
        check_ordering([EVENT]).summary,
        draw_timings([RunTiming(title="a")]),
    ]

    for words in shown:
        assert re.search(r"\b1 \w+", words), words
        assert not re.search(r"(?<![\d.,])1 (?!times)[a-z]+s\b", words), words


def test_no_module_of_the_views_writes_a_plural_by_hand():
    root = Path(aistream_nb.__file__).parent
    found = [
        f"{path.relative_to(root)}: {hit}"
        for name in VIEWS
        for path in [root / name, *(root / name).rglob("*.py")]
        if path.is_file()
        for hit in re.findall(
            r"\{len\([^{}]*\)\} [a-z]+s\b", path.read_text(encoding="utf-8")
        )
    ]

    assert found == []
