r"""AG-UI events as server-sent events: what an agent's server writes.

The promise: reading a frame gives the event again, and its JSON is the text that
JavaScript would write (:func:`~aistream_nb.core.json_text.encode_json`).

Nearly every event of a stream is a delta of the message or call that the one before
it belongs to, and only the delta is new. The text in front of it is written once and
used again until another message or call has its turn; so the members of such a delta
stand in the protocol's order. An event of any other shape is written as it is.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.values import Event

__all__ = ["SSEEncoder"]

_SHAPES: Final = (("type", "messageId", "delta"), ("type", "toolCallId", "delta"))
"""The members of a plain delta, in the order in which everybody writes them."""

_MEMBERS: Final = 3


class SSEEncoder:
    r"""Writes events, one frame each.

    >>> SSEEncoder().encode({"type": "RAW", "event": 1})
    b'data: {"type":"RAW","event":1}\n\n'
    """

    __slots__ = ("_lead", "_owner", "_owner_member", "_type")

    def __init__(self) -> None:
        self._type: object = None
        self._owner_member = "messageId"
        self._owner: object = None
        self._lead = ""
        """The frame of the last plain delta, up to the delta."""

    def encode(self, event: Event) -> bytes:
        """The frame of one event.

        Raises:
            UnencodableError: The event holds something that JSON cannot say.
        """
        try:
            delta = event["delta"]
            if (
                event["type"] == self._type
                and event[self._owner_member] == self._owner
                and len(event) == _MEMBERS
            ):
                return f"{self._lead}{encode_basestring(delta)}}}\n\n".encode()
        except (KeyError, TypeError, UnicodeEncodeError):
            pass  # another shape, a delta that is no text, or half a character
        return self._whole(event)

    def _whole(self, event: Event) -> bytes:
        if tuple(event) in _SHAPES:
            self._remember(event)
        return f"data: {encode_json(event)}\n\n".encode()

    def _remember(self, event: Event) -> None:
        """Keep what the next delta of the same message or call begins with."""
        _, member, _ = event
        kind, owner = event["type"], event[member]
        if isinstance(kind, str) and isinstance(owner, str):  # 1 and True are equal
            self._type, self._owner_member, self._owner = kind, member, owner
            self._lead = f"data: {encode_json({**event, 'delta': ''})[:-3]}"
