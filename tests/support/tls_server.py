"""A server on loopback that speaks TLS, with a certificate of its own making.

It offers HTTP/2, and speaks it with whoever takes it; to others it speaks HTTP/1.1.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import h2.connection
import h2.events
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from h2.config import H2Configuration

__all__ = ["BODY", "TLSServer", "make_certificate"]

BODY = b"data: 1\n\n"
_DAY = dt.timedelta(days=1)


def make_certificate(folder: Path) -> Path:
    """A file with a new key and a certificate for 127.0.0.1 that vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "loopback.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file


class TLSServer:
    """Answers every request with :data:`BODY`, and counts connections."""

    def __init__(self, certificate: Path, *, protocols: list[str]) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._context.set_alpn_protocols(protocols)
        self.connections = 0
        self.address = ""

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[TLSServer]:
        """The server while it runs."""
        server = await asyncio.start_server(
            self._meet, "127.0.0.1", 0, ssl=self._context
        )
        host, port = server.sockets[0].getsockname()[:2]
        self.address = f"https://{host}:{port}/v1"
        try:
            yield self
        finally:
            server.close()

    async def _meet(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        chosen = writer.get_extra_info("ssl_object").selected_alpn_protocol()
        speak = self._speak_2 if chosen == "h2" else self._speak_1
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            await speak(reader, writer)
        writer.close()

    async def _speak_1(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(2)  # every test here sends {}
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                b"content-length: %d\r\n\r\n%s" % (len(BODY), BODY)
            )

    async def _speak_2(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        talk = h2.connection.H2Connection(H2Configuration(client_side=False))
        talk.initiate_connection()
        writer.write(talk.data_to_send())
        while data := await reader.read(65_536):
            for event in talk.receive_data(data):
                if isinstance(event, h2.events.StreamEnded):
                    head = [(":status", "200"), ("content-type", "text/event-stream")]
                    talk.send_headers(event.stream_id, head)
                    talk.send_data(event.stream_id, BODY, end_stream=True)
            writer.write(talk.data_to_send())
