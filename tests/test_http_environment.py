"""What the environment says of the road: proxies, certificates, the server's protocol.

Each is tried on a server of loopback, through the client as everybody has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tls_server import BODY, TLSServer, make_certificate

import aistream_nb as ai
from aistream_nb.errors import ProviderConnectionError, ProviderError
from aistream_nb.http import HttpClient, HttpRequest

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
HUSH = "hush-hush"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@asynccontextmanager
async def answering(seen: list[str]) -> AsyncGenerator[str]:
    """A server that keeps the first line of every request."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append(head.decode().split("\r\n")[0])
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
            b"connection: close\r\n\r\n" + BODY
        )
        writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def fetched(*urls: str) -> list[str]:
    """The protocols in which the bodies of these addresses came."""
    spoken: list[str] = []
    async with HttpClient() as client:
        for url in urls:
            stream = await client.open(HttpRequest(url=url, body=b"{}"))
            assert b"".join([piece async for piece in stream]) == BODY
            spoken.append(stream._response.http_version)
    return spoken


async def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch):
    seen: list[str] = []
    async with answering(seen) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://{proxy}")
        await fetched("http://models.invalid/v1")
    assert seen == ["POST http://models.invalid/v1 HTTP/1.1"]


async def test_a_host_may_be_kept_from_the_proxy(monkeypatch: pytest.MonkeyPatch):
    seen: list[str] = []
    async with answering(seen) as server:
        monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        await fetched(f"http://{server}/v1")
    assert seen == ["POST /v1 HTTP/1.1"]


async def test_a_certificate_authority_of_the_environment_is_trusted(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    async with TLSServer(certificate, protocols=["http/1.1"]).serving() as server:
        with pytest.raises(ProviderConnectionError, match="certificate verify failed"):
            await fetched(server.address)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert await fetched(server.address) == ["HTTP/1.1"]


async def test_a_server_that_has_http_2_is_spoken_to_in_it(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with TLSServer(certificate, protocols=["h2", "http/1.1"]).serving() as server:
        assert await fetched(server.address) == ["HTTP/2"]


@pytest.mark.parametrize("protocol", ["h2", "http/1.1"])
async def test_a_connection_is_used_again(
    protocol: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with TLSServer(certificate, protocols=[protocol]).serving() as server:
        await fetched(*[server.address] * 3)
        assert server.connections == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTP_PROXY", f"ftp://me:{HUSH}@127.0.0.1:9"),
        ("SSL_CERT_FILE", "/there/is/no/such/file.pem"),
        ("SSL_CERT_FILE", __file__),
    ],
)
@pytest.mark.parametrize("agent", ["ollama:m", "http://127.0.0.1:9/agent"])
async def test_an_environment_that_cannot_be_used_is_told_and_not_tried_again(
    agent: str, name: str, value: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(name, value)
    chat = ai.Chat(agent)
    with pytest.raises(ProviderError, match="Look at the environment") as caught:
        await chat.send("Good day")
    assert type(caught.value) is ProviderError
    assert HUSH not in str(caught.value)
    await chat.aclose()


async def test_an_address_that_is_none_is_an_error_of_ours():
    async with HttpClient() as client:
        with pytest.raises(ProviderConnectionError, match="non-printable"):
            await client.open(HttpRequest(url="http://host/a\nb"))
