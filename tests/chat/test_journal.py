from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.chat.journal import Journal
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.errors import OrderingError

START = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
STRAY = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}


def journal(**options: Any) -> Journal:
    return Journal({"agent": "a"}, clock=lambda: 1.5, **{"strict": False, **options})


def test_an_event_is_stamped_judged_recorded_and_folded():
    kept = journal()
    kept.emit(START)
    kept.emit(STRAY)

    assert kept.recording.events[0]["timestamp"] == 1500
    assert kept.recording.header == {"agent": "a"}
    assert kept.conversation.messages[0].text == "x"
    assert [found.rule for found in kept.violations][-1] == "text.content_unopened"


def test_a_strict_journal_raises_once_a_run_and_keeps_the_event():
    kept = journal(strict=True)
    kept.emit({**START, "protocolVersion": "1.0"})

    with pytest.raises(OrderingError) as raised:
        kept.emit(STRAY)
    kept.emit({**STRAY, "messageId": "n"})

    assert raised.value.rule == "text.content_unopened"
    assert len(kept.recording.events) == 3
    kept.begin_run()
    with pytest.raises(OrderingError):
        kept.emit({**STRAY, "messageId": "o"})


def test_a_fault_is_told_once():
    kept = journal()
    kept.emit(START)
    fault = Slip(rule="frame.bad_json", message="m", expected="e")

    kept.note_faults((fault,))
    kept.note_faults((fault,))

    assert [v.rule for v in kept.violations].count("frame.bad_json") == 1


def test_a_secret_is_never_kept():
    kept = journal()
    kept.learn_secrets(["hunter2-hunter2"])
    kept.emit({**STRAY, "delta": "the key is hunter2-hunter2"})

    assert "hunter2" not in str(kept.recording.events)


def test_messages_before_one_of_them_are_the_thread_s():
    kept = journal()
    said = [{"id": name, "role": "user", "content": name} for name in "ab"]
    kept.emit(START)
    kept.emit({"type": "MESSAGES_SNAPSHOT", "messages": said})

    assert kept.messages_before("b") == (said[0],)
