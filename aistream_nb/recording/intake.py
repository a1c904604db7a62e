"""What comes into a recording, brought into the form in which it is kept.

Nothing passes here as it came: headers stay outside, and secrets are taken out, also
those that come in pieces. What may be the beginning of a secret is kept back until
more is known; :attr:`Intake.pending` tells what it would be if nothing came any more.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.redaction import Redactor
from aistream_nb.core.values import Event, JSONValue, is_mapping
from aistream_nb.recording.entries import Entry
from aistream_nb.recording.growing_bytes import GrowingBytes
from aistream_nb.recording.growing_text import GrowingTexts
from aistream_nb.recording.request_intake import RequestIntake

__all__ = ["Intake", "event_on_the_wire", "message_without_headers", "piece_on_a_line"]

Kept = tuple[str, dict[str, Any]]
"""The kind of an entry, and its value."""

_ENDS: Final = ("RUN_FINISHED", "RUN_ERROR")
"""No set: what stands in a stranger's event may be a list."""


class Intake:
    """Makes what came into what is kept.

    Args:
        secrets: Values that must never be kept.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._redactor = Redactor(secrets)
        self._texts = GrowingTexts(self._redactor)
        self._bytes = GrowingBytes(self._redactor)
        self.requests: Final = RequestIntake(self._redactor)
        """Takes in the requests, each compared with the one before it."""

    def learn_secret(self, secret: str) -> None:
        """Never let this value pass from now on."""
        self._redactor.learn(secret)

    def value(self, value: object) -> JSONValue:
        """A plain copy without secrets."""
        return self._redactor.redact(value)

    def mapping(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """A plain copy without secrets of what is an object of JSON."""
        plain = self._redactor.redact(value)
        return plain if isinstance(plain, dict) else {}

    def event(self, event: object) -> list[Kept]:
        """What is to be kept now that this event has come.

        Raises:
            TypeError: It is neither a mapping nor an object of the AG-UI SDK.
        """
        taken = event_on_the_wire(event)
        try:
            grown = self._texts.receive(taken)
        except Exception:  # noqa: BLE001 somebody's own object may raise when looked into
            grown = [taken]
        kept = self._events(grown)
        ends = any(one.get("type") in _ENDS for _, one in kept)
        return [*(self._end_of_bodies() if ends else ()), *kept]

    def wire(
        self,
        number: int,
        *,
        request: Mapping[str, Any] | None,
        response: Mapping[str, Any] | None,
        content: bytes | None,
    ) -> list[Kept]:
        """What is to be kept of a request, a response, or a piece of a body."""
        ended = [] if request is None else self._end_of_bodies()
        wire: dict[str, Any] = {"round": number}
        if request is not None:
            plain = message_without_headers(request)
            wire["request"] = self.requests.live(number, plain)
        if response is not None:
            wire["response"] = self.mapping(message_without_headers(response))
        told = b"" if content is None else self._bytes.receive(number, content)
        if told or content == b"":
            wire.update(piece_on_a_line(told))
        return [*ended, *([("wire", wire)] if len(wire) > 1 else [])]

    def go_on_after(self, entries: Iterable[Entry]) -> None:
        """What comes next happens after these, which are kept already."""
        for entry in entries:
            if entry.kind == "wire" and is_mapping(entry.kept):
                self.requests.go_on_after(entry.kept)

    def loaded(self, kind: str, value: Any) -> list[tuple[str, Any]]:
        """What is to be kept of an entry that a file holds."""
        if kind == "event" and is_mapping(value):
            return [*self.event(value)]
        if kind == "wire" and is_mapping(value):
            return [(kind, self.requests.loaded(value))]
        return [(kind, self.value(value))]

    @property
    def pending(self) -> list[Kept]:
        """What would be kept if nothing came any more."""
        return [*_pieces(self._bytes.pending), *self._events(self._texts.pending)]

    def close(self) -> list[Kept]:
        """What was kept back; nothing comes any more."""
        return [*self._end_of_bodies(), *self._events(self._texts.close())]

    def _events(self, events: Iterable[Event]) -> list[Kept]:
        return [("event", self.mapping(one)) for one in events]

    def _end_of_bodies(self) -> list[Kept]:
        return _pieces(self._bytes.close())


def _pieces(ends: Iterable[tuple[int, bytes]]) -> list[Kept]:
    return [("wire", {"round": at, **piece_on_a_line(rest)}) for at, rest in ends]


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
