"""What is noted of a run while it goes on, and while a saved one is read: its calls.

The same notes serve a chat that lives and one that is restored, so that what a model
is told of an interrupted round is the same in both. A call is *answered* only if its
result was told. A call without one says what is known, and nothing more: that it did
not run, or that it ran and nobody knows how far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.conversation.reading import mapping_at, mappings
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = [
    "CUT_OFF",
    "RunLog",
    "SavedCall",
    "SavedRound",
    "ending_of",
    "input_messages",
    "is_cancelled",
    "runs_of",
    "text_of",
]

CUT_OFF: Final = "cut off"
"""How a run ended that nobody ended, as when a kernel is killed."""

_ENDS: Final = ("RUN_FINISHED", "RUN_ERROR")
"""No set: what stands in a stranger's event may be a list."""


@dataclass(slots=True, kw_only=True)
class SavedCall:
    """One call, and what is known of it."""

    id: str
    name: str = ""
    arguments: str = ""
    """As JSON text."""
    content: str | None = None
    """What the model was told; ``None`` where it was told nothing."""
    is_error: bool = False
    began: bool = False
    """Whether its tool began to run."""

    @property
    def why_open(self) -> str:
        """Why there is no result, in words for a model and for a person.

        >>> SavedCall(id="c").why_open
        'not run: the run ended before this call was answered'
        """
        if self.began:
            return "the run ended while it ran; what it did is not known"
        return "not run: the run ended before this call was answered"


@dataclass(slots=True, kw_only=True)
class SavedRound:
    """One exchange with a provider."""

    origin: str
    """Who answered."""
    number: object
    pieces: list[bytes] = field(default_factory=list[bytes])
    """The answer, as far as it came."""
    calls: list[SavedCall] = field(default_factory=list[SavedCall])
    """The calls that it holds, in order."""

    @property
    def body(self) -> bytes:
        """The bytes of the answer."""
        return b"".join(self.pieces)


class RunLog:
    """Rounds and calls of one run after another.

    Args:
        origin: Who answers.
    """

    def __init__(self, origin: str) -> None:
        self.origin: str = origin
        self.rounds: dict[str, list[SavedRound]] = {}
        """By the id of the question that they answer."""
        self._calls: dict[str, SavedCall] = {}
        self._question = ""
        self._round: SavedRound | None = None

    @property
    def open_round(self) -> SavedRound | None:
        """The round that is going on, if one is."""
        return self._round

    def close_round(self) -> None:
        """The round came to its end."""
        self._round = None

    def call(self, call_id: str) -> SavedCall:
        """What is known of a call."""
        return self._calls.setdefault(call_id, SavedCall(id=call_id))

    def listening(self, emit: Callable[[Event], None]) -> Callable[[Event], None]:
        """``emit``, which from now on also tells this log."""

        def emit_and_note(event: Event) -> None:
            self.receive(event)
            emit(event)

        return emit_and_note

    def ask(self, number: object) -> None:
        """A request goes out; if it is the same one again, the first answer failed."""
        last = self._round_of(number)
        last.pieces.clear()

    def add_bytes(self, number: object, content: bytes) -> None:
        """A piece of an answer came."""
        self._round_of(number).pieces.append(content)

    def receive(self, event: Event) -> None:
        """Note an event."""
        kind, value = event.get("type"), event.get("value")
        call_id = str(event.get("toolCallId"))
        if kind == "RUN_STARTED":
            self._begin(event)
        elif kind == "TOOL_CALL_START":
            self._open(SavedCall(id=call_id))
        elif kind == "TOOL_CALL_RESULT":
            self._answer(call_id, event, failed=_is_marked_failed(event))
        elif event.get("name") == "aistream:executing" and is_mapping(value):
            self.call(str(value.get("toolCallId"))).began = True
        elif kind in _ENDS:
            self.close_round()

    def _round_of(self, number: object) -> SavedRound:
        last = self._round
        if last is None or last.number != number:
            last = self._round = SavedRound(origin=self.origin, number=number)
            self.rounds.setdefault(self._question, []).append(last)
        return last

    def _begin(self, event: Event) -> None:
        self._round = None
        for message in input_messages(event):
            if message.get("role") == "user":
                self._question = str(message.get("id"))
            elif message.get("role") == "tool":
                call_id = str(message.get("toolCallId"))
                self._answer(call_id, message, failed=bool(message.get("error")))

    def _open(self, call: SavedCall) -> None:
        # A server may use an id again; then it is another call.
        self._calls[call.id] = call
        if self._round is not None:
            self._round.calls.append(call)

    def _answer(self, call_id: str, said: Mapping[str, Any], *, failed: bool) -> None:
        call = self.call(call_id)
        call.content, call.is_error = text_of(said.get("content")), failed


def ending_of(run: Sequence[Event]) -> str:
    """How a run ended: ``finished``, ``failed``, ``cancelled`` or ``cut off``."""
    last = next((e for e in reversed(run) if e.get("type") in _ENDS), None)
    if last is None:
        return CUT_OFF
    if last.get("type") == "RUN_ERROR":
        return "failed"
    return "cancelled" if is_cancelled(last) else "finished"


def is_cancelled(event: Event) -> bool:
    """Whether a run ended here because somebody stopped it."""
    return mapping_at(event, "outcome").get("type") == "cancelled"


def runs_of(events: Iterable[Event]) -> list[list[Event]]:
    """The events of each run, from its start on.

    >>> runs_of([{"type": "RAW"}, {"type": "RUN_STARTED"}, {"type": "RUN_ERROR"}])
    [[{'type': 'RUN_STARTED'}, {'type': 'RUN_ERROR'}]]
    """
    runs: list[list[Event]] = []
    for event in events:
        if event.get("type") == "RUN_STARTED":
            runs.append([])
        if runs:
            runs[-1].append(event)
    return runs


def input_messages(event: Event) -> list[Mapping[str, Any]]:
    """The messages that a run's input brings."""
    return list(mappings(mapping_at(event, "input").get("messages")))


def _is_marked_failed(event: Event) -> bool:
    return mapping_at(event, "metadata", "aistream").get("isError") is True


def text_of(content: object) -> str:
    """The words of a message's content, which may come in parts.

    >>> text_of([{"type": "text", "text": "Look: "}, {"type": "image"}])
    'Look: '
    """
    if not is_array(content):
        return content if isinstance(content, str) else ""
    texts = (part.get("text") for part in content if is_mapping(part))
    return "".join(text for text in texts if isinstance(text, str))
