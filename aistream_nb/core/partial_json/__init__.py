"""JSON that is still arriving, read as far as it goes."""

from __future__ import annotations

from aistream_nb.core.partial_json.parsers import (
    ArgumentsParser,
    PartialJSONParser,
    parse_partial_json,
)

__all__ = [
    "ArgumentsParser",
    "PartialJSONParser",
    "parse_partial_json",
]
