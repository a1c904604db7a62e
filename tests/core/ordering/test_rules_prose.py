from __future__ import annotations

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules_prose import PROSE_RULES


def test_the_client_lets_through_what_only_the_prose_forbids():
    for rule in PROSE_RULES:
        assert rule.level in {"error", "warning"}
        assert check_ordering(rule.breaks.events, profile="client").ok, rule.id
