"""An event as a row, and a violation as a test that can be kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from aistream_nb.widgets.display_text import row_of, snippet_of
from aistream_nb.widgets.wire_inspector import ViolationView

BROKEN: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi", "odd": None},
]
FOUND = ViolationView(
    rule="text.content_unopened",
    level="fatal",
    index=1,
    at=2,
    event_type="TEXT_MESSAGE_CONTENT",
    message="it came",
    expected="a start",
    fix="send one",
)


def row(event: Any, violation: ViolationView | None = None) -> Any:
    return row_of(event, index=0, seconds=None, violation=violation)


def test_a_row_has_type_id_and_the_beginning_of_what_is_said() -> None:
    made = row({"type": "X", "toolCallId": "c", "messageId": "m", "delta": "y" * 500})
    assert (made.type, made.id, made.text) == ("X", "c", "y" * 120)


def test_fields_of_a_wrong_kind_are_left_out() -> None:
    made = row({"type": 4, "messageId": ["m"], "delta": 7, "content": ""})
    assert (made.type, made.id, made.text) == ("4", "", "7")
    assert row({}).type == "?"


def test_a_value_is_shown_as_json_and_only_its_beginning_is_written_out() -> None:
    assert row({"type": "X", "snapshot": {"step": 1}}).text == '{"step": 1}'
    vast = row({"type": "X", "delta": [{"op": "add"}] * 100_000})
    assert vast.text.startswith('[{"op": "add"}, ')
    assert len(vast.text) == 120


def test_a_row_names_the_rule_that_it_breaks() -> None:
    made = row(BROKEN[1], FOUND)
    assert (made.level, made.rule) == ("fatal", "text.content_unopened")


def test_a_kept_test_fails_as_long_as_the_stream_is_wrong(tmp_path: Path) -> None:
    text = snippet_of(BROKEN, FOUND)
    path = tmp_path / "kept.py"
    path.write_text(text + "\ntest_text_content_unopened()\n", encoding="utf-8")
    done = subprocess.run(  # noqa: S603 # our own text, no shell
        [sys.executable, str(path)], capture_output=True, text=True, check=False
    )
    assert "AssertionError" in done.stderr


def test_a_kept_test_of_a_stream_as_a_whole_holds_all_of_it() -> None:
    whole = FOUND.model_copy(update={"index": -1})
    assert snippet_of(BROKEN, whole).count('"type"') == 0
    assert snippet_of(BROKEN, whole).count("'type'") == 2


def test_a_kept_test_of_what_is_not_wrong_asks_those_who_tell_it() -> None:
    aside = FOUND.model_copy(update={"level": "warning"})
    assert 'profile="teach"' in snippet_of(BROKEN, aside)
    assert "profile" not in snippet_of(BROKEN, FOUND)


def test_a_kept_test_is_not_as_long_as_a_recording() -> None:
    text = snippet_of([BROKEN[0]] * 100, FOUND.model_copy(update={"index": 99}))
    assert "40 earlier events are left out" in text
    assert text.count("RUN_STARTED") == 60
