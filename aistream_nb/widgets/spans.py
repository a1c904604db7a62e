"""What opened and closed over the events of a stream, as spans to draw.

It reads the types and ids of events and nothing else, and judges nothing: whatever
comes, a span comes out or is left open. Judging is the verifier's work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import Event
from aistream_nb.widgets.view_model import clean
from aistream_nb.widgets.wire_inspector import SpanKind, SpanView

__all__ = ["SpanTracker"]

_LABEL: Final = 60

Key: TypeAlias = tuple[SpanKind, str]


@dataclass(slots=True)
class _Span:
    kind: SpanKind
    id: str
    label: str
    start: int
    end: int | None = None


class SpanTracker:
    """Takes events one after the other.

    >>> tracker = SpanTracker()
    >>> for event in [
    ...     {"type": "TEXT_MESSAGE_START", "messageId": "m"},
    ...     {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"},
    ...     {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    ... ]:
    ...     tracker.receive(event)
    >>> [(span.kind, span.start, span.end) for span in tracker.spans]
    [('message', 0, 2)]
    """

    def __init__(self) -> None:
        self._index = 0
        self._spans: list[_Span] = []
        self._open: dict[Key, _Span] = {}
        self._calls: dict[str, _Span] = {}

    @property
    def spans(self) -> tuple[SpanView, ...]:
        """All spans so far, in the order of their start."""
        return tuple(
            SpanView(
                kind=span.kind,
                id=span.id,
                label=span.label,
                start=span.start,
                end=span.end,
            )
            for span in self._spans
        )

    def receive(self, event: Event) -> None:
        """Take the next event."""
        rule = self._RULES.get(str(event.get("type", "")))
        if rule is not None:
            action, kind, name = rule
            action(self, kind, _text(event, name), event)
        self._index += 1

    def _start(self, kind: SpanKind, key: str, event: Event) -> None:
        named = event.get("toolCallName") or event.get("toolName") or key or kind
        span = _Span(kind, key, clean(str(named))[:_LABEL], self._index)
        self._spans.append(span)
        self._open[kind, key] = span
        if kind == "call":
            self._calls[key] = span

    def _end(self, kind: SpanKind, key: str, event: Event) -> None:
        del event
        span = self._open.pop((kind, key), None)
        if span is not None:
            span.end = self._index

    def _end_run(self, kind: SpanKind, key: str, event: Event) -> None:
        del key, event
        for open_kind, open_key in tuple(self._open):
            if open_kind == kind:
                self._end(kind, open_key, {})

    def _chunk(self, kind: SpanKind, key: str, event: Event) -> None:
        """A chunk opens and closes by itself; its span grows with the next."""
        last = self._spans[-1] if self._spans else None
        if last is None or last.kind != kind or (key and last.id != key):
            self._start(kind, key, event)
            self._open.pop((kind, key))
        self._spans[-1].end = self._index

    def _result(self, kind: SpanKind, key: str, event: Event) -> None:
        del kind, event
        span = self._calls.get(key)
        if span is not None and span.end is not None:
            span.end = self._index

    _RULES: Final[Mapping[str, tuple[Callable[..., None], SpanKind, str]]] = {
        "RUN_STARTED": (_start, "run", "runId"),
        "RUN_FINISHED": (_end_run, "run", "runId"),
        "RUN_ERROR": (_end_run, "run", "runId"),
        "STEP_STARTED": (_start, "step", "stepName"),
        "STEP_FINISHED": (_end, "step", "stepName"),
        "TEXT_MESSAGE_START": (_start, "message", "messageId"),
        "TEXT_MESSAGE_END": (_end, "message", "messageId"),
        "TEXT_MESSAGE_CHUNK": (_chunk, "message", "messageId"),
        "REASONING_START": (_start, "reasoning", "messageId"),
        "REASONING_END": (_end, "reasoning", "messageId"),
        "REASONING_MESSAGE_CHUNK": (_chunk, "reasoning", "messageId"),
        "TOOL_CALL_START": (_start, "call", "toolCallId"),
        "TOOL_CALL_END": (_end, "call", "toolCallId"),
        "TOOL_CALL_CHUNK": (_chunk, "call", "toolCallId"),
        "TOOL_CALL_RESULT": (_result, "call", "toolCallId"),
    }


def _text(event: Event, name: str) -> str:
    value: Any = event.get(name)
    return clean(value) if isinstance(value, str) else ""
