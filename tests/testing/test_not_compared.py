from __future__ import annotations

from aistream_nb.recording import Recording
from aistream_nb.testing.not_compared import not_compared

WHOLE = [{"type": "RUN_STARTED"}, {"type": "RUN_FINISHED"}]


def asked(request: dict[str, object] | None) -> Recording:
    recording = Recording.of(WHOLE)
    recording.append_wire(1, request=request, content=b"data: {}")
    return recording


def test_what_is_whole_leaves_nothing_out():
    assert not_compared(asked({"body": {"model": "m"}})) == ()


def test_answers_without_requests_are_told():
    (line,) = not_compared(asked(None))

    assert line == "it holds no requests: what is asked was not compared"


def test_what_was_repaired_at_loading_is_told_first():
    recording = Recording.of(WHOLE[:1])
    recording.notices.append("line 2 was torn by a crash and is left out")

    repaired, cut, _ = not_compared(recording)
    assert repaired.startswith("line 2 was torn")
    assert cut.startswith("it is cut off after event 1")
