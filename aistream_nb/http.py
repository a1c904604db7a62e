"""The one door to the network: requests out, bytes in, failures as our own errors.

Rules that a change here must keep:

1. Nobody else imports httpx, and here it is imported when the first request leaves,
   because a replay needs none of it.
2. Redirects are not followed: they would carry a key to another host.
3. No key and no header enters an error, a log or a ``repr``. What a server said is
   quoted, with the keys taken out.
4. A failed exchange leaves nothing open.
5. No answer is read for ever: each has a limit, which the caller may set.

What the bytes mean is not known here; see :mod:`aistream_nb.core.wire.sse`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from time import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from aistream_nb.core.error_text import (
    advised_retry,
    error_text_of,
    foreign_body,
    place_text,
    redact,
    redirect_text,
    seconds_to_wait,
)
from aistream_nb.core.wire.http_values import (
    ANSWER_LIMIT,
    HttpAnswer,
    HttpRequest,
    Timeouts,
)
from aistream_nb.errors import (
    ProviderConnectionError,
    ProviderError,
    ProviderStatusError,
    ProviderStreamError,
)
from aistream_nb.http_log import request_of_ours

if TYPE_CHECKING:
    import httpx

__all__ = [
    "ANSWER_LIMIT",
    "BrokenStreamError",
    "HttpAnswer",
    "HttpClient",
    "HttpRequest",
    "HttpStream",
    "Timeouts",
    "redact",
    "scripted_transport",
]

_BODY_LIMIT: Final = 64 * 1024
"""How much of a body that is not a stream is read."""
_QUOTE_LIMIT: Final = 4000
"""How much of it is quoted in an error."""


def _load_httpx():  # noqa: ANN202 - the module itself; its type cannot be spelled
    import httpx  # noqa: PLC0415 - rule 1: only when the first request leaves

    return httpx


class BrokenStreamError(ProviderStreamError):
    """The connection broke in the middle of an answer; what came before it holds."""


Answerer: TypeAlias = Callable[[HttpRequest], Awaitable[HttpAnswer]]
"""Plays a server: a request in, an answer out."""


class HttpClient:
    """Connections that are kept and reused; make one for a chat and close it.

    Proxies and certificate authorities are taken from the environment. HTTP/2 is
    spoken where the server offers it. ``transport`` replaces the network: any httpx
    transport, such as one of :func:`scripted_transport`. ``client`` is an
    ``httpx.AsyncClient`` of your own, which you close yourself.
    """

    def __init__(
        self,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeouts: Timeouts | None = None,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport: Final = transport
        self._timeouts: Final = timeouts or Timeouts()
        self._owned = client is None
        self._client = client

    @classmethod
    def around(cls, client: HttpClient | httpx.AsyncClient) -> HttpClient:
        """``client`` itself, or a thin coat around a client of httpx."""
        return client if isinstance(client, HttpClient) else cls(client=client)

    async def open(self, request: HttpRequest) -> HttpStream:
        """The body of a 2xx answer, not read yet.

        Raises:
            ProviderConnectionError: No answer came, or not in time.
            ProviderStatusError: The answer's status is not 2xx.
            ProviderError: What the environment says of proxies or certificates
                cannot be.
        """
        deadline = _Deadline(self._timeouts.first_byte)
        failure: ProviderError
        client = self._client = self._client or self._make_client(request)
        try:
            async with asyncio.timeout_at(deadline.at):
                response = await _send(client, request)
        except TimeoutError:
            failure = deadline.failure(request)
        except (_load_httpx().RequestError, _load_httpx().InvalidURL) as error:
            detail = _detail(error, request)
            failure = _connection_failure(detail, request, advice=_advice(error))
        except UnicodeError:
            failure = _connection_failure("a header is not plain ASCII", request)
        else:
            stream = HttpStream(response, request, deadline)
            if response.is_success:
                return stream
            failure = await stream.status_failure()
        # Raised outside of the except block: httpx's own errors hold the request.
        raise failure

    async def aclose(self) -> None:
        """Close the connections, unless the client is yours."""
        if self._owned and self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _make_client(self, request: HttpRequest) -> httpx.AsyncClient:
        httpx = _load_httpx()
        limits = self._timeouts
        timeout = httpx.Timeout(limits.read, connect=limits.connect, write=limits.write)
        transport = self._transport
        try:
            return httpx.AsyncClient(http2=True, timeout=timeout, transport=transport)
        except (ImportError, OSError, ValueError) as error:
            detail = _detail(error, request)
        raise ProviderError(
            f"no connection can be made: {detail}. Look at the environment: proxies "
            "are named by HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, certificates by "
            "SSL_CERT_FILE and SSL_CERT_DIR",
            provider=request.provider,
        )


async def _send(client: httpx.AsyncClient, request: HttpRequest) -> httpx.Response:
    # Compressed events arrive late, because compressors wait for more.
    headers = {"accept-encoding": "identity", **request.headers}
    prepared = client.build_request(
        request.method, request.url, headers=headers, content=request.body
    )
    with request_of_ours():
        return await client.send(prepared, stream=True, follow_redirects=False)


class _Deadline:
    """When the first byte is due, on the loop's clock."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds: Final = seconds
        now = asyncio.get_running_loop().time()
        self.at: Final = None if seconds is None else now + seconds

    def failure(self, request: HttpRequest) -> ProviderConnectionError:
        return _connection_failure(f"no answer within {self.seconds:g} s", request)


class HttpStream:
    """The body of one answer, piece by piece. Close it, or read it to its end."""

    def __init__(
        self, response: httpx.Response, request: HttpRequest, deadline: _Deadline
    ) -> None:
        self._response: Final = response
        self._request: Final = request
        self._deadline: Final = deadline
        self._chunks = response.aiter_bytes()
        self._begun = False
        self._read_bytes = 0
        self.status: Final = response.status_code
        self.headers: Final[Mapping[str, str]] = response.headers

    async def read(self) -> bytes:
        """The next piece; empty at the end.

        Raises:
            ProviderConnectionError: The connection broke before the first byte.
            BrokenStreamError: It broke later.
            ProviderStreamError: The body is an error in JSON, or too long.
        """
        if self._begun:
            return await self._read()
        try:
            async with asyncio.timeout_at(self._deadline.at):
                chunk = await self._read()
        except TimeoutError:
            await self.aclose()
        else:
            self._begun = True
            await self._refuse_other(chunk)
            return chunk
        raise self._deadline.failure(self._request)

    async def aclose(self) -> None:
        """Give the connection back, or drop it when the body was not read."""
        await self._response.aclose()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await self.read():
            yield chunk

    async def status_failure(self) -> ProviderStatusError:
        """The error for an answer whose status is not 2xx; the answer is closed."""
        body = redact(await self._rest(b""), self._request.secrets)[:_QUOTE_LIMIT]
        headers = self.headers
        said = f"AI streaming API returned {self.status}: {body}"
        return ProviderStatusError(
            f"{said}{redirect_text(headers.get('location'))}",
            provider=self._request.provider,
            status_code=self.status,
            request_id=headers.get("request-id") or headers.get("x-request-id"),
            body=body,
            retry_after=seconds_to_wait(headers, now=time()),
            should_retry=advised_retry(headers),
        )

    async def _read(self) -> bytes:
        failure: ProviderError
        limit = self._request.max_answer_bytes
        if limit is not None and self._read_bytes > limit:
            failure = self._endless(limit)
        else:
            try:
                chunk = await anext(self._chunks, b"")
            except _load_httpx().RequestError as error:
                failure = self._broken(error)
            else:
                self._read_bytes += len(chunk)
                return chunk
        await self.aclose()
        raise failure

    def _endless(self, limit: int) -> ProviderStreamError:
        return ProviderStreamError(
            f"the answer is longer than {limit} bytes; what came is kept. If it is "
            "meant to be so long, raise max_answer_bytes",
            provider=self._request.provider,
        )

    def _broken(self, error: httpx.RequestError) -> ProviderError:
        if not self._begun:
            return _connection_failure(_detail(error, self._request), self._request)
        return BrokenStreamError(
            f"the stream broke off: {_detail(error, self._request)}{_advice(error)}",
            provider=self._request.provider,
        )

    async def _refuse_other(self, chunk: bytes) -> None:
        """Gateways answer errors as JSON, or as a page, with status 200."""
        kind = foreign_body(self.headers.get("content-type", ""), chunk)
        if kind is None:
            return
        body = redact(await self._rest(chunk), self._request.secrets)
        said = error_text_of(body)
        raise ProviderStreamError(
            said or f"the server answered {self.status} with {kind} instead of events",
            provider=self._request.provider,
        )

    async def _rest(self, body: bytes) -> str:
        """What is left of the body, as text, up to a limit; the answer is closed."""
        try:
            while len(body) < _BODY_LIMIT and (chunk := await anext(self._chunks, b"")):
                body += chunk
        except _load_httpx().RequestError:
            pass  # the part that came says more than the way it broke
        finally:
            await self.aclose()
        return body[:_BODY_LIMIT].decode("utf-8", "replace")


def scripted_transport(answer: Answerer) -> httpx.AsyncBaseTransport:
    """A transport for :class:`HttpClient` that asks ``answer`` instead of a server."""
    httpx = _load_httpx()

    class _Body(httpx.AsyncByteStream):
        def __init__(self, chunks: AsyncIterable[bytes]) -> None:
            self._chunks = chunks

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self._chunks:
                yield chunk

    class _Scripted(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            said = await answer(
                HttpRequest(
                    url=str(request.url),
                    method=request.method,
                    headers=dict(request.headers),
                    body=await request.aread(),
                )
            )
            headers = dict(said.headers)
            return httpx.Response(
                said.status, headers=headers, stream=_Body(said.chunks)
            )

    return _Scripted()


def _connection_failure(
    detail: str, request: HttpRequest, *, advice: str = ""
) -> ProviderConnectionError:
    place = redact(place_text(request.method, request.url), request.secrets)
    return ProviderConnectionError(
        f"AI streaming request failed: {detail}{place}{advice}",
        provider=request.provider,
    )


def _detail(error: Exception, request: HttpRequest) -> str:
    return redact(str(error), request.secrets) or type(error).__name__


def _advice(error: Exception) -> str:
    httpx = _load_httpx()
    if isinstance(error, httpx.ConnectError):
        return ". Is a server running there, and is the address right?"
    silent = isinstance(error, httpx.ReadTimeout)
    return " (silent for longer than Timeouts.read allows)" if silent else ""
