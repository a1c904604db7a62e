"""Messages of a snapshot for the tests of those who read them, hostile ones too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def call(tool_call_id: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": tool_call_id, "toolName": "t", **fields}


def message(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts), **fields}


class Hostile(Mapping[str, Any]):
    """A mapping that raises whatever is asked of it."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None
