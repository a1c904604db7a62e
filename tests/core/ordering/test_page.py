from __future__ import annotations

import re
from html.parser import HTMLParser

from aistream_nb.core.ordering.page import report_page
from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.rules import LEVELS


class _Balance(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # HTMLParser hands them over
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_every_level_has_a_sign_of_its_own_and_the_page_is_well_formed():
    for level in LEVELS:
        rule = next(rule for rule in RULES.values() if rule.level == level)
        dialect = "tanstack" if level == "dialect" else "official"
        report = check_ordering(rule.breaks.events, profile="teach", dialect=dialect)
        page = report_page(report.summary, report.violations, ok=report.ok)
        balance = _Balance()
        balance.feed(page)
        assert balance.open == []
        assert level in page
        assert rule.id in page


def test_the_summary_is_escaped_too():
    assert "<b>" not in report_page("<b>", (), ok=True)


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    line = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * line[0] + 0.7152 * line[1] + 0.0722 * line[2]


def test_a_level_is_read_on_its_own_ground_whatever_the_page_is():
    for level in LEVELS:
        rule = next(rule for rule in RULES.values() if rule.level == level)
        dialect = "tanstack" if level == "dialect" else "official"
        report = check_ordering(rule.breaks.events, profile="teach", dialect=dialect)
        page = report_page(report.summary, report.violations, ok=report.ok)
        grounds = re.findall(r"background:(#[0-9a-f]{6});color:#fff", page)
        assert grounds
        for ground in grounds:
            assert 1.05 / (_light(ground) + 0.05) >= 4.5, (level, ground)
        assert not re.search(r'[";]color:#(?!fff)', page)
