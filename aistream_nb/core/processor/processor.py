"""The stream processor: events in, messages out.

Everything a person sees is a fold of events made here. Rules that a change must keep.

Rule 1: total. No event raises, in whatever order it comes; judging the order is the
work of :mod:`aistream_nb.core.ordering`. Only a callback of the caller can raise.
Rule 2: no text is lost, repeated or moved, and no result is dropped.
Rule 3: what was handed in or out is never modified, and a message that did not change
is the same object in the next list.
Rule 4: an event costs the same however long the history, the message or its text is.

Which rule deals with which event is told in :mod:`aistream_nb.core.processor.rules`.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from typing import Any

from aistream_nb.core.conversion import convert_messages
from aistream_nb.core.messages import TextPart, UIMessage, part_from_wire
from aistream_nb.core.processor.callbacks import Activity, ProcessorCallbacks
from aistream_nb.core.processor.dialects import FieldReader
from aistream_nb.core.processor.keeping import Kept, counted_ids, keep, put_back
from aistream_nb.core.processor.reference_recording import ReferenceRecording
from aistream_nb.core.processor.results import Run, StreamResult, StreamState
from aistream_nb.core.processor.rules import RuleBook
from aistream_nb.core.processor.strategies import ChunkStrategy, ImmediateStrategy
from aistream_nb.core.processor.stream import JSONParser, Stream, StreamOptions
from aistream_nb.core.processor.transcript import Transcript
from aistream_nb.core.values import ABSENT, Event, JSONValue
from aistream_nb.core.wire.events import as_event

__all__ = ["StreamProcessor", "counted_ids"]


def _no_time() -> None:
    return None


class StreamProcessor:
    """Folds AG-UI events, of either dialect, into messages.

    Args:
        callbacks: Who is told of what, and when.
        strategy: When text is shown; at once by default.
        initial_messages: The history to go on with, as values or as JSON.
        recording: Whether :meth:`process` records what it gets.
        json_parser: Reads arguments that may be incomplete, instead of ours.
        id_factory: Makes ids for messages that the stream does not name.
        now: Tells the time of new messages and of recorded events.
        message_per_id: Whether each message id of the stream is a message of its
            own. Otherwise one prepared stream is one assistant's message.
        final_states: Whether a call that has its result is ``complete`` or ``error``,
            where the reference leaves it at ``input-complete``.

    >>> processor = StreamProcessor()
    >>> processor.receive({"type": "TEXT_MESSAGE_CONTENT", "delta": "Ahoy"})
    >>> processor.messages[0].text
    'Ahoy'
    """

    def __init__(  # noqa: PLR0913 - every option has a default and is given by name
        self,
        *,
        callbacks: ProcessorCallbacks | Mapping[str, Any] | None = None,
        strategy: ChunkStrategy | None = None,
        initial_messages: Iterable[UIMessage | Mapping[str, Any]] = (),
        recording: bool = False,
        json_parser: JSONParser | None = None,
        id_factory: Callable[[], str] | None = None,
        now: Callable[[], object] | None = None,
        message_per_id: bool = False,
        final_states: bool = False,
    ) -> None:
        self._callbacks = ProcessorCallbacks.of(callbacks)
        self._options = StreamOptions(
            id_factory=id_factory or counted_ids(),
            now=now or _no_time,
            strategy=strategy or ImmediateStrategy(),
            json_parser=json_parser,
            message_per_id=message_per_id,
            final_states=final_states,
        )
        self._records_runs = recording
        self._recording: ReferenceRecording | None = None
        self._begin(tuple(map(_as_message, initial_messages)))

    def _begin(self, messages: Iterable[UIMessage]) -> None:
        """Everything as it is before the first event."""
        self._received = 0
        self._reader = FieldReader(
            self._callbacks.on_problem, position=lambda: self._received - 1
        )
        self._transcript = Transcript(messages)
        self._stream = Stream(
            options=self._options,
            callbacks=self._callbacks,
            transcript=self._transcript,
            reader=self._reader,
        )
        self._book = RuleBook(self._stream, on_first_chunk=self._end_short_road)
        self._rules = self._book.rules
        is_plain = self._recording is None and not self._stream.is_observed
        self._appending = self._stream if is_plain else None

    def _end_short_road(self) -> None:
        """From now on every event is for the rules, or for a recording."""
        self._appending = None

    # ------------------------------------------------------------ events in

    def receive(self, event: Any) -> None:
        """Take one event: a mapping, JSON text, or an object of the official SDK."""
        # The short road, which nearly every event of a stream takes: text that goes on
        # with what is shown is an append and a notice. It does what the rule in
        # ``text`` does, and stands here because one call more is what would cost it
        # most. All else is for the rules.
        stream = self._appending
        if stream is not None and event.__class__ is dict:
            message = stream.current
            if message is not None and (part := message.text_part) is not None:
                try:
                    is_its = event["type"] == "TEXT_MESSAGE_CONTENT" and (
                        not stream.is_per_id or event["messageId"] == message.id
                    )
                    delta = event["delta"] if is_its else None
                except KeyError:
                    delta = None
                if delta and delta.__class__ is str:
                    part.pending.append(delta)
                    stream.is_new_round = False
                    if message.is_settled:
                        stream.transcript.touch(message)
                        part.frozen = None
                    if (tell := stream.on_change) is not None:
                        tell(message.id)
                    return
        self._receive(event)

    def _receive(self, event: Any) -> None:
        self._received += 1
        if event.__class__ is not dict:
            event = self._read(event)
            if event is None:
                return
        if self._recording is not None:
            self._recording.append(event, timestamp=self._options.now())
        try:
            rule = self._rules[event["type"]]
        except (KeyError, TypeError):  # no type, a strange one, or none of a rule
            kind = event.get("type", ABSENT)
            if not isinstance(kind, str):
                self._reader.tell(event, "type", kind, assumed="nothing")
            return
        rule(event)

    def _read(self, given: object) -> Event | None:
        try:
            return as_event(given)
        except (TypeError, ValueError):
            self._reader.tell(None, "", given, assumed="nothing: this is no event")
            return None

    def prepare(self) -> None:
        """Begin a new stream: what comes next is a new assistant's message."""
        self._stream.prepare()

    def start(self) -> str | None:
        """Begin a new stream with its message already there, and tell its id.

        An empty message is not cleaned up; :meth:`prepare` makes it when it is due.
        """
        self._stream.prepare()
        message = self._stream.ensure_message()
        return None if message is None else message.id

    def finalize(self) -> None:
        """End the stream: show what is held back, and drop a message of blanks."""
        self._book.runs.finalize()

    def process(self, events: Iterable[Any]) -> StreamResult:
        """Process a whole stream as a new turn.

        What the iterable raises is not caught; what had come stays.
        """
        self._begin_run()
        for event in events:
            self.receive(event)
        return self._end_run()

    async def aprocess(self, events: AsyncIterable[Any]) -> StreamResult:
        """As :meth:`process`, for a stream that is waited for."""
        self._begin_run()
        async for event in events:
            self.receive(event)
        return self._end_run()

    def _begin_run(self) -> None:
        self._stream.prepare()
        if self._records_runs:
            self.start_recording()

    def _end_run(self) -> StreamResult:
        self.finalize()
        result = self.result
        if self._recording is not None:
            self._recording.close(result)
        return result

    # ------------------------------------------------------------ what came of them

    @property
    def messages(self) -> tuple[UIMessage, ...]:
        """All messages as they are now; one that did not change is the same object."""
        return self._transcript.snapshot()

    @property
    def has_chunks(self) -> bool:
        """Whether a chunk came: any event may also be the end of something."""
        return self._book.is_expanding

    def message_ids(self, start: int = 0) -> list[str]:
        """The ids of the messages from a place on, in order, without the messages."""
        return self._transcript.ids(start)

    def message(self, message_id: str) -> UIMessage | None:
        """One message as it is now, at a cost that the others do not matter for."""
        found = self._transcript.find(message_id)
        return None if found is None else found.freeze()

    def text_of(self, message_id: str) -> str:
        """The text of one message, at the cost of what is new if it has one text part.

        For a view that looks after every delta, where a whole message is too much.
        """
        found = self._transcript.by_id.get(message_id)
        if found is None:
            return ""
        only = found.text_part if len(found.parts) == 1 else None
        return found.text() if only is None else only.read()

    def take_changes(self) -> tuple[str, ...]:
        """The ids of messages that changed, came or went since this was last asked."""
        return self._transcript.take_changes()

    @property
    def current_id(self) -> str | None:
        """The id of the message that is being filled."""
        current = self._stream.current
        return None if current is None else current.id

    @property
    def result(self) -> StreamResult:
        """What the stream came to so far."""
        return self._stream.result()

    @property
    def state(self) -> StreamState:
        """What the stream told so far, call by call."""
        return self._stream.state()

    @property
    def run(self) -> Run:
        """The run that the stream is in, or was in last."""
        return self._book.runs.run

    @property
    def shared_state(self) -> JSONValue:
        """The state that the agent shares; it must not be modified."""
        return self._book.shared.state

    @property
    def activities(self) -> tuple[Activity, ...]:
        """What agents show beside the messages."""
        return tuple(self._book.shared.activities.values())

    def parsed_arguments(self, tool_call_id: str) -> object:
        """The value of a call's arguments so far, as a live view; absent if none.

        Reading costs what is new, so a view may look after every delta. It must not
        modify what it sees, and the next event may.
        """
        record = self._stream.calls.get(tool_call_id)
        return ABSENT if record is None else record.view(self._options.json_parser)

    def to_model_messages(self, *, faithful: bool = False) -> list[dict[str, Any]]:
        """The conversation as a model is told it (section 12)."""
        return convert_messages(self.messages, faithful=faithful)

    # ------------------------------------------------------------ what the host does

    def add_user_message(
        self, content: str | Sequence[Any], *, message_id: str | None = None
    ) -> UIMessage:
        """Append what the user says: text, or parts."""
        is_text = isinstance(content, str)
        message = UIMessage(
            id=self._options.id_factory() if message_id is None else message_id,
            role="user",
            parts=(TextPart(content),) if is_text else tuple(map(_as_part, content)),
            created_at=self._options.now(),
        )
        self._transcript.extend((message,))
        self._stream.tell_change()
        return message

    def add_tool_result(
        self, tool_call_id: str, output: object, *, error: str | None = None
    ) -> bool:
        """Give a call what its tool gave; false if no message holds the call."""
        found = self._book.tools.add_result(tool_call_id, output, error)
        if not found:
            self._reader.tell(
                {"type": "add_tool_result"},
                "tool_call_id",
                tool_call_id,
                assumed="nothing: no message holds this call",
            )
        return found

    def add_tool_approval_response(self, approval_id: str, *, approved: bool) -> None:
        """Answer whether a call may run; the last answer counts."""
        self._book.tools.answer_approval(approval_id, approved=approved)

    def are_all_tools_complete(self) -> bool:
        """Whether the last assistant's message waits for no tool and no person."""
        for draft in reversed(tuple(self._transcript)):
            if draft.role == "assistant":
                return draft.has_all_answers
        return True

    def set_messages(self, messages: Iterable[UIMessage | Mapping[str, Any]]) -> None:
        """Replace all messages; the stream goes on where its message still is."""
        self._book.history.set(tuple(map(_as_message, messages)))

    def prepend_messages(
        self, messages: Iterable[UIMessage | Mapping[str, Any]]
    ) -> None:
        """Put older messages first; those whose id is known are left out."""
        self._book.history.prepend(tuple(map(_as_message, messages)))

    def remove_messages_after(self, index: int) -> None:
        """Keep the messages up to and with ``index``; negative counts from the end."""
        self._book.history.keep_until(index)

    def clear_messages(self) -> None:
        """Remove all messages, and what the stream told so far."""
        self._book.history.clear()

    def reset(self) -> None:
        """Everything as it was before the first event, without messages."""
        self._begin(())

    # ------------------------------------------------------------ going back

    def keep(self) -> Kept:
        """The state as it is now, for :meth:`put_back` of this processor.

        What did not change since the last keeping is not copied again.
        """
        return keep(self._stream, self._book, received=self._received)

    def put_back(self, kept: Kept) -> None:
        """Everything as it was when it was kept; it costs what is different.

        Callbacks hear nothing; :meth:`take_changes` says what is different now.
        """
        self._received = kept.received
        put_back(kept, self._stream, self._book)

    # ------------------------------------------------------------ recording

    def start_recording(self) -> None:
        """Record from now on, and every stream that :meth:`process` gets."""
        self._records_runs = True
        self._recording = ReferenceRecording(timestamp=self._options.now())
        self._end_short_road()

    @property
    def recording(self) -> ReferenceRecording | None:
        """What was recorded last, in the reference's format."""
        return self._recording


def _as_message(message: UIMessage | Mapping[str, Any]) -> UIMessage:
    return message if isinstance(message, UIMessage) else UIMessage.from_wire(message)


def _as_part(part: object) -> Any:
    return part_from_wire(part)
