"""All rules of the order by their ids, in the order in which they are explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aistream_nb.core.ordering.rules import Rule
from aistream_nb.core.ordering.rules_client import CLIENT_RULES
from aistream_nb.core.ordering.rules_prose import PROSE_RULES
from aistream_nb.core.ordering.rules_quality import QUALITY_RULES
from aistream_nb.core.ordering.rules_reading import READING_RULES

__all__ = ["RULES"]

RULES: Final[Mapping[str, Rule]] = {
    rule.id: rule
    for rules in (CLIENT_RULES, READING_RULES, PROSE_RULES, QUALITY_RULES)
    for rule in rules
}
"""Every rule that a violation can name."""
