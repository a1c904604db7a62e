from __future__ import annotations

from aistream_nb.core.ordering.rules import LEVELS, PROFILES, Example, Rule, event, run


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


def test_a_run_of_an_example_is_begun_and_finished():
    inside = event("RAW", event=1)
    assert [one["type"] for one in run(inside)] == [
        "RUN_STARTED",
        "RAW",
        "RUN_FINISHED",
    ]
    assert run(result=1)[-1]["result"] == 1
