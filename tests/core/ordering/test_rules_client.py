from __future__ import annotations

from aistream_nb.core.ordering.rules_client import CLIENT_RULES
from aistream_nb.core.ordering.tables import RUN_REFUSALS, SPAN_KINDS, SPANS


def test_every_rule_of_the_client_is_fatal():
    assert {rule.level for rule in CLIENT_RULES} == {"fatal"}


def test_what_is_in_no_table_is_about_owners_and_subagents():
    tables = {row.rule for row in SPANS.values()} | set(RUN_REFUSALS.values())
    tables |= {kind.end_rule for kind in SPAN_KINDS.values()}
    assert {rule.id for rule in CLIENT_RULES} - tables == {
        "owner.mismatch",
        "step.finish_owner",
        "subagent.parent_unknown",
        "subagent.start_reused",
        "tool.parent_owner",
        "tool.reopen_parent_owner",
    }
