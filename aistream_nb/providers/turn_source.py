"""One round's stream: a request out, translated events in, batch by batch.

It is tried again, as the policy says, until the first event came. Everything that
goes wrong on the way leaves here as a :class:`~aistream_nb.errors.ProviderError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.wire.sse import FrameSplitter, FrameTooLongError
from aistream_nb.errors import ProviderError, ProviderStreamError
from aistream_nb.http import HttpClient, HttpRequest, HttpStream, redact
from aistream_nb.providers.base import (
    Ending,
    StreamFailure,
    StreamItem,
    Translated,
    Translator,
    WireRequest,
)
from aistream_nb.providers.retry import RetryableStreamError, RetryPolicy

__all__ = ["Road", "RoundSource", "TurnHooks"]

_FRAME_LIMIT: Final = 64 * 1024 * 1024
"""Characters. A generated image is one frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHooks:
    """Who watches the wire: for recordings, mostly. No secret passes through."""

    on_request: Callable[[Mapping[str, Any], str], None] | None = None
    """Given the body and the URL of every request, retries included."""
    on_bytes: Callable[[bytes], None] | None = None
    """Given every piece of a stream as it came."""
    on_retry: Callable[[ProviderError, int, float], None] | None = None
    """Given the failure, the number of the attempt that failed, and the delay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """How a round travels: over which client, watched by whom, how patiently."""

    provider: str
    headers: Mapping[str, str] = field(repr=False)
    """The caller's own, on top of the adapter's."""
    secrets: tuple[str, ...] = field(repr=False)
    client: HttpClient
    retry: RetryPolicy
    hooks: TurnHooks
    max_answer_bytes: int | None


class RoundSource:
    """Gives what a provider answers to one request."""

    def __init__(
        self,
        wire: WireRequest,
        make_translator: Callable[[], Translator],
        *,
        road: Road,
    ) -> None:
        self._wire: Final = wire
        self._make_translator: Final = make_translator
        self._road: Final = road
        self._stream: HttpStream | None = None
        self._attempt = 0
        self._failure: StreamFailure | None = None
        self._delivered = 0
        self._over = False
        self._splitter = _splitter()
        self.translator: Translator = make_translator()

    async def connect(self) -> HttpStream:
        """The answer's body, sent for (again, if need be) unless it is there already.

        Raises:
            ProviderError: There is no answer, or none that is a success.
        """
        while self._stream is None:
            self._attempt += 1
            try:
                self._stream = await self._send()
            except ProviderError as error:
                await self._wait_or_raise(error)
        return self._stream

    async def next(self) -> list[StreamItem]:
        """The next events; none at all when the stream has ended.

        Raises:
            ProviderError: The stream broke, or says that the provider failed.
        """
        while not self._over:
            try:
                batch = await self._next_batch()
            except ProviderError as error:
                await self.aclose()
                await self._wait_or_raise(self._placed(error))
                continue
            if batch:
                self._delivered += len(batch)
                return batch
        return []

    def close(self) -> Ending:
        """How the stream ended."""
        return self.translator.close()

    async def aclose(self) -> None:
        """Drop the connection, if there is one."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.aclose()

    async def _send(self) -> HttpStream:
        wire, road = self._wire, self._road
        if road.hooks.on_request is not None:
            road.hooks.on_request(wire.shown_body, wire.url)
        self.translator = self._make_translator()
        self._splitter = _splitter()
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            **wire.headers,
            **road.headers,
        }
        request = HttpRequest(
            url=wire.url,
            headers=headers,
            body=encode_json(wire.body).encode(),
            provider=road.provider,
            secrets=road.secrets,
            max_answer_bytes=road.max_answer_bytes,
        )
        return await road.client.open(request)

    async def _wait_or_raise(self, error: ProviderError) -> None:
        road = self._road
        delay = road.retry.delay(error, self._attempt)
        if delay is None or self._delivered or self._over:
            self._over = True
            raise error
        if road.hooks.on_retry is not None:
            road.hooks.on_retry(error, self._attempt, delay)
        await road.retry.sleep(delay)

    async def _next_batch(self) -> list[StreamItem]:
        if self._failure is not None:
            raise self._error_of(self._failure)
        stream = await self.connect()
        chunk = await stream.read()
        if chunk and self._road.hooks.on_bytes is not None:
            self._road.hooks.on_bytes(chunk)
        try:
            frames = self._splitter.receive(chunk) if chunk else self._splitter.close()
        except FrameTooLongError as error:
            raise self.broken(str(error)) from None
        items = self._up_to_failure(self.translator.receive(frames))
        self._over = not chunk and self._failure is None
        return items

    def _up_to_failure(self, batch: list[Translated]) -> list[StreamItem]:
        """The events before a failure; the failure itself is raised next time."""
        items: list[StreamItem] = []
        for item in batch:
            if isinstance(item, StreamFailure):
                self._failure = item
                break
            items.append(item)
        return items

    def _placed(self, error: ProviderError) -> ProviderError:
        if isinstance(error, ProviderStreamError):
            error.after = self._delivered
        return error

    def _error_of(self, failure: StreamFailure) -> ProviderStreamError:
        self._failure = None
        kind = RetryableStreamError if failure.retryable else ProviderStreamError
        return self.broken(failure.message, kind)

    def broken(
        self, message: str, kind: type[ProviderStreamError] = ProviderStreamError
    ) -> ProviderStreamError:
        """The error of a stream that broke at this place."""
        road = self._road
        return kind(
            redact(message, road.secrets),
            provider=road.provider,
            after=self._delivered,
        )


def _splitter() -> FrameSplitter:
    return FrameSplitter(max_frame_length=_FRAME_LIMIT)
