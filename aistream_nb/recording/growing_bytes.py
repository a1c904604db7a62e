"""The bytes of answers as they come, with secrets taken out of the whole of them.

A network cuts a body anywhere, also in the middle of a key. What may be the beginning
of one waits for the next piece. How a body is read, its first byte says.
"""

from __future__ import annotations

from aistream_nb.core.redaction import Redactor
from aistream_nb.recording.bodies import BinaryBody, TextBody, body_of

__all__ = ["GrowingBytes"]


class GrowingBytes:
    """Takes pieces of bodies in, and gives those that may be kept.

    >>> bodies = GrowingBytes(Redactor(["hunter2!"]))
    >>> [bodies.receive(1, piece) for piece in (b"say hunt", b"er2! now")]
    [b'say ', b'[redacted] now']
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._growing: dict[int, TextBody | BinaryBody] = {}

    def receive(self, number: int, content: bytes) -> bytes:
        """What is to be kept now that this piece of a round has come."""
        growing = self._growing.get(number)
        if growing is None:
            if not content:
                return b""
            growing = self._growing[number] = body_of(content, self._redactor)
        return growing.receive(content)

    @property
    def pending(self) -> list[tuple[int, bytes]]:
        """The round and the piece that would come if all bodies ended here."""
        ends = [(at, growing.pending) for at, growing in self._growing.items()]
        return [(at, rest) for at, rest in ends if rest]

    def close(self) -> list[tuple[int, bytes]]:
        """What was kept back of all bodies."""
        pending = self.pending
        self._growing.clear()
        return pending
