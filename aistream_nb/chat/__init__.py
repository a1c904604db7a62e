"""Chat: a live agent in a notebook cell, to watch, to steer and to record."""

from __future__ import annotations

from aistream_nb.chat.chat import Chat
from aistream_nb.chat.reply import Reply
from aistream_nb.chat.run import Run

__all__ = ["Chat", "Reply", "Run"]
