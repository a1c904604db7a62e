"""What the embedded agent's wires share: recorded streams, ids, pieces, token counts.

Ids and signatures are derived from the conversation, so that the same conversation
gives the same bytes, and two turns of one conversation never share an id.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.providers.offline_conversation import OfflineConversation, Vendor
from aistream_nb.providers.offline_story import Script

__all__ = [
    "LETTERS",
    "Seed",
    "count_read_tokens",
    "count_tokens",
    "cut_at_words",
    "cut_evenly",
    "recorded_frames",
    "written_text",
]

_PIECE: Final = re.compile(r"\S*\s*")
LETTERS: Final = 9
"""A delta holds about so many characters, as the recorded ones do."""


@cache
def recorded_frames(vendor: Vendor, name: str) -> tuple[bytes, ...]:
    """A recorded stream, frame by frame, byte for byte."""
    place = files("aistream_nb.providers").joinpath("streams", vendor, f"{name}.sse")
    return tuple(re.findall(rb".*?\r?\n\r?\n", place.read_bytes(), re.DOTALL))


class Seed:
    """Text that looks random and is a function of the conversation."""

    def __init__(self, conversation: OfflineConversation) -> None:
        self._text = repr((conversation.vendor, len(conversation.items)))

    def hexadecimal(self, purpose: str, length: int) -> str:
        """Hexadecimal digits."""
        text = ""
        while len(text) < length:
            text += hashlib.sha256(f"{self._text}{purpose}{text}".encode()).hexdigest()
        return text[:length]

    def letters(self, purpose: str, length: int) -> str:
        """Letters and digits, as in base 64 but without its signs."""
        raw = bytes.fromhex(self.hexadecimal(purpose, 4 * length))
        return re.sub(r"[^A-Za-z0-9]", "", base64.b64encode(raw).decode())[:length]

    def uuid(self, purpose: str) -> str:
        """In the form of a UUID."""
        text = self.hexadecimal(purpose, 32)
        return "-".join(
            (text[:8], text[8:12], f"5{text[13:16]}", f"5{text[17:20]}", text[20:])
        )


def cut_at_words(text: str, letters: int = LETTERS) -> Iterator[str]:
    """``text`` in pieces of whole words."""
    piece = ""
    for word in _PIECE.findall(text):
        piece += word
        if len(piece) >= letters:
            yield piece
            piece = ""
    if piece:
        yield piece


def cut_evenly(text: str, letters: int = LETTERS) -> Iterator[str]:
    """``text`` in pieces of one length."""
    for start in range(0, len(text), letters):
        yield text[start : start + letters]


def count_tokens(*texts: str) -> int:
    """About as many tokens as a model would count."""
    return sum(len(text) for text in texts) // 4 + 1


def count_read_tokens(conversation: OfflineConversation) -> int:
    """About as many tokens as a model would have had to read."""
    return count_tokens(
        *(repr(item) for item in conversation.items), repr(conversation.tools)
    )


def written_text(script: Script) -> str:
    """What the agent writes in a turn, beside its thinking."""
    return script.text + "".join(encode_json(call.arguments) for call in script.calls)
