"""Chunk events made explicit: START, CONTENT or ARGS, and END (AG-UI, section 6).

A *lane* is one value of ``subagentRunId``; the parent agent's lane has none. A lane
holds at most one stream of chunks. The next item in the lane ends it, and so do the
events of the two tables below; the end of the bytes ends nothing.

The expander is total: whatever comes, nothing is raised and no delta is lost. What is
wrong with a chunk is a :class:`ChunkFault`, kept in :attr:`ChunkExpander.faults` until
the next event. It is reported once: a first chunk without an id gets one, and what
continues it is no second fault.

Not here: the judgement of the explicit events (``core.ordering``), and of the values
of fields (``core.wire.schema``). A value of a wrong type counts as absent.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.values import Event

__all__ = [
    "CHUNK_FORMS",
    "CLOSES_ALL_LANES",
    "CLOSES_OWN_LANE",
    "ChunkExpander",
    "ChunkFault",
    "ChunkForm",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkForm:
    """How one kind of chunk is written out."""

    kind: str
    what: str
    id_field: str
    start: str
    content: str
    end: str
    opener_fields: tuple[str, ...]
    """Fields of the START, which a later chunk may repeat but not change."""
    required: tuple[str, ...] = ()
    """Those of them that a START cannot be without."""
    fixed: tuple[tuple[str, str], ...] = ()
    """Fields of the START that a chunk does not have."""
    defaults: tuple[tuple[str, str], ...] = ()
    """What the opener said when it said nothing."""


CHUNK_FORMS: Final[Mapping[str, ChunkForm]] = {
    "TEXT_MESSAGE_CHUNK": ChunkForm(
        kind="text",
        what="text message",
        id_field="messageId",
        start="TEXT_MESSAGE_START",
        content="TEXT_MESSAGE_CONTENT",
        end="TEXT_MESSAGE_END",
        opener_fields=("role", "name"),
        defaults=(("role", "assistant"),),
    ),
    "TOOL_CALL_CHUNK": ChunkForm(
        kind="tool",
        what="tool call",
        id_field="toolCallId",
        start="TOOL_CALL_START",
        content="TOOL_CALL_ARGS",
        end="TOOL_CALL_END",
        opener_fields=("toolCallName", "parentMessageId"),
        required=("toolCallName",),
    ),
    "REASONING_MESSAGE_CHUNK": ChunkForm(
        kind="reasoning",
        what="reasoning message",
        id_field="messageId",
        start="REASONING_MESSAGE_START",
        content="REASONING_MESSAGE_CONTENT",
        end="REASONING_MESSAGE_END",
        opener_fields=(),
        fixed=(("role", "reasoning"),),
    ),
}
"""One row per chunk event."""

CLOSES_OWN_LANE: Final = frozenset(
    {
        *("TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"),
        *("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"),
        *("STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED", "CUSTOM"),
        *("REASONING_START", "REASONING_END", "REASONING_MESSAGE_START"),
        *("REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END"),
        *("SUBAGENT_FINISHED", "SUBAGENT_ERROR"),
    }
)
"""These end the stream of the lane that they are tagged with."""

CLOSES_ALL_LANES: Final = frozenset(
    {"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"}
)
"""These end every stream, in the order in which the streams were opened."""

_OWNER: Final = "subagentRunId"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkFault:
    """What is wrong with one chunk event."""

    rule: str
    """A rule id, such as ``chunk.text_first_id``."""
    message: str
    expected: str
    ids: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class _Stream:
    form: ChunkForm
    id: str
    owner: str | None
    opener: dict[str, str]

    def end(self) -> Event:
        return self.event(self.form.end)

    def event(self, event_type: str, *sources: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {"type": event_type, self.form.id_field: self.id}
        if self.owner is not None:
            made[_OWNER] = self.owner
        for source in sources:
            made.update(source)
        return made


class ChunkExpander:
    """Explicit events in place of chunks, one event at a time.

    >>> expander = ChunkExpander()
    >>> [
    ...     e["type"]
    ...     for e in expander.receive(
    ...         {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "Hi"}
    ...     )
    ... ]
    ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT']
    >>> [e["type"] for e in expander.receive({"type": "RUN_FINISHED"})]
    ['TEXT_MESSAGE_END', 'RUN_FINISHED']
    """

    def __init__(self) -> None:
        # Insertion order is opening order: a stream that ends leaves its lane.
        self._lanes: dict[str | None, _Stream] = {}
        self._minted: int = 0
        self.faults: tuple[ChunkFault, ...] = ()
        """What was wrong with the event that was received last."""

    def receive(self, event: Event) -> tuple[Event, ...]:
        """The explicit events that ``event`` stands for, in order.

        An event that is no chunk comes back itself, behind the ENDs that it causes.
        """
        self.faults = ()
        event_type = event.get("type")
        if not isinstance(event_type, str):
            return (event,)
        form = CHUNK_FORMS.get(event_type)
        if form is not None:
            return tuple(self._chunk(form, event))
        if event_type in CLOSES_ALL_LANES:
            return (*self._end_lanes(tuple(self._lanes)), event)
        if event_type in CLOSES_OWN_LANE:
            return (*self._end_lanes((_text(event, _OWNER),)), event)
        return (event,)

    def twin(self) -> ChunkExpander:
        """Another expander with the same streams open."""
        twin = copy.copy(self)
        # Streams do not change once they are open.
        twin._lanes = dict(self._lanes)  # noqa: SLF001 - one of us
        return twin

    def is_open(self, kind: str, item_id: str) -> bool:
        """Whether chunks of this kind (text, tool, reasoning) and id are joined now."""
        return any(
            stream.form.kind == kind and stream.id == item_id
            for stream in self._lanes.values()
        )

    def _end_lanes(self, owners: Iterable[str | None]) -> list[Event]:
        ended = (self._lanes.pop(owner, None) for owner in owners)
        return [stream.end() for stream in ended if stream is not None]

    def _chunk(self, form: ChunkForm, event: Event) -> list[Event]:
        stream = self._joined(form, event)
        if stream is None:
            return self._open(form, event)
        self._compare(stream, event)
        return _content(stream, event, continues=True)

    def _joined(self, form: ChunkForm, event: Event) -> _Stream | None:
        """The open stream that the chunk continues, if it continues one."""
        item_id, owner = _text(event, form.id_field), _text(event, _OWNER)
        alike = [s for s in self._lanes.values() if s.form is form]
        if item_id is not None:
            return next((s for s in alike if s.id == item_id), None)
        if owner is not None:
            return next((s for s in alike if s.owner == owner), None)
        parents = [s for s in alike if s.owner is None]
        if len(alike) > 1 and not parents:
            self._fault(
                "chunk.ambiguous_lane",
                f"a chunk has neither {form.id_field} nor subagentRunId, and "
                f"{len(alike)} subagents have an open {form.what}",
                f"a chunk with the {form.id_field} or the subagentRunId it belongs to",
                *(s.id for s in alike),
            )
        # NB: an ambiguous chunk goes to the stream opened last, so no text is lost.
        return (parents or alike or [None])[-1]

    def _compare(self, stream: _Stream, event: Event) -> None:
        """Report what a continuing chunk says differently from its opener."""
        form, owner = stream.form, _text(event, _OWNER)
        if owner is not None and owner != stream.owner:
            self._fault(
                "chunk.owner_conflict",
                f"a chunk of {form.what} {stream.id!r} is tagged {owner!r}, and its "
                f"opener was {_owner_name(stream.owner)}",
                "the opener's subagentRunId, or none",
                stream.id,
            )
        for field in form.opener_fields:
            said = _text(event, field)
            if said is not None and said != stream.opener.get(field):
                self._fault(
                    "chunk.field_conflict",
                    f"a chunk of {form.what} {stream.id!r} says another {field} than "
                    "its opener",
                    f"the opener's {field}, or none",
                    stream.id,
                )

    def _open(self, form: ChunkForm, event: Event) -> list[Event]:
        owner = _text(event, _OWNER)
        made = self._end_lanes((owner,))
        opener = {
            field: said
            for field in form.opener_fields
            if (said := _text(event, field)) is not None
        }
        stream = _Stream(
            form=form,
            id=self._first_id(form, event),
            owner=owner,
            opener={**dict(form.defaults), **opener},
        )
        for field in form.required:
            if field not in opener:
                if not self.faults:  # one chunk that lacks both is one fault
                    self._missing(form, field, stream.id)
                opener[field] = ""
        self._lanes[owner] = stream
        start = stream.event(
            form.start, dict(form.fixed), opener, _carried(event, "metadata")
        )
        return [*made, start, *_content(stream, event, continues=False)]

    def _first_id(self, form: ChunkForm, event: Event) -> str:
        item_id = _text(event, form.id_field)
        if item_id is not None:
            return item_id
        self._missing(form, form.id_field)
        self._minted += 1
        return f"chunk-{self._minted}"

    def _missing(self, form: ChunkForm, field: str, *ids: str) -> None:
        suffix = "first_id" if field == form.id_field else "first_name"
        self._fault(
            f"chunk.{form.kind}_{suffix}",
            f"the first chunk of a {form.what} has no {field}",
            f"{field} on the first chunk, and after every event that ended a stream",
            *ids,
        )

    def _fault(self, rule: str, message: str, expected: str, *ids: str) -> None:
        fault = ChunkFault(rule=rule, message=message, expected=expected, ids=ids)
        self.faults = (*self.faults, fault)


def _content(stream: _Stream, event: Event, *, continues: bool) -> list[Event]:
    """The CONTENT or ARGS of a chunk; none if it brings nothing."""
    raw, delta = event.get("rawEvent"), event.get("delta")
    brings = isinstance(delta, str) or raw is not None
    if not brings and not (continues and "metadata" in event):
        return []
    # NB: the tag is the opener's. Another one is a fault, told already.
    return [
        stream.event(
            stream.form.content,
            {"delta": delta if isinstance(delta, str) else ""},
            _carried(event, "metadata"),
            {} if raw is None else {"rawEvent": raw},
        )
    ]


def _carried(event: Event, *fields: str) -> dict[str, Any]:
    return {field: event[field] for field in (*fields, "timestamp") if field in event}


def _text(event: Event, field: str) -> str | None:
    """The field, if it is text; null and every other value count as absent."""
    value = event.get(field)
    return value if isinstance(value, str) else None


def _owner_name(owner: str | None) -> str:
    return "the parent agent" if owner is None else f"subagent {owner!r}"
