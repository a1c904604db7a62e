"""The order of AG-UI events: what it is, and where a stream breaks it."""

from __future__ import annotations

from aistream_nb.core.ordering.verifier import (
    RULES,
    DialectChoice,
    OrderingVerifier,
    Violation,
    diagram,
)

__all__ = [
    "RULES",
    "DialectChoice",
    "OrderingVerifier",
    "Violation",
    "diagram",
]
