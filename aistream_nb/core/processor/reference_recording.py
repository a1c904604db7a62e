"""Recordings in the reference's format, made and read (stream processor, section 11).

Our own recordings are JSON lines and hold more; they are told in
:mod:`aistream_nb.recording`. This format is for exchange with the reference, and for
a processor that is asked to record itself. Nothing here touches a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.core.parts import without_none
from aistream_nb.core.processor.results import StreamResult
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["RecordedChunk", "ReferenceRecording"]

VERSION: Final = "1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChunk:
    """One event, and when it came."""

    event: Event
    index: int
    timestamp: object = None

    def to_wire(self) -> dict[str, Any]:
        """The chunk as JSON."""
        return {"chunk": self.event, "timestamp": self.timestamp, "index": self.index}


@dataclass(slots=True, kw_only=True)
class ReferenceRecording:
    """The events of one stream, in order, and what came of them."""

    timestamp: object = None
    model: str | None = None
    provider: str | None = None
    chunks: list[RecordedChunk] = field(default_factory=list["RecordedChunk"])
    result: Mapping[str, Any] | None = None

    def append(self, event: Event, *, timestamp: object) -> None:
        """Note an event before it is processed."""
        chunk = RecordedChunk(event=event, index=len(self.chunks), timestamp=timestamp)
        self.chunks.append(chunk)

    def close(self, result: StreamResult) -> None:
        """Note what came of the events."""
        self.result = result.to_wire()

    @property
    def events(self) -> Iterator[Event]:
        """The events in order, to be processed again."""
        return (chunk.event for chunk in self.chunks)

    def to_wire(self) -> dict[str, Any]:
        """The recording as JSON.

        >>> ReferenceRecording(timestamp=1).to_wire()
        {'version': '1.0', 'timestamp': 1, 'chunks': []}
        """
        return {
            "version": VERSION,
            "timestamp": self.timestamp,
            **without_none(model=self.model, provider=self.provider),
            "chunks": [chunk.to_wire() for chunk in self.chunks],
            **without_none(result=self.result),
        }

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> ReferenceRecording:
        """Read a recording of the reference.

        Raises:
            ValueError: There are no chunks, or the version is not one we know.
        """
        chunks = wire.get("chunks")
        version = wire.get("version")
        if version != VERSION or not is_array(chunks):
            raise ValueError(
                f"a recording of the reference has version {VERSION!r} and a list of "
                f"chunks; this one has version {version!r}"
            )
        result = wire.get("result")
        recording = cls(
            timestamp=wire.get("timestamp"),
            model=wire.get("model"),
            provider=wire.get("provider"),
            result=result if is_mapping(result) else None,
        )
        for chunk in chunks:
            if is_mapping(chunk) and is_mapping(chunk.get("chunk")):
                recording.append(chunk["chunk"], timestamp=chunk.get("timestamp"))
        return recording
