"""A whole stream judged: one call, one report for people and for machines.

:func:`check_ordering` takes events in whatever form somebody has them: mappings, JSON
text, objects of the official SDK, or the bytes of an SSE answer. Files are read by
those above: nothing here opens one. The report is deterministic: the same stream gives
the same text, HTML, JSON and JUnit file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from xml.sax.saxutils import quoteattr

from aistream_nb.core.counted import counted
from aistream_nb.core.json_text import encode_json, is_blank
from aistream_nb.core.ordering.page import report_page
from aistream_nb.core.ordering.rules import LEVELS, Profile
from aistream_nb.core.ordering.verifier import (
    DialectChoice,
    OrderingVerifier,
    Violation,
)
from aistream_nb.core.values import is_mapping
from aistream_nb.core.wire.frame_readers import frames_of_body
from aistream_nb.core.wire.frames import MAX_FRAME, Frame, check_answer

__all__ = ["OrderingReport", "check_ordering"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OrderingReport:
    """What a stream breaks."""

    violations: tuple[Violation, ...]
    """In the order of the stream; what is about all of it comes first or last."""
    count: int
    """How many events were judged."""
    profile: Profile

    @property
    def ok(self) -> bool:
        """Whether nothing is fatal and nothing an error."""
        return self.first is None

    @property
    def first(self) -> Violation | None:
        """The first violation that makes the stream wrong."""
        wrong = (v for v in self.violations if v.level in {"fatal", "error"})
        return next(wrong, None)

    def __repr__(self) -> str:
        return "\n".join([self.summary, *(f"  {v}" for v in self.violations)])

    @property
    def summary(self) -> str:
        """One line: how many events, how many violations of which level."""
        counts = Counter(v.level for v in self.violations)
        said = [f"{counts[level]} {level}" for level in LEVELS if counts[level]]
        events = counted(self.count, "event")
        verdict = "in order" if self.ok else "out of order"
        return (
            f"{events} {verdict} ({self.profile}): {', '.join(said) or 'nothing found'}"
        )

    def _repr_html_(self) -> str:
        return report_page(self.summary, self.violations, ok=self.ok)

    def to_dict(self) -> dict[str, Any]:
        """The report as a mapping."""
        return {
            "ok": self.ok,
            "profile": self.profile,
            "events": self.count,
            "violations": [violation.to_dict() for violation in self.violations],
        }

    def to_json(self) -> str:
        """The report as JSON text, on one line."""
        return encode_json(self.to_dict())

    def to_junit(self, *, name: str = "stream") -> str:
        """The report as a JUnit file: one case a violation, or one that passed."""
        failed = sum(v.level in {"fatal", "error"} for v in self.violations)
        cases = [_case(violation, name) for violation in self.violations] or [
            f"    <testcase classname={_attribute(name)} name={_attribute('order')}/>"
        ]
        tests, failures = _attribute(len(cases)), _attribute(failed)
        counts = f"name={_attribute(name)} tests={tests} failures={failures}"
        return "\n".join(
            [
                '<?xml version="1.0" encoding="utf-8"?>',
                "<testsuites>",
                f"  <testsuite {counts}>",
                *cases,
                "  </testsuite>",
                "</testsuites>",
                "",
            ]
        )


def check_ordering(  # noqa: PLR0913  # each is independent, and keyword-only
    events: object,
    *,
    profile: Profile = "spec",
    run_input: Mapping[str, Any] | None = None,
    interrupts: Iterable[Mapping[str, Any]] = (),
    now: str | None = None,
    dialect: DialectChoice = "official",
    status: int = 200,
    content_type: str | None = None,
    max_frame: int = MAX_FRAME,
) -> OrderingReport:
    """A report on a whole stream.

    ``events`` are mappings, JSON texts or objects of the official SDK, or something
    that has such ``.events``, such as a recording; or the bytes of an answer (SSE, or
    Protocol Buffers if ``content_type`` says so); or the text of an SSE answer or of
    JSON lines. For bytes ``status`` and ``content_type`` are judged too. For the other
    arguments see :class:`~aistream_nb.OrderingVerifier`.

    Raises:
        AIStreamError: ``profile`` or ``dialect`` is no word that is known.
        TypeError: It is none of these, such as a path: files are opened by others.

    >>> check_ordering([{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]).ok
    False
    """
    verifier = OrderingVerifier(
        profile=profile,
        run_input=run_input,
        interrupts=interrupts,
        now=now,
        dialect=dialect,
    )
    source = _source(events)
    if isinstance(source, bytes):
        for found in check_answer(status=status, content_type=content_type):
            verifier.note(found, index=-1)
        has_body = 200 <= status < 300  # noqa: PLR2004  # HTTP's success
        body = source if has_body else b""
        frames = frames_of_body(body, content_type, max_frame=max_frame)
        count = _judge_frames(
            verifier, [*frames.receive(body), *frames.close()], dialect
        )
    else:
        count = 0
        for count, event in enumerate(source, start=1):  # noqa: B007  # it is returned
            verifier.receive(event)
    verifier.close()
    return OrderingReport(violations=verifier.violations, count=count, profile=profile)


def _source(events: object) -> bytes | Iterable[object]:
    """The bytes or the events that somebody means."""
    if isinstance(events, memoryview):
        return cast("memoryview[int]", events).tobytes()
    if isinstance(events, (bytes, bytearray)):
        return bytes(events)
    if isinstance(events, str):
        return _text_source(events)
    held = getattr(events, "events", events)
    if is_mapping(held) or not isinstance(held, Iterable):
        raise TypeError(
            f"check_ordering takes events, not {type(events).__name__}; a file is "
            "opened by Recording.load(path)"
        )
    return cast("Iterable[object]", held)


def _text_source(text: str) -> bytes | Iterable[object]:
    """JSON lines begin with an object; an SSE answer with a field or a comment."""
    start = text.lstrip()
    if start.startswith("{"):
        return [line for line in text.split("\n") if not is_blank(line)]
    if _SSE_START.match(start):
        return text.encode("utf-8", "surrogatepass")
    raise TypeError(
        "check_ordering takes the text of events, and this text is none; a file is "
        "opened by Recording.load(path)"
    )


def _judge_frames(
    verifier: OrderingVerifier, frames: Iterable[Frame], dialect: DialectChoice
) -> int:
    count = 0
    for frame in frames:
        if frame.is_done and dialect != "official":
            continue
        for found in frame.faults:
            verifier.note(found, index=frame.index)
        if frame.event is not None:
            count += 1
            verifier.receive(frame.event, index=frame.index)
    return count


_SSE_START: Final = re.compile(r"(data|event|id|retry)?:")

_CONTROL: Final = {
    code: " " for code in (*range(0x20), 0x7F) if code not in (9, 10, 13)
}


def _attribute(value: object) -> str:
    """A quoted attribute of XML; what XML cannot hold is replaced."""
    text = str(value).translate(_CONTROL).encode("utf-8", "replace").decode("utf-8")
    return quoteattr(text, {"\n": "&#10;", "\ufffe": "?", "\uffff": "?"})


def _case(violation: Violation, name: str) -> str:
    case = (
        f"    <testcase classname={_attribute(name)} "
        f"name={_attribute(f'{violation.rule} @ {violation.index}')}"
    )
    if violation.level not in {"fatal", "error"}:
        return f"{case}/>"
    return (
        f"{case}><failure type={_attribute(violation.rule)} "
        f"message={_attribute(violation)}/></testcase>"
    )
