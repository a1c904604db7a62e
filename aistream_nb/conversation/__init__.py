"""The conversation as traits: what scripts read, notebooks observe and views draw."""

from __future__ import annotations

from aistream_nb.conversation.change import Change
from aistream_nb.conversation.conversation import Conversation, RunStatus
from aistream_nb.conversation.models import MessageModel, ToolCallModel

__all__ = ["Change", "Conversation", "MessageModel", "RunStatus", "ToolCallModel"]
