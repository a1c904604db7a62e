"""One prepared stream: what it told so far, and where its next content goes.

*Stream* is one prepared run of events. Its *current message* is the one that is being
filled. In the default mode there is one for each stream. With ``message_per_id`` every
message id that the stream names is a message of its own, made when its first content
comes, and a message with a made-up id takes over the first id that is named.

This is the ground on which the rules stand (``text``, ``tools``
and so on). It knows no event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias

from aistream_nb.core.json_text import join_surrogates
from aistream_nb.core.messages import Role, UIMessage
from aistream_nb.core.partial_json.parsers import PartialJSONParser
from aistream_nb.core.processor.callbacks import ProcessorCallbacks
from aistream_nb.core.processor.dialects import FieldReader
from aistream_nb.core.processor.drafts import GrowingText
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.results import (
    CallProgress,
    RequestedCall,
    StreamResult,
    StreamState,
)
from aistream_nb.core.processor.strategies import (
    ChunkStrategy,
    ImmediateStrategy,
    reset_strategy,
)
from aistream_nb.core.processor.transcript import Transcript
from aistream_nb.core.values import ABSENT

__all__ = ["CallRecord", "JSONParser", "Stream", "StreamOptions"]

InputState: TypeAlias = Literal["awaiting-input", "input-streaming", "input-complete"]


class JSONParser(Protocol):
    """Reads arguments that may be incomplete."""

    def parse(self, text: str) -> object:
        """The value of ``text`` so far; ``ABSENT`` if it has none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """What a processor was asked to do differently."""

    id_factory: Callable[[], str]
    now: Callable[[], object]
    strategy: ChunkStrategy
    json_parser: JSONParser | None
    message_per_id: bool
    final_states: bool


class CallRecord:
    """One call as the stream tells it, whatever the host does to its part."""

    __slots__ = (
        "_is_started",
        "arguments",
        "given",
        "id",
        "image",
        "index",
        "is_kept",
        "message",
        "metadata",
        "name",
        "preview",
        "state",
    )

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - the protocol's name
        name: str,
        index: object,
        message: MessageDraft,
    ) -> None:
        self.id = id
        self.name = name
        self.index = index
        self.arguments = GrowingText()
        self.state: InputState = "awaiting-input"
        self.given: object = ABSENT
        """The finished input, if the stream gave it as a value."""
        self.metadata: Mapping[str, Any] | None = None
        self.message = message
        """Where the part is."""
        self.preview = PartialJSONParser()
        """Reads the arguments when somebody looks at them."""
        self.image: CallRecord | None = None
        """The call as it was kept last."""
        self.is_kept = False
        """Whether nothing changed since then."""
        self._is_started = False

    def move_to(self, message: MessageDraft) -> None:
        """The part is in this message now."""
        if message is not self.message:
            self.message = message
            self.is_kept = False

    def append(self, delta: str) -> None:
        """Take more of the arguments."""
        self.is_kept = False
        self.arguments.pending.append(delta)
        self.preview.receive(delta)
        self.given = ABSENT
        self._is_started = True
        if self.state == "awaiting-input" and delta:
            self.state = "input-streaming"

    def complete(self) -> None:
        """The arguments are finished."""
        self.is_kept = False
        self.state = "input-complete"
        self._is_started = True

    def view(self, parser: JSONParser | None) -> object:
        """The value of the arguments so far; the next delta may write into it."""
        if self.given is not ABSENT or not self._is_started:
            return self.given
        if parser is not None:
            return parser.parse(self.arguments.read())
        return self.preview.value

    def parsed(self, parser: JSONParser | None) -> object:
        """The value of the arguments so far, to keep."""
        is_ours = self.given is ABSENT and self._is_started and parser is None
        return self.preview.snapshot() if is_ours else self.view(parser)

    def progress(self, parser: JSONParser | None) -> CallProgress:
        """How far the call is."""
        return CallProgress(
            id=self.id,
            name=self.name,
            arguments=self.arguments.read(),
            state=self.state,
            parsed_arguments=self.parsed(parser),
            index=self.index,
            metadata=self.metadata,
        )

    def request(self) -> RequestedCall:
        """The call as the model asked for it."""
        return RequestedCall(
            id=self.id,
            name=self.name,
            arguments=self.arguments.read(),
            metadata=self.metadata,
        )


_ROLE_OF_STREAMS: Final[Role] = "assistant"


class Stream:
    """The stream that is being processed, on top of the transcript."""

    def __init__(
        self,
        *,
        options: StreamOptions,
        callbacks: ProcessorCallbacks,
        transcript: Transcript,
        reader: FieldReader,
    ) -> None:
        self.options = options
        self.callbacks = callbacks
        self.transcript = transcript
        self.reader = reader
        self.is_immediate = type(options.strategy) is ImmediateStrategy
        self.is_per_id = options.message_per_id
        self.on_change = callbacks.on_change
        self.is_observed = not self.is_immediate or callbacks.hear_deltas
        """Whether a text delta is more than an append and a notice."""
        self.current: MessageDraft | None = None
        self._clear()

    def _clear(self) -> None:
        self.thinking = GrowingText()
        self.calls: dict[str, CallRecord] = {}
        self.finish_reason: object = ABSENT
        self.has_error = False
        self.done = False
        self.step: str | None = None
        """The step that is open, which gives thinking its name."""
        self.announced: dict[str, Role] = {}
        """Messages that were started and have no content yet."""
        self.promised: str | None = None
        """The one of them that content without an id goes to."""
        self.opened: list[MessageDraft] = []
        """The messages that this stream made."""
        self.filled: list[MessageDraft] = []
        """The messages that this stream had text for."""
        self.is_new_round = False
        """Whether thinking that comes now belongs to a message still to come."""

    # ------------------------------------------------------------ life

    def prepare(self) -> None:
        """Begin a new stream; nothing is made before its first content."""
        for message in self.filled:
            message.held.clear()
            message.end_segment()
            message.resumes = True
            message.told = None
        self.current = None
        self._clear()
        reset_strategy(self.options.strategy)

    def ensure_message(self) -> MessageDraft | None:
        """The current message, made if there is none.

        A callback may take it away while it is made; then there is none.
        """
        if self.promised is not None:
            return self.open_message(self.promised)
        if self.current is None:
            return self.open_message(self.options.id_factory(), is_provisional=True)
        return self.current

    def ensure_assistant(self) -> MessageDraft | None:
        """As :meth:`ensure_message`; nobody else has calls or thinking."""
        message = self.ensure_message()
        if message is not None and message.role != "assistant":
            self.current = None
            return self.ensure_message()
        return message

    def announce(self, message_id: str, role: Role) -> None:
        """A message will be made when its first content comes."""
        self.announced[message_id] = role
        self.promised = message_id

    def open_message(
        self, message_id: str, *, is_provisional: bool = False
    ) -> MessageDraft | None:
        """Make a message and go on with it."""
        role = self.announced.pop(message_id, _ROLE_OF_STREAMS)
        self.promised = None
        message = MessageDraft(id=message_id, role=role, created_at=self.options.now())
        message.is_provisional = is_provisional
        self.transcript.append(message)
        self.opened.append(message)
        self.current = message
        self.is_new_round = False
        if self.callbacks.on_stream_start is not None:
            self.callbacks.on_stream_start()
        self.tell_change(message)
        return self.current

    def fill(self, message: MessageDraft) -> list[GrowingText]:
        """Count what is told of a message among what the stream came to."""
        message.is_kept = False
        if message.told is None:
            message.told = []
            self.filled.append(message)
        return message.told

    def name_current(self, message_id: str) -> bool:
        """Give the current message its real id, if its id was made up."""
        message = self.current
        if message is None or not message.is_provisional:
            return False
        if not self.transcript.holds(message):
            return False
        self.transcript.rename(message, message_id)
        message.is_provisional = False
        self.is_new_round = False
        self.tell_change(message)
        return True

    def start_over(self) -> MessageDraft | None:
        """A fresh message with a made-up id, for thinking that precedes its text."""
        self.current = None
        return self.ensure_message()

    def rebind(self) -> None:
        """Find the messages of the stream again after the host changed the list."""
        records = self.calls.values()
        holders = [record.message for record in records]
        if self.current is not None:
            holders.append(self.current)
        known = (*self.opened, *self.filled, *holders)
        again = {message.id: self._again(message) for message in known}
        if self.current is not None:
            self.current = again[self.current.id]
        self.opened = [again[message.id] for message in self.opened]
        self.filled = [again[message.id] for message in self.filled]
        for record in records:
            record.move_to(again[record.message.id])

    def forget_removed(self) -> None:
        """Where ids name messages, one that was removed is made again when named.

        Otherwise what still comes for it is lost, as in the reference.
        """
        current = self.current
        if current is not None and not self.transcript.holds(current):
            self.current = None if self.options.message_per_id else current

    def unfinished_calls(self) -> tuple[CallRecord, ...]:
        """The calls whose arguments are still being written."""
        calls = self.calls.values()
        return tuple(call for call in calls if call.state != "input-complete")

    def go_on_with(self, records: Iterable[CallRecord]) -> None:
        """Go on with calls of which the list still has the part."""
        for record in records:
            owners = self.transcript.owners(record.id)
            if owners:
                record.move_to(owners[0])
                self.calls[record.id] = record

    def _again(self, message: MessageDraft) -> MessageDraft:
        found = self.transcript.find(message.id)
        if found is None or found is message:
            return message
        found.is_kept = False
        found.held = message.held
        found.segment = message.segment
        found.told = message.told
        found.displaced = message.text_part or message.displaced
        found.is_provisional = message.is_provisional
        return found

    # ------------------------------------------------------------ telling

    def tell_change(self, message: MessageDraft | None = None) -> None:
        """Tell that a message, or the list, changed."""
        if self.on_change is not None:
            self.on_change(None if message is None else message.id)
        if self.callbacks.on_messages_change is not None:
            self.callbacks.on_messages_change(self.snapshot())

    def snapshot(self) -> tuple[UIMessage, ...]:
        """All messages as they are now."""
        return self.transcript.snapshot()

    # ------------------------------------------------------------ what it came to

    def result(self) -> StreamResult:
        """What the stream came to so far."""
        complete = [r for r in self.calls.values() if r.state == "input-complete"]
        return StreamResult(
            content=self._content(),
            thinking=self.thinking.read() or None,
            tool_calls=tuple([record.request() for record in complete]),
            finish_reason=self._finish_reason(),
        )

    def state(self) -> StreamState:
        """What the stream told so far."""
        return StreamState(
            content=self._content(),
            thinking=self.thinking.read(),
            tool_calls=tuple(self._progress(self.calls.values())),
            finish_reason=self._finish_reason(),
            done=self.done,
        )

    def _content(self) -> str:
        return join_surrogates("".join(map(_told_text, self.filled)))

    def _progress(self, records: Iterable[CallRecord]) -> list[CallProgress]:
        return [record.progress(self.options.json_parser) for record in records]

    def _finish_reason(self) -> object:
        return None if self.finish_reason is ABSENT else self.finish_reason


def _told_text(message: MessageDraft) -> str:
    """All text that the stream had for a message, shown or held back."""
    shown = [text.read() for text in message.told or ()]
    return "".join((*shown, *message.held))
