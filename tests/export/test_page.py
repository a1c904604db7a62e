from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from agui_kit import text

import aistream_nb as ai
from aistream_nb.export import to_html
from aistream_nb.recording import Recording

GOLDEN = Path(__file__).parents[1] / "golden" / "anthropic"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]


def tags(page: str) -> list[str]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


def test_a_page_needs_nothing_else_and_shows_the_times():
    page = to_html(GOLDEN / "booked-after-529.jsonl")

    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=", page)
    assert {"svg", "details", "table"} <= set(tags(page))
    assert "first token" in page


def test_what_was_said_is_data():
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"

    page = to_html(Recording.of(text(evil), agent=evil))

    assert not {"script", "img"} & set(tags(page))
    assert "Timing" not in page


def test_a_conversation_alone_has_no_times():
    player = ai.Player(Recording.of(text("Ahoy")))
    player.seek(len(player))

    page = to_html(player.conversation)

    assert "Ahoy" in page
    assert "Timing" not in page
