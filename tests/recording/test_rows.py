from __future__ import annotations

from aistream_nb.recording.rows import counted, event_rows


def test_many_events_are_counted_and_words_are_escaped():
    events = [{"type": "CUSTOM", "value": "<b>"}] * 101

    shown = event_rows(events, title="<i>")

    assert shown.count("<tr>") == 100
    assert "and 1 more event<" in shown
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "more event" not in event_rows(events[:2], title="x")


def test_one_is_singular():
    assert counted(1, "event") == "1 event"


def test_the_table_of_a_run_is_the_same_every_day():
    def table(thread: str) -> str:
        return event_rows([{"type": "RUN_STARTED", "threadId": thread}], title="t")

    assert table("thread_9f3a") == table("thread_0b71")
