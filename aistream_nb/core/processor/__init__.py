"""The stream processor: AG-UI events of either dialect in, messages out."""

from __future__ import annotations

from aistream_nb.core.processor.processor import StreamProcessor, counted_ids

__all__ = [
    "StreamProcessor",
    "counted_ids",
]
