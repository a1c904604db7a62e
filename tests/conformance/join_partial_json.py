"""Partial arguments, joined to ``tracker/partial_json.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from aistream_nb.core.partial_json.parsers import read_partial_arguments
from aistream_nb.core.values import ABSENT


def parse_partial(text: str, paths: Sequence[list[str]] = ()) -> dict[str, Any]:
    """What the lines of the file say of one text; no value: ``unparseable``."""
    said = read_partial_arguments(text, paths)
    if said.value is ABSENT:
        return {"unparseable": True}
    return {
        "value": said.value,
        "state": said.state,
        "path": list(said.path),
        "fields": {_key(path): state for path, state in said.fields.items()},
    }


def _key(path: tuple[str, ...]) -> str:
    return json.dumps(path, ensure_ascii=False, separators=(",", ":"))
