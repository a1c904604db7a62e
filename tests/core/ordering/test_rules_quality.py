from __future__ import annotations

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules_quality import QUALITY_RULES


def test_a_stream_is_in_order_although_it_breaks_a_rule_of_quality():
    for rule in QUALITY_RULES:
        assert rule.level in {"warning", "info"}
        assert check_ordering(rule.breaks.events).ok, rule.id
