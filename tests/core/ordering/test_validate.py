from __future__ import annotations

from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.validate import AG_UI_VALIDATE


def test_every_counterpart_is_a_rule_of_ours_or_says_why_there_is_none():
    for name, ours in AG_UI_VALIDATE.items():
        assert set(ours.rules) <= set(RULES), name
        assert ours.rules or ours.difference, name
