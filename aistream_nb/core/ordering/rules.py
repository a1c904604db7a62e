"""Every rule of the order: its id, its level, what it means, how to mend it.

One row a rule. The rows are in three tables by where the rule comes from; docs,
reports and tests are made from them, so a rule is explained in one place only. Each
has a stream that breaks it and one that keeps it, and a test runs both.

Ids are stable: people write them into their notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from aistream_nb.core.spelling import nearest
from aistream_nb.core.values import Event
from aistream_nb.errors import AIStreamError

__all__ = [
    "LEVELS",
    "PROFILES",
    "Example",
    "Level",
    "Profile",
    "Rule",
    "check_word",
    "event",
    "run",
]

Level: TypeAlias = Literal["fatal", "error", "warning", "info", "dialect"]
Profile: TypeAlias = Literal["client", "spec", "teach"]

LEVELS: Final[Mapping[Level, str]] = {
    "fatal": "the official client refuses the stream",
    "error": "the specification forbids it, although the client lets it through",
    "warning": "legal, and wrong in practice",
    "info": "legal, and worth knowing",
    "dialect": "legal in an older dialect only, and translated",
}
"""Level, and what it says. Only ``fatal`` and ``error`` make a report not ok."""

PROFILES: Final[Mapping[Profile, frozenset[Level]]] = {
    "client": frozenset({"fatal"}),
    "spec": frozenset({"fatal", "error"}),
    "teach": frozenset({"fatal", "error", "warning", "info", "dialect"}),
}
"""Profile, and the levels that it shows."""


def check_word(name: str, given: object, known: Iterable[str]) -> None:
    """Refuse a word that is none of those that an argument may be.

    Raises:
        AIStreamError: It is none; the message says which was most likely meant.
    """
    words = list(known)
    if given in words:
        return
    meant = nearest(given, words) if isinstance(given, str) else None
    hint = "" if meant is None else f" Did you mean {meant!r}?"
    raise AIStreamError(
        f"{name}={given!r} is not known.{hint} It is one of "
        f"{', '.join(repr(word) for word in words)}."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A stream, and what is around it."""

    events: tuple[Event, ...] = ()
    run_input: Mapping[str, Any] | None = None
    """The request that the stream answers."""
    interrupts: tuple[Mapping[str, Any], ...] = ()
    """What waited for a person when the request was sent."""
    now: str | None = None
    body: bytes | None = None
    """Bytes in place of events."""
    status: int = 200
    content_type: str | None = None
    max_frame: int | None = None
    dialect: str = "official"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule."""

    id: str
    level: Level
    meaning: str
    """What must hold, in one line."""
    fix: str
    """What to change in the producer."""
    breaks: Example
    keeps: Example
    shown_from: Profile | None = None
    """The least profile that shows it, if its level alone does not say so."""

    def is_shown_in(self, profile: Profile) -> bool:
        """Whether a profile shows violations of this rule.

        A rule that is only about reading (``shown_from``) is shown in its profile
        although its level does not make the stream wrong.
        """
        return self.level in PROFILES[profile] or profile == self.shown_from


def event(event_type: str, **fields: Any) -> Event:
    """An event of an example."""
    return {"type": event_type, **fields}


STARTED: Final = event("RUN_STARTED", threadId="t1", runId="r1", protocolVersion="1.0")


def run(*events: Event, **finish: Any) -> tuple[Event, ...]:
    """A run of an example: begun, filled and finished."""
    return (
        STARTED,
        *events,
        event("RUN_FINISHED", threadId="t1", runId="r1", **finish),
    )
