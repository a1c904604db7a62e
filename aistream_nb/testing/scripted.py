"""Stand-ins at the two seams of a run: the provider's wire, and the person.

Both are exact about being asked too often: a script that has run out says so, with
what was asked for, instead of making something up.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.core.wire.frame_readers import body_type
from aistream_nb.errors import ProviderError
from aistream_nb.http import HttpAnswer, HttpClient, HttpRequest, scripted_transport

__all__ = ["ASKED", "RecordedGate", "ScriptedAnswer", "ScriptedProvider", "decision_of"]

_EXHAUSTED: Final = 410
ASKED: Final = frozenset({"aistream:asked", "approval-requested"})
"""What a question is called, now and in recordings of the first days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAnswer:
    """One answer of a provider: pieces of a stream, and how it ends."""

    pieces: Sequence[bytes] = ()
    error: ProviderError | None = None
    """Breaks the stream behind the pieces; without pieces, refuses the request."""
    stops: bool = False
    """Whether the person stops the run behind the last piece."""


class ScriptedProvider:
    r"""A provider that answers with the given streams, one for each request.

    Pass :attr:`client` to a chat or a turn: the real HTTP, SSE and translation code
    reads what you scripted.

    Args:
        streams: Each the bytes of one stream, its pieces, or a whole answer.
        advice: What to do when a request comes for which there is no answer.

    >>> provider = ScriptedProvider([b"event: message_stop\ndata: {}\n\n"])
    >>> provider.requests
    []
    """

    def __init__(
        self,
        streams: Iterable[bytes | Sequence[bytes] | ScriptedAnswer],
        *,
        advice: str = "",
    ) -> None:
        self._answers = deque(_read(stream) for stream in streams)
        self._advice = advice
        self.stop: Callable[[], None] = _nobody_stops
        """Called where a recorded person stopped the run."""
        self.requests: list[HttpRequest] = []
        """What was asked, in order."""
        self.client: HttpClient = HttpClient(transport=scripted_transport(self._answer))
        """The connections to hand to a chat or a turn."""

    @property
    def left(self) -> int:
        """How many streams nobody has asked for yet."""
        return len(self._answers)

    async def _answer(self, request: HttpRequest) -> HttpAnswer:
        self.requests.append(request)
        if not self._answers:
            words = f"the script has no answer for request {len(self.requests)}"
            said = f"{words}{self._advice and f'; {self._advice}'}".encode()
            return HttpAnswer(status=_EXHAUSTED, chunks=_pieces([said]))
        answer = self._answers.popleft()
        if answer.error is not None and not answer.pieces:
            raise answer.error
        start = next(filter(None, answer.pieces), b"")
        headers = {"content-type": body_type(start)}
        return HttpAnswer(status=200, headers=headers, chunks=self._play(answer))

    async def _play(self, answer: ScriptedAnswer) -> AsyncIterator[bytes]:
        for piece in answer.pieces:
            yield piece
        if answer.error is not None:
            raise answer.error
        if answer.stops:
            self.stop()
            await _the_end()


def _read(stream: bytes | Sequence[bytes] | ScriptedAnswer) -> ScriptedAnswer:
    if isinstance(stream, ScriptedAnswer):
        return stream
    return ScriptedAnswer(pieces=[stream] if isinstance(stream, bytes) else stream)


async def _pieces(stream: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in stream:
        yield piece


def _nobody_stops() -> None:
    """A script on its own has no person beside it."""


def _nobody_hears(event: Event) -> None:
    """A gate on its own has nobody to tell."""
    del event


async def _the_end() -> None:
    """Nothing comes any more: the run is being stopped."""
    await asyncio.Event().wait()


class RecordedGate:
    """A gate that decides as a recording did; a call that it does not know is denied.

    Args:
        events: Those of the recording.
        in_question: The calls at which the person stopped a run, and which run it was.

    >>> gate = RecordedGate([])
    """

    def __init__(
        self, events: Iterable[Event], *, in_question: Mapping[str, int] | None = None
    ) -> None:
        self._decisions: defaultdict[
            tuple[int | None, str], deque[tuple[Event, ...]]
        ] = defaultdict(deque)
        self._run: int | None = None
        self._told: tuple[Event, ...] = ()
        self._in_question = dict(in_question or {})
        self.emit: Callable[[Event], None] = _nobody_hears
        """Takes what is told of a question that is never decided."""
        self.stop: Callable[[], None] = _nobody_stops
        """Called where a recorded person stopped the run."""
        asked: dict[str, tuple[int, Event]] = {}
        run = 0
        for event in events:
            value, name = event.get("value"), event.get("name")
            run += event.get("type") == "RUN_STARTED"
            if not is_mapping(value):
                continue
            call_id = str(value.get("toolCallId"))
            if str(name) in ASKED:
                asked[call_id] = (run, event)
            elif name == "aistream:decision":
                question = asked.pop(call_id, None)
                told = (event,) if question is None else (question[1], event)
                self._expect(run, call_id, told)
        for call_id, (at, event) in asked.items():
            self._expect(at, call_id, (event,))

    def _expect(self, run: int, call_id: str, told: tuple[Event, ...]) -> None:
        """Keep a decision for its run, and for those who do not tell of runs."""
        for place in (run, None):
            self._decisions[place, call_id].append(told)

    def listening(self, emit: Callable[[Event], None]) -> Callable[[Event], None]:
        """``emit``, which also tells the gate which run is on.

        A provider may use the id of a call again in another run.
        """

        def emit_and_hear(event: Event) -> None:
            if event.get("type") == "RUN_STARTED":
                self._run = (self._run or 0) + 1
            emit(event)

        return emit_and_hear

    async def __call__(self, request: GateRequest) -> Decision:
        """What was decided on this call when it was recorded."""
        call_id = str(request.tool_call_id)
        decisions = self._decisions.get((self._run, call_id))
        self._told = decisions.popleft() if decisions else ()
        left_in = self._in_question.get(call_id)
        was_left = left_in is not None and self._run in {None, left_in}
        if was_left and not decisions:
            for event in self._told:
                self.emit(event)
            self.stop()
            await _the_end()
        if not self._told:
            return Deny(reason="the recording holds no decision on this call")
        return decision_of(self._told[-1]["value"])

    def tell(self, request: GateRequest) -> Iterable[Event]:
        """What the recording tells of the decision that was just made."""
        del request
        return self._told


def decision_of(value: Any) -> Decision:
    """The decision that an ``aistream:decision`` tells."""
    if value.get("decision") != "proceed":
        return Deny(reason=str(value.get("reason") or ""))
    arguments = value.get("arguments")
    return Proceed(arguments=arguments if is_mapping(arguments) else None)
