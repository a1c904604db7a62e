"""What comes into a recording, brought into the form in which it is kept."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_mapping

__all__ = ["event_on_the_wire", "message_without_headers", "piece_on_a_line"]


def event_on_the_wire(event: object) -> Mapping[str, Any]:
    """An event as a mapping, be it one or an object of the AG-UI SDK.

    Raises:
        TypeError: It is neither.
    """
    if is_mapping(event):
        return event
    dump = getattr(event, "model_dump", None)
    if callable(dump):
        dumped = dump(mode="json", by_alias=True, exclude_none=True)
        if is_mapping(dumped):
            return dumped
    raise TypeError(
        f"an event is a mapping or an object of the AG-UI SDK, not a "
        f"{type(event).__name__!r}"
    )


def message_without_headers(message: Mapping[str, Any]) -> dict[str, Any]:
    """A request or a response without headers, and with its body as JSON.

    >>> message_without_headers({"Headers": {"x-api-key": "k"}, "body": b'{"n": 1}'})
    {'body': {'n': 1}}
    """
    kept = {key: value for key, value in message.items() if key.lower() != "headers"}
    body = kept.get("body")
    if isinstance(body, (bytes, str)):
        kept["body"] = _body(body)
    return kept


def _body(body: bytes | str) -> object:
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    try:
        return parse_json(text)
    except ValueError:
        return text


def piece_on_a_line(content: bytes) -> dict[str, str]:
    """Bytes as a member of a line: text where they are text."""
    try:
        return {"text": content.decode("utf-8")}
    except UnicodeDecodeError:
        # A character may be cut where the network cut it.
        return {"base64": base64.b64encode(content).decode("ascii")}
