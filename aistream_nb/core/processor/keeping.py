"""States of a processor that are kept, so that one can go back to them.

A *kept* state is a value: nothing changes it any more. It holds an *image* of each
message and each call, a draft that is asleep. Rules that a change must keep.

Rule 1: what goes on after :func:`put_back` is what would have gone on after
:func:`keep`, event for event. Whatever the rules of the processor write into a stream,
a message or a call is here.
Rule 2: an image is shared by all kept states between two changes of its message or
call, and a text by all images: keeping a stream costs its length, however often.
Rule 3: putting back touches only what is different, so that its cost is that of the
way and not that of the conversation.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from aistream_nb.core.partial_json.parsers import PartialJSONParser
from aistream_nb.core.processor.callbacks import Activity
from aistream_nb.core.processor.drafts import (
    CallDraft,
    Draft,
    GrowingText,
    StructuredDraft,
)
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.results import Run
from aistream_nb.core.processor.stream import CallRecord, Stream
from aistream_nb.core.values import JSONValue
from aistream_nb.core.wire.chunks import ChunkExpander

if TYPE_CHECKING:
    from aistream_nb.core.processor.rules import RuleBook

__all__ = ["CountedIds", "Kept", "counted_ids", "keep", "put_back"]

_T = TypeVar("_T")

_PLAIN: Final = (
    "done",
    "finish_reason",
    "has_error",
    "is_new_round",
    "promised",
    "step",
)
"""What a stream holds of values that never change."""


class CountedIds:
    """Ids that are counted; the count is kept and put back with the rest."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.count: int = 0

    def __call__(self) -> str:
        """The next id."""
        self.count += 1
        return f"{self._prefix}{self.count}"


def counted_ids(prefix: str = "msg-") -> Callable[[], str]:
    """A factory of ids that counts, so that a replay makes the same ones.

    >>> make = counted_ids()
    >>> make(), make()
    ('msg-1', 'msg-2')
    """
    return CountedIds(prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The state of one processor at one moment."""

    received: int
    ids: int
    drafts: tuple[MessageDraft, ...]
    others: tuple[MessageDraft, ...]
    """Messages that the stream knows and the list does not have any more."""
    calls: tuple[CallRecord, ...]
    opened: tuple[object, ...]
    filled: tuple[object, ...]
    current: object
    plain: Mapping[str, Any]
    announced: Mapping[str, Any]
    thinking: GrowingText
    unclaimed: Mapping[str, Any]
    run: Run
    shared_state: JSONValue
    activities: Mapping[str, Activity]
    stretches: int
    is_expanding: bool
    expander: ChunkExpander


def keep(stream: Stream, book: RuleBook, *, received: int) -> Kept:
    """The state of a stream and of its rules, as it is now."""
    drafts = list(stream.transcript)
    listed = {draft.key for draft in drafts}
    current = () if stream.current is None else (stream.current,)
    homes = [record.message for record in stream.calls.values()]
    known = (*stream.opened, *stream.filled, *current, *homes)
    others = dict.fromkeys(draft for draft in known if draft.key not in listed)
    ids = stream.options.id_factory
    return Kept(
        received=received,
        ids=ids.count if isinstance(ids, CountedIds) else 0,
        drafts=_images(drafts, _image),
        others=_images(others, _image),
        calls=_images(stream.calls.values(), _record_image),
        opened=tuple([draft.key for draft in stream.opened]),
        filled=tuple([draft.key for draft in stream.filled]),
        current=None if stream.current is None else stream.current.key,
        plain={name: getattr(stream, name) for name in _PLAIN},
        announced=dict(stream.announced),
        thinking=stream.thinking.asleep(),
        unclaimed=dict(book.tools.unclaimed),
        run=book.runs.run,
        shared_state=book.shared.state,
        activities=dict(book.shared.activities),
        stretches=book.stretches,
        is_expanding=book.is_expanding,
        expander=book.expander.twin(),
    )


def put_back(kept: Kept, stream: Stream, book: RuleBook) -> None:
    """Make a stream and its rules as they were when they were kept."""
    ids = stream.options.id_factory
    if isinstance(ids, CountedIds):
        ids.count = kept.ids
    _put_back_messages(kept, stream)
    stream.announced = dict(kept.announced)
    stream.thinking = kept.thinking.awake()
    for name, value in kept.plain.items():
        setattr(stream, name, value)
    book.tools.unclaimed = dict(kept.unclaimed)
    book.runs.run = kept.run
    book.shared.state = kept.shared_state
    book.shared.activities = dict(kept.activities)
    book.stretches = kept.stretches
    book.expander = kept.expander.twin()
    if kept.is_expanding and not book.is_expanding:
        book.expand_all()


def _put_back_messages(kept: Kept, stream: Stream) -> None:
    live = {it.image: it for it in stream.transcript if it.is_kept}
    drafts = [live[it] if it in live else _woken(it) for it in kept.drafts]
    stream.transcript.put_back(drafts)
    found = {draft.key: draft for draft in drafts}
    found |= {draft.key: _woken(draft) for draft in kept.others}
    stream.opened = [found[key] for key in kept.opened]
    stream.filled = [found[key] for key in kept.filled]
    stream.current = None if kept.current is None else found[kept.current]
    records = {it.image: it for it in stream.calls.values() if it.is_kept}
    stream.calls = {
        it.id: records[it] if it in records else _woken_record(it) for it in kept.calls
    }
    for record in stream.calls.values():
        record.message = found[record.message.key]


# ------------------------------------------------------------ images


def _images(live: Iterable[_T], image: Callable[[_T], _T]) -> tuple[_T, ...]:
    """The images of what is live; those of what did not change are there."""
    kept: Any = live
    return tuple([it.image if it.is_kept else image(it) for it in kept])


def _image(draft: MessageDraft) -> MessageDraft:
    image = draft.image = draft.twin(_Copier(_asleep))
    draft.is_kept = True
    draft.is_settled = True  # so that the next delta is a touch
    return image


def _record_image(record: CallRecord) -> CallRecord:
    image = record.image = _record_twin(record, _asleep)
    record.is_kept = True
    return image


def _woken(image: MessageDraft) -> MessageDraft:
    draft = image.twin(_Copier(_awake))
    draft.image = image
    draft.is_kept = True
    return draft


def _woken_record(image: CallRecord) -> CallRecord:
    record = _record_twin(image, _awake)
    record.preview = _preview_of(record.arguments)
    record.image = image
    record.is_kept = True
    return record


def _record_twin(
    record: CallRecord, text: Callable[[GrowingText], GrowingText]
) -> CallRecord:
    twin = copy.copy(record)
    twin.arguments = text(record.arguments)
    twin.preview = PartialJSONParser()
    return twin


def _preview_of(text: GrowingText) -> PartialJSONParser:
    """A preview that has read a text that was just woken."""
    preview = PartialJSONParser()
    preview.receive("".join(text.pending))
    return preview


def _asleep(text: GrowingText) -> GrowingText:
    return text.asleep()


def _awake(text: GrowingText) -> GrowingText:
    return text.awake()


class _Copier:
    """Copies what a message is made of, each thing once; finished parts stay."""

    def __init__(self, text: Callable[[GrowingText], GrowingText]) -> None:
        self._text = text
        self._made: dict[int, Any] = {}

    def __call__(self, part: Any) -> Any:
        if not isinstance(part, (Draft, GrowingText)):
            return part
        known = self._made.get(id(part))
        if known is None:
            known = self._made[id(part)] = self._copied(part)
        return known

    def _copied(self, part: Any) -> Any:
        twin = self._text_or_draft(part)
        if isinstance(part, CallDraft):
            twin.arguments = self(part.arguments)
        elif isinstance(part, StructuredDraft):
            twin.raw = self(part.raw)
            twin.preview = _preview_of(twin.raw)
        if isinstance(part, Draft):
            twin.frozen = None
        return twin

    def _text_or_draft(self, part: Any) -> Any:
        return self._text(part) if isinstance(part, GrowingText) else copy.copy(part)
