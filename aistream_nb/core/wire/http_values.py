"""An exchange over HTTP as values: what is asked, what answers, how long it may take.

Headers may hold keys, so no ``repr`` shows them. Who sends and receives is
:mod:`aistream_nb.http`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from aistream_nb.core.kinds import SECONDS, Kind, wrong_kind

__all__ = ["ANSWER_LIMIT", "HttpAnswer", "HttpRequest", "Timeouts"]

ANSWER_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of an answer, unless the caller says otherwise: days of a model's talk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds that each phase may take; ``None`` waits for ever.

    Raises:
        ValueError: One is no number above 0.
    """

    connect: float | None = 15.0
    write: float | None = 60.0
    first_byte: float | None = 120.0
    """From the request to the first byte of the answer's body."""
    read: float | None = 600.0
    """Between two pieces of the body. Models think for minutes."""

    def __post_init__(self) -> None:
        names = ("connect", "write", "first_byte", "read")
        kinds: dict[str, Kind] = dict.fromkeys(names, SECONDS)
        given = ((name, getattr(self, name)) for name in names)
        wrong = wrong_kind(given, kinds, optional=names)
        if wrong is not None:
            raise ValueError(wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request. Its headers may hold keys, so they are not shown."""

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: bytes = field(default=b"", repr=False)
    provider: str = "http"
    """Whom errors name."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What is taken out of everything that errors quote."""
    max_answer_bytes: int | None = ANSWER_LIMIT
    """The longest body that is read; ``None`` reads as long as bytes come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """What a scripted transport answers."""

    chunks: AsyncIterable[bytes]
    status: int = 200
    headers: Mapping[str, str] = field(
        default_factory=lambda: {"content-type": "text/event-stream"}
    )
