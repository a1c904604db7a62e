"""The bytes of one answer as they come, with secrets taken out of the whole of it.

A text body is read as the text that it is. In AG-UI's binary form a text has its length
before it, and all that it stands in too; so a frame is kept when it is whole, and the
lengths around what was taken out follow. What is no message is cleaned as it stands.
"""

from __future__ import annotations

from typing import Final

from aistream_nb.core.redaction import REDACTED, Redactor, is_secret_name
from aistream_nb.core.running_redaction import RunningRedactor
from aistream_nb.core.wire.frame_readers import is_binary
from aistream_nb.core.wire.frames import MAX_FRAME
from aistream_nb.core.wire.proto_bytes import ProtoError, framed
from aistream_nb.core.wire.proto_rewrite import Rewriting, rewrite_proto

__all__ = ["BinaryBody", "TextBody", "body_of"]

_HEAD: Final = 4


class TextBody:
    """A body of text.

    >>> body = TextBody(Redactor(["hunter2!"]))
    >>> [body.receive(piece) for piece in (b"say hunt", b"er2! now")]
    [b'say ', b'[redacted] now']
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._growing = RunningRedactor(redactor, spell=_in_bytes)

    def receive(self, content: bytes) -> bytes:
        """What is to be kept now that this piece has come."""
        # Latin-1 gives every byte a character and takes it back.
        told = self._growing.receive(content.decode("latin-1")).encode("latin-1")
        return self._redactor.redact_bytes(told)

    @property
    def pending(self) -> bytes:
        """The piece that would come if the body ended here."""
        return self._growing.pending.encode("latin-1")


class BinaryBody:
    r"""A body of frames.

    >>> body = BinaryBody(Redactor(["hunter2!"]))
    >>> body.receive(b"\0\0\0\x0cr\x0a\x1a\x08hunt"), body.receive(b"er2!")
    (b'', b'\x00\x00\x00\x0er\x0c\x1a\n[redacted]')
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._rewriting = Rewriting(
            text=redactor.redact_bytes, hides=is_secret_name, hidden=REDACTED.encode()
        )
        self._rest = bytearray()
        self._beyond: TextBody | None = None
        """Takes what comes behind a frame of a length that none has."""

    def receive(self, content: bytes) -> bytes:
        """The frames that are whole now that this piece has come."""
        if self._beyond is not None:
            return self._beyond.receive(content)
        self._rest += content
        told: list[bytes] = []
        while len(self._rest) >= _HEAD:
            end = _HEAD + int.from_bytes(self._rest[:_HEAD], "big")
            if end > _HEAD + MAX_FRAME:
                return b"".join([*told, self._give_up()])
            if len(self._rest) < end:
                break
            told.append(framed(self._cleaned(bytes(self._rest[_HEAD:end]))))
            del self._rest[:end]
        return b"".join(told)

    @property
    def pending(self) -> bytes:
        """What would come if the body ended here, within a frame."""
        if self._beyond is not None:
            return self._beyond.pending
        body = TextBody(self._redactor)
        return body.receive(bytes(self._rest)) + body.pending

    def _cleaned(self, data: bytes) -> bytes:
        try:
            return rewrite_proto(data, self._rewriting)
        except ProtoError:
            return self._redactor.redact_bytes(data)

    def _give_up(self) -> bytes:
        self._beyond = TextBody(self._redactor)
        told = self._beyond.receive(bytes(self._rest))
        self._rest.clear()
        return told


def body_of(start: bytes, redactor: Redactor) -> TextBody | BinaryBody:
    """A body that begins so."""
    return (BinaryBody if is_binary(start) else TextBody)(redactor)


def _in_bytes(secret: str) -> str:
    return secret.encode("utf-8", "surrogatepass").decode("latin-1")
