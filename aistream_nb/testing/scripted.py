"""Stand-ins at the two seams of a run: the provider's wire, and the person.

Both are exact about being asked too often: a script that has run out says so, with
what was asked for, instead of making something up.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final

from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed
from aistream_nb.core.values import Event, is_mapping
from aistream_nb.http import HttpAnswer, HttpClient, HttpRequest, scripted_transport

__all__ = ["RecordedGate", "ScriptedProvider"]

_SERVER_SENT: Final = {"content-type": "text/event-stream"}
_EXHAUSTED: Final = 410


class ScriptedProvider:
    r"""A provider that answers with the given streams, one for each request.

    Pass :attr:`client` to a chat or a turn: the real HTTP, SSE and translation code
    reads what you scripted.

    >>> provider = ScriptedProvider([b"event: message_stop\ndata: {}\n\n"])
    >>> provider.requests
    []
    """

    def __init__(self, streams: Iterable[bytes | Sequence[bytes]]) -> None:
        self._streams = deque(
            [stream] if isinstance(stream, bytes) else list(stream)
            for stream in streams
        )
        self.requests: list[HttpRequest] = []
        """What was asked, in order."""
        self.client: HttpClient = HttpClient(transport=scripted_transport(self._answer))
        """The connections to hand to a chat or a turn."""

    @property
    def left(self) -> int:
        """How many streams nobody has asked for yet."""
        return len(self._streams)

    async def _answer(self, request: HttpRequest) -> HttpAnswer:
        self.requests.append(request)
        if not self._streams:
            words = f"the script has no answer for request {len(self.requests)}"
            return HttpAnswer(status=_EXHAUSTED, chunks=_pieces([words.encode()]))
        return HttpAnswer(
            status=200, headers=_SERVER_SENT, chunks=_pieces(self._streams.popleft())
        )


async def _pieces(stream: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in stream:
        yield piece


class RecordedGate:
    """A gate that decides as a recording did; a call that it does not know is denied.

    >>> gate = RecordedGate([])
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self._decisions: defaultdict[str, deque[tuple[Event, ...]]] = defaultdict(deque)
        self._told: tuple[Event, ...] = ()
        asked: dict[str, Event] = {}
        for event in events:
            value, name = event.get("value"), event.get("name")
            if not is_mapping(value):
                continue
            call_id = str(value.get("toolCallId"))
            if name == "aistream:asked":
                asked[call_id] = event
            elif name == "aistream:decision":
                question = asked.pop(call_id, None)
                told = (event,) if question is None else (question, event)
                self._decisions[call_id].append(told)

    async def __call__(self, request: GateRequest) -> Decision:
        """What was decided on this call when it was recorded."""
        decisions = self._decisions.get(str(request.tool_call_id))
        if not decisions:
            self._told = ()
            return Deny(reason="the recording holds no decision on this call")
        self._told = decisions.popleft()
        return _decision(self._told[-1]["value"])

    def tell(self, request: GateRequest) -> Iterable[Event]:
        """What the recording tells of the decision that was just made."""
        del request
        return self._told


def _decision(value: Any) -> Decision:
    if value.get("decision") != "proceed":
        return Deny(reason=str(value.get("reason") or ""))
    arguments = value.get("arguments")
    return Proceed(arguments=arguments if is_mapping(arguments) else None)
