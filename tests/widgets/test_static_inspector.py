"""A judged stream without a kernel: bounded, escaped, the same each time."""

from __future__ import annotations

from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.inspector import Inspector
from aistream_nb.widgets.static_inspector import to_html, to_text

RUN = {"threadId": "t", "runId": "r"}
STARTED: dict[str, Any] = {"type": "RUN_STARTED", **RUN, "protocolVersion": "1.0"}
FINISHED: dict[str, Any] = {"type": "RUN_FINISHED", **RUN}


def said(name: str, *deltas: str, **more: Any) -> list[dict[str, Any]]:
    of = {"messageId": name}
    return [
        {"type": "TEXT_MESSAGE_START", "role": "assistant", **of, **more},
        *({"type": "TEXT_MESSAGE_CONTENT", "delta": d, **of} for d in deltas),
        {"type": "TEXT_MESSAGE_END", **of},
    ]


class Reader(HTMLParser):
    """Reads a page: its words, the rows of its table, and whether its tags match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        del attrs
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if "td" in self.open:
            self.rows[-1][-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def test_events_are_rows_with_type_id_and_what_they_say() -> None:
    inspector = Inspector([STARTED, *said("m", "Hel", "  \n"), FINISHED])
    inspector.seek(3)
    rows = read(to_html(inspector)).rows
    assert rows == [
        ["0", "RUN_STARTED", "r", ""],
        ["1", "TEXT_MESSAGE_START", "m", "assistant"],
        ["▸\xa02", "TEXT_MESSAGE_CONTENT", "m", "Hel"],
        ["3", "TEXT_MESSAGE_CONTENT", "m", "'  \\n'"],
        ["4", "TEXT_MESSAGE_END", "m", ""],
        ["5", "RUN_FINISHED", "r", ""],
    ]


def test_a_violation_stands_at_its_event_with_meaning_and_fix() -> None:
    inspector = Inspector([STARTED, said("m", "Hi")[1], FINISHED])
    rows = [" ".join(row) for row in read(to_html(inspector)).rows]
    (at,) = [n for n, row in enumerate(rows) if "text.content_unopened" in row]
    assert rows[at - 1].startswith("1 TEXT_MESSAGE_CONTENT")
    for word in ("fatal", "never started", "Due", "Fix", "Rule"):
        assert word in rows[at]
    text = to_text(inspector).splitlines()
    (line,) = [n for n, row in enumerate(text) if "text.content_unopened" in row]
    assert "TEXT_MESSAGE_CONTENT" in text[line - 1]
    assert [row.split(":")[0].strip() for row in text[line + 1 : line + 4]] == [
        "Due",
        "Fix",
        "Rule",
    ]


def test_what_is_wrong_with_the_stream_as_a_whole_stands_at_its_ends() -> None:
    inspector = Inspector([STARTED], run_input={}, interrupts=[{"id": "i"}])
    rows = [" ".join(row) for row in read(to_html(inspector)).rows]
    assert "input.interrupt_uncovered (the stream as a whole)" in rows[0]
    assert "stream.truncated (the stream as a whole)" in rows[-1]
    lines = to_text(inspector).splitlines()
    assert "input.interrupt_uncovered (the stream as a whole)" in lines[1]


def test_what_is_in_order_says_so() -> None:
    inspector = Inspector([STARTED, *said("m", "Hi"), FINISHED])
    assert to_text(inspector).splitlines()[0] == "5 events, in order"
    assert "Before the first event" in to_html(inspector)
    inspector.seek(-1)
    assert to_text(inspector).endswith("After event 3:\nHi")
    assert "✓" in to_html(inspector)


def test_nothing_is_shown_of_nothing_but_that_it_is_wrong() -> None:
    page = to_html(Inspector([]))
    assert "0 events, 1 violation: 1 error" in page
    rows = read(page).rows
    assert len(rows) == 1


@pytest.mark.parametrize("position", [0, 9_000, -1])
def test_twenty_thousand_events_are_a_page_and_no_book(position: int) -> None:
    events = [STARTED]
    for number in range(200):
        events += said(f"m{number}", *["the same "] * 98)
    inspector = Inspector(events)
    inspector.seek(position)
    page, text = to_html(inspector), to_text(inspector)
    assert len(page) < 80_000
    assert len(text) < 50_000
    assert "20,001 events, 199 violations: " not in text
    for form in ("".join(read(page).words), text):
        assert "more events" in form
        assert "stream.truncated" in form
        assert "more violations: 196 message.repeated" in form
        if position < 0:
            assert "After event 19,999, the last 30 messages" in form


def test_one_event_left_out_is_one_event() -> None:
    inspector = Inspector([STARTED, *said("m", *["x"] * 33)])
    assert "… 1 more event\n" in to_text(inspector)
    assert "… 1 more event<" in to_html(inspector)


def test_a_stream_with_more_kinds_of_violations_than_a_page_holds() -> None:
    wrong = [
        {"type": kind, "messageId": f"{kind}-{number}", "delta": "x"}
        for number in range(40)
        for kind in ("TEXT_MESSAGE_CONTENT", "REASONING_MESSAGE_CONTENT")
    ]
    inspector = Inspector([STARTED, *wrong, FINISHED])
    text = to_text(inspector)
    assert text.count("text.content_unopened: ") == 3
    assert "37 text.content_unopened" in text


def test_each_violation_that_is_shown_has_its_event() -> None:
    inspector = Inspector([STARTED, *said("m", *["x"] * 4_000), FINISHED])
    (one, *_) = Inspector([STARTED]).violations
    many = [
        one.model_copy(update={"rule": f"a.rule_{at}", "index": at - 1, "at": at})
        for at in range(100, 4_000, 100)
    ]
    inspected: Any = SimpleNamespace(
        events=inspector.events,
        violations=many,
        position=0,
        conversation=inspector.conversation,
    )
    text = to_text(inspected)
    assert text.count("error a.rule_") == 30
    assert "  2999  TEXT_MESSAGE_CONTENT" in text
    assert "… 9 more violations: 1 a.rule_3100" in text
    assert len(text.splitlines()) < 400


def test_a_stream_of_nothing_that_nobody_blames_is_a_line() -> None:
    page = to_html(Inspector([], profile="client"))
    assert read(page).rows == []
    assert "0 events, in order" in page


def test_it_is_the_same_each_time_and_model_output_is_data() -> None:
    bad = "<script>alert(1)</script>"
    events = [STARTED, *said(bad, bad), {"type": bad, "delta": bad}]
    pages = {to_html(Inspector(events)) for _ in range(2)}
    assert len(pages) == 1
    assert "<script" not in pages.pop()


def test_long_ids_are_cut() -> None:
    inspector = Inspector([STARTED, *said("m" * 90, "x" * 300), FINISHED])
    rows = read(to_html(inspector)).rows
    assert rows[2][2:] == ["m" * 20 + "…", "x" * 60 + "…"]
