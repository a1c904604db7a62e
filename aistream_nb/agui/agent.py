"""AGUIAgent: where an AG-UI server is, and one request to it.

Rules that a change here must keep:

1. Headers may hold keys: they are sent, and otherwise neither kept, shown nor quoted.
   An address is shown without its user, password and query.
2. A run is never reconnected. AG-UI has no resumption, so another connection is
   another run. Only a request that got no answer at all may be made again, as often
   as ``retries`` says; by default never.
3. Bytes are told as they came, before anything reads them.
4. Nobody asks for AG-UI's binary form; a server that answers in it is read.

What the events mean, and what a client owes to a server, is told in
:mod:`aistream_nb.chat.remote_agent`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypedDict, Unpack
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from aistream_nb.core.address import split_address
from aistream_nb.core.json_text import encode_json
from aistream_nb.core.kinds import (
    COUNT,
    FLAG,
    FUNCTION,
    MAPPING,
    TEXT,
    WAIT,
    WHOLE,
    Kind,
    wrong_kind,
)
from aistream_nb.core.long_results import RESULT_LIMIT
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.wire.frame_readers import frames_of_type, is_binary
from aistream_nb.core.wire.frames import Frame, check_answer
from aistream_nb.core.wire.proto_shapes import PROTO_TYPE
from aistream_nb.errors import (
    AIStreamError,
    ProviderConnectionError,
    ProviderStreamError,
)
from aistream_nb.http import ANSWER_LIMIT, HttpClient, HttpRequest, HttpStream

if TYPE_CHECKING:
    import httpx

__all__ = ["AGUIAgent", "AGUIAnswer", "AGUIOptions", "InterruptAnswer", "OnBytes"]

OnBytes = Callable[[bytes], None]
"""Takes a piece of an answer's body, as it came."""

InterruptAnswer = Callable[[Mapping[str, Any]], Any]
"""Given an interrupt as it is on the wire: its payload, or ``None`` to cancel it.
May be asynchronous."""

_ROUND_LIMIT: Final = 16
_SHORT: Final = 7
"""Values up to this length are words, not secrets."""


_KINDS: Final[Mapping[str, Kind]] = {
    "forwarded_props": MAPPING,
    "on_interrupt": FUNCTION,
    "resume_by": (lambda value: value in {"resume", "command"}, "resume or command"),
    "protocol_version": TEXT,
    "retries": WHOLE,
    "retry_delay": WAIT,
    "max_rounds": COUNT,
    "max_answer_bytes": COUNT,
    "max_result_chars": COUNT,
    "normalise": FLAG,
    "clock": FUNCTION,
    "sleep": FUNCTION,
}

_OPTIONAL: Final = ("max_answer_bytes", "max_result_chars", "protocol_version")


class AGUIOptions(TypedDict, total=False):
    """What an :class:`AGUIAgent` understands beside its address."""

    state: Any
    """The shared state of the first run."""
    context: Iterable[Mapping[str, str]]
    """What the agent should know: ``{"description": …, "value": …}``."""
    forwarded_props: Mapping[str, Any]
    """Handed to the framework behind the server as it is."""
    approvals: Iterable[str]
    """Patterns for names of *server* tools that wait for a yes without saying so:
    the call is left open, and the answer is a tool message (agno)."""
    on_interrupt: InterruptAnswer
    """Answers interrupts whose reason is unknown here; else they are cancelled."""
    resume_by: Literal["resume", "command"]
    """How a LangGraph server's ``on_interrupt`` is answered: by ``resume``, or by
    ``forwardedProps.command.resume`` as servers before AG-UI 1.0 want it."""
    protocol_version: str | None
    """What is declared; ``None`` for servers that refuse the field."""
    retries: int
    """How often a request that got no answer is made again. The server may have begun
    all the same, so only agents without side effects should have more than 0."""
    retry_delay: float
    """Seconds between these."""
    max_rounds: int
    """How many requests one message may take: each answer to a call is one."""
    max_answer_bytes: int | None
    """The longest answer to one request; ``None`` reads as long as bytes come."""
    max_result_chars: int | None
    """The longest text of one result of our tools; a longer one is cut, and says so."""
    normalise: bool
    """Whether older dialects are shown in AG-UI 1.0; the recording keeps the bytes."""
    clock: Callable[[], float]
    """The time, to tell which interrupts have expired."""
    sleep: Callable[[float], Awaitable[object]]
    """Waits between retries."""


class AGUIAgent:
    """An AG-UI server to talk to: ``ai.Chat(ai.AGUIAgent("http://…", headers=…))``.

    One object serves one chat. Its :attr:`state` is the shared state: what the next
    run starts from, and what the last one left.

    Args:
        url: The address that runs are posted to.
        headers: Sent with every request, such as ``{"Authorization": "Bearer …"}``.
        client: A client of ours, or one of httpx that you close yourself.
        **options: See :class:`AGUIOptions`.

    Raises:
        AIStreamError: The address is none, or an option is unknown or cannot be.

    >>> AGUIAgent("http://user:pw@127.0.0.1:8000/agent?key=1")
    AGUIAgent('http://127.0.0.1:8000/agent')
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        client: HttpClient | httpx.AsyncClient | None = None,
        **options: Unpack[AGUIOptions],
    ) -> None:
        unknown = sorted(options.keys() - AGUIOptions.__annotations__.keys())
        if unknown:
            raise AIStreamError(
                f"AGUIAgent does not know {', '.join(map(repr, unknown))}. It "
                f"understands: {', '.join(sorted(AGUIOptions.__annotations__))}."
            )
        wrong = wrong_kind(options.items(), _KINDS, optional=_OPTIONAL)
        if wrong is not None:
            raise AIStreamError(wrong)
        self.url: str = _shown(url)
        """The address, without anything secret."""
        self._url = url
        self._headers = dict(headers or {})
        self._client = HttpClient.around(client) if client else HttpClient()
        self._options = options
        self.state: Any = options.get("state", {})
        """The shared state; set it to have the next run start from it."""
        self.approvals: tuple[str, ...] = tuple(options.get("approvals", ()))
        self.on_interrupt: InterruptAnswer | None = options.get("on_interrupt")
        self.resume_by: Literal["resume", "command"] = options.get(
            "resume_by", "resume"
        )
        self.protocol_version: str | None = options.get("protocol_version", "1.0")
        self.max_rounds: int = options.get("max_rounds", _ROUND_LIMIT)
        self.max_result_chars: int | None = options.get(
            "max_result_chars", RESULT_LIMIT
        )
        self.normalise: bool = options.get("normalise", True)
        self.clock: Callable[[], float] = options.get("clock", time.time)

    def __repr__(self) -> str:
        return f"AGUIAgent({self.url!r})"

    @property
    def extra(self) -> dict[str, Any]:
        """What every request carries beside the thread: context, forwarded props."""
        return {
            "context": [dict(one) for one in self._options.get("context", ())],
            "forwardedProps": dict(self._options.get("forwarded_props", {})),
        }

    @property
    def secrets(self) -> tuple[str, ...]:
        """What headers and address hold; nobody may keep it."""
        parts = urlsplit(self._url)
        values = [value for _, value in parse_qsl(parts.query)]
        user = unquote(parts.password or "")
        given = (*_secrets(self._headers), parts.query, *values, user)
        return tuple(dict.fromkeys(one for one in given if len(one) > _SHORT))

    async def open(
        self, run_input: Mapping[str, Any], *, on_bytes: OnBytes
    ) -> AGUIAnswer:
        """The answer to a request, not read yet.

        Raises:
            ProviderConnectionError: No answer came, however often it was tried.
            ProviderStatusError: The server refused; its status and body are in it.
            ProviderStreamError: It answers in a form that cannot be read.
        """
        request = self._request(run_input)
        delay = self._options.get("retry_delay", 0.5)
        sleep = self._options.get("sleep", asyncio.sleep)
        for _ in range(self._options.get("retries", 0)):
            try:
                return AGUIAnswer(await self._client.open(request), on_bytes)
            except ProviderConnectionError:
                await sleep(delay)
        return AGUIAnswer(await self._client.open(request), on_bytes)

    async def aclose(self) -> None:
        """Close the connections, unless the client is yours."""
        await self._client.aclose()

    def _request(self, run_input: Mapping[str, Any]) -> HttpRequest:
        return HttpRequest(
            url=self._url,
            headers={
                "content-type": "application/json",
                "accept": "text/event-stream",
                **self._headers,
            },
            body=encode_json(run_input).encode(),
            provider="agui",
            secrets=self.secrets,
            max_answer_bytes=self._options.get("max_answer_bytes", ANSWER_LIMIT),
        )


class AGUIAnswer:
    """The answer to one request: frames, as its bytes arrive."""

    def __init__(self, stream: HttpStream, on_bytes: OnBytes) -> None:
        self._stream = stream
        self._on_bytes = on_bytes
        self._content_type = stream.headers.get("content-type")
        self._frames = frames_of_type(self._content_type)
        self._begun = self._ended = False
        self.faults: list[Slip] = check_answer(
            status=stream.status, content_type=self._content_type
        )
        """What is wrong with the answer as such, before its frames."""

    async def read(self, *, within: float | None = None) -> tuple[Frame, ...] | None:
        """The next frames, perhaps none yet; ``None`` at the end.

        Args:
            within: Seconds after which we do not wait any longer: that is the end.

        Raises:
            ProviderStreamError: The connection broke, or the body is no event stream.
            ProviderConnectionError: It broke before the first byte.
        """
        if self._ended:
            return None
        try:
            async with asyncio.timeout(within):
                chunk = await self._stream.read()
        except TimeoutError:
            chunk = b""
        if chunk:
            self._on_bytes(chunk)
            self._refuse_misnamed(chunk)
            return self._frames.receive(chunk)
        self._ended = True
        return self._frames.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stream.aclose()

    def _refuse_misnamed(self, chunk: bytes) -> None:
        """The official client would read this as text, and find nothing in it."""
        begun, self._begun = self._begun, True
        if begun or not is_binary(chunk) or self._content_type == PROTO_TYPE:
            return
        raise ProviderStreamError(
            f"The server answered in AG-UI's binary form, and called it "
            f"{self._content_type!r}. Have it say {PROTO_TYPE!r} with nothing behind "
            "it, or send text/event-stream.",
            provider="agui",
        )


def _shown(url: str) -> str:
    try:
        parts = split_address(url)
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in {"http", "https"}:
        raise AIStreamError(
            "An AG-UI server is named by its address, such as "
            "'http://127.0.0.1:8000/agent'."
        )
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _secrets(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The values of headers, whole and without the word in front of a token."""
    values = list(headers.values())
    return (*values, *(value.rpartition(" ")[2] for value in values))
