from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import (
    LEVELS,
    PROFILES,
    Example,
    Rule,
    check_word,
    event,
    run,
)
from aistream_nb.errors import AIStreamError


def test_a_profile_shows_all_that_a_lesser_one_shows():
    client, spec, teach = (PROFILES[name] for name in ("client", "spec", "teach"))
    assert client < spec < teach == set(LEVELS)


def test_a_rule_may_be_shown_earlier_than_its_level_says():
    late = Rule(
        id="x.y",
        level="warning",
        meaning="M.",
        fix="F.",
        breaks=Example(),
        keeps=Example(),
        shown_from="spec",
    )
    assert not late.is_shown_in("client")
    assert late.is_shown_in("spec")
    assert late.is_shown_in("teach")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("tech", " Did you mean 'teach'?"), ("all", ""), (None, ""), (["spec"], "")],
)
def test_a_word_that_is_none_is_told_with_the_one_that_was_meant(
    given: Any, meant: str
):
    known = "It is one of 'client', 'spec', 'teach'."
    with pytest.raises(AIStreamError) as caught:
        check_ordering([], profile=given)
    assert str(caught.value) == f"profile={given!r} is not known.{meant} {known}"


def test_a_dialect_that_is_none_is_told_too():
    misspelt: Any = "tan-stack"
    with pytest.raises(AIStreamError, match="Did you mean 'tanstack'"):
        check_ordering([], dialect=misspelt)
    check_word("dialect", "tanstack", ["tanstack"])


def test_a_run_of_an_example_is_begun_and_finished():
    inside = event("RAW", event=1)
    assert [one["type"] for one in run(inside)] == [
        "RUN_STARTED",
        "RAW",
        "RUN_FINISHED",
    ]
    assert run(result=1)[-1]["result"] == 1
