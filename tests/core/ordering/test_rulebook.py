from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.ordering.report import OrderingReport, check_ordering
from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.rules import PROFILES, Example, Rule
from aistream_nb.core.ordering.tables import ORDER_FREE, RUN_TRANSITIONS, SPANS
from aistream_nb.core.wire.frames import MAX_FRAME
from aistream_nb.core.wire.schema import EVENT_FIELDS

each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)


def judged(example: Example, profile: Any = "teach") -> OrderingReport:
    return check_ordering(
        example.events if example.body is None else example.body,
        profile=profile,
        run_input=example.run_input,
        interrupts=example.interrupts,
        now=example.now,
        dialect="tanstack" if example.dialect == "tanstack" else "official",
        status=example.status,
        content_type=example.content_type,
        max_frame=example.max_frame or MAX_FRAME,
    )


@each_rule
def test_the_example_that_breaks_a_rule_breaks_that_rule_alone(rule: Rule):
    found = judged(rule.breaks).violations
    beside_info = {v.rule for v in found if v.level != "info"}
    assert rule.id in {violation.rule for violation in found}
    assert beside_info <= {rule.id}


@each_rule
def test_the_example_that_keeps_a_rule_breaks_none(rule: Rule):
    found = judged(rule.keeps)
    assert rule.id not in {violation.rule for violation in found.violations}
    assert {violation.level for violation in found.violations} <= {"info"}


@each_rule
def test_a_violation_says_level_and_fix_as_its_rule_does(rule: Rule):
    found = next(v for v in judged(rule.breaks).violations if v.rule == rule.id)
    assert (found.level, found.hint) == (rule.level, rule.fix)
    assert found.message
    assert found.expected


@each_rule
def test_a_profile_shows_the_rules_of_its_levels(rule: Rule):
    for profile, levels in PROFILES.items():
        shown = {v.rule for v in judged(rule.breaks, profile).violations}
        assert (rule.id in shown) == rule.is_shown_in(profile)
        assert (rule.id in shown) == (
            rule.level in levels or rule.shown_from == profile
        )


@each_rule
def test_only_what_is_fatal_or_an_error_makes_a_report_not_ok(rule: Rule):
    assert judged(rule.breaks).ok == (rule.level not in {"fatal", "error"})


@each_rule
def test_a_rule_is_explained_in_whole_sentences(rule: Rule):
    for sentence in (rule.meaning, rule.fix):
        assert sentence[0].isupper() or sentence.startswith("pendingToolCallIds")
        assert sentence.endswith(".")
    assert len(rule.meaning) < 90


def test_every_event_type_is_in_a_table_or_free_of_order():
    in_runs = {event for row in RUN_TRANSITIONS.values() for event in row} - {"*"}
    tables = (in_runs, set(SPANS), set(ORDER_FREE))
    assert set[str]().union(*tables) == set(EVENT_FIELDS)
    assert sum(map(len, tables)) == len(EVENT_FIELDS)


def test_ids_are_unique_and_each_has_a_family():
    rules = list(RULES.values())
    assert len({rule.id for rule in rules}) == len(rules)
    assert all("." in rule.id for rule in rules)
