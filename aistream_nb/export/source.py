"""Whatever holds a conversation, as one, with the recording where there is one.

An export is kept, so it holds what a recording holds: of a chat that records itself,
the recording is read, from which secrets are taken out, and not what is shown live.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Protocol, TypeAlias

from aistream_nb.conversation import Conversation
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording

__all__ = ["Exported", "Holder", "Source", "read_source"]


class Holder(Protocol):
    """A chat, a player, an inspector: something with a conversation."""

    @property
    def conversation(self) -> Conversation:
        """The conversation as it is now."""
        ...


Source: TypeAlias = Holder | Conversation | Recording | str | PathLike[str]
"""What can be exported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A conversation, and what is known beside it."""

    conversation: Conversation
    recording: Recording | None = None

    @property
    def system(self) -> str:
        """The system prompt, where it is known."""
        said = [str(m.text) for m in self.conversation.messages if m.role == "system"]
        known = "" if self.recording is None else self.recording.header.get("system")
        return "\n\n".join(said) or str(known or "")

    @property
    def title(self) -> str:
        """What a page may be called."""
        known = self.recording and self.recording.header.get("agent")
        return f"Conversation with {known or 'an agent'}"


def read_source(source: Source) -> Exported:
    """The conversation that ``source`` holds.

    Raises:
        AIStreamError: It holds none.
        RecordingError: The file cannot be read.
    """
    if isinstance(source, Conversation):
        return Exported(conversation=source)
    held = getattr(source, "conversation", None)
    if isinstance(held, Conversation):
        beside = getattr(source, "recording", None)
        if isinstance(beside, Recording):
            position = getattr(source, "position", None)  # where a player stands
            return Exported(conversation=_told_by(beside, position), recording=beside)
        return Exported(conversation=held)
    if not isinstance(source, (str, PathLike, Recording)):
        raise AIStreamError(
            f"A {type(source).__name__!r} holds no conversation. Give a chat, a "
            "player, a conversation, a recording, or the path of one."
        )
    recording = source if isinstance(source, Recording) else Recording.load(source)
    return Exported(conversation=_told_by(recording), recording=recording)


def _told_by(recording: Recording, position: int | None = None) -> Conversation:
    conversation = Conversation()
    conversation.receive_all(recording.events[:position])
    return conversation
