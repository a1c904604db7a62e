"""Recordings in other formats, for other programs.

Ours (``jsonl``) is the only one that keeps everything. The others hold the events:
``json`` an array, ``sse`` a body as a server would send it, ``reference`` the
reference's file with times and the result. Each can be read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.processor.reference_recording import ReferenceRecording
from aistream_nb.recording.entries import text_of
from aistream_nb.recording.recorder import Recording

__all__ = ["FORMS", "encode_recording"]


def encode_recording(recording: Recording, form: str) -> str:
    """The recording as the text of a file.

    Args:
        recording: What to write.
        form: One of :data:`FORMS`.

    >>> print(encode_recording(Recording.of([{"type": "RUN_STARTED"}]), "sse"), end="")
    data: {"type":"RUN_STARTED"}
    <BLANKLINE>
    """
    return FORMS[form](recording)


def _own(recording: Recording) -> str:
    return text_of(recording.header, recording.entries)


def _array(recording: Recording) -> str:
    return json.dumps(recording.events, ensure_ascii=False, indent=1) + "\n"


def _server_sent(recording: Recording) -> str:
    return "".join(f"data: {encode_json(event)}\n\n" for event in recording.events)


def _reference(recording: Recording) -> str:
    header = recording.header
    written = ReferenceRecording(
        timestamp=_stamp(recording),
        model=_text(header, "model"),
        provider=_text(header, "provider"),
    )
    processor = StreamProcessor()
    for entry in recording.entries:
        if entry.event is not None:
            moment = entry.event.get("timestamp", round(entry.t * 1000))
            written.append(entry.event, timestamp=moment)
            processor.receive(entry.event)
    written.close(processor.result)
    return encode_json(written.to_wire()) + "\n"


def _stamp(recording: Recording) -> Any:
    """When the first event came, in milliseconds; 0 where nobody knows."""
    return recording.events[0].get("timestamp", 0) if recording.events else 0


def _text(header: Mapping[str, Any], name: str) -> str | None:
    value = header.get(name)
    return value if isinstance(value, str) else None


FORMS: Final[Mapping[str, Callable[[Recording], str]]] = {
    "jsonl": _own,
    "json": _array,
    "sse": _server_sent,
    "reference": _reference,
}
"""The formats by name."""
