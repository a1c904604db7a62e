"""Conversations for other readers: people without a kernel, and models.

Each function takes a chat, a player, a reply's conversation, a recording, or the path
of one, and gives text or plain values; nothing is written and nothing is sent.
"""

from __future__ import annotations

from aistream_nb.export.absent import absent as __getattr__  # Python asks it
from aistream_nb.export.markdown_page import to_markdown
from aistream_nb.export.model_messages import to_anthropic, to_openai
from aistream_nb.export.page import to_html
from aistream_nb.export.story import to_notebook

__all__ = ["to_anthropic", "to_html", "to_markdown", "to_notebook", "to_openai"]
