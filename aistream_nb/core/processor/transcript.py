"""The list of messages while it grows: who is in it, and what changed.

Rules that a change must keep. The cost of touching one message does not depend on
how many there are. A message that did not change is the same object in the next
snapshot. Nothing here knows an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aistream_nb.core.messages import UIMessage
from aistream_nb.core.processor.drafts import CallDraft
from aistream_nb.core.processor.message import MessageDraft

__all__ = ["Transcript"]


class Transcript:
    """The messages of a conversation, as drafts."""

    def __init__(self, messages: Iterable[UIMessage] = ()) -> None:
        self._drafts: list[MessageDraft] = []
        self.by_id: dict[str, MessageDraft] = {}
        """The first message of each id, to look at."""
        self._owners: dict[str, list[MessageDraft]] | None = None
        self._changed: list[MessageDraft] = []
        self._gone: list[str] = []
        self._frozen: tuple[UIMessage, ...] | None = None
        for message in messages:
            self._place(MessageDraft.thaw(message))

    def __iter__(self) -> Iterator[MessageDraft]:
        return iter(self._drafts)

    def __len__(self) -> int:
        return len(self._drafts)

    def ids(self, start: int) -> list[str]:
        """The ids from a place on, in order."""
        return [draft.id for draft in self._drafts[start:]]

    def snapshot(self) -> tuple[UIMessage, ...]:
        """All messages as they are now; the same tuple until one changes."""
        if self._frozen is None:
            self._frozen = tuple([draft.freeze() for draft in self._drafts])
        return self._frozen

    def find(self, message_id: str) -> MessageDraft | None:
        """The first message of this id."""
        return self.by_id.get(message_id)

    def holds(self, message: MessageDraft) -> bool:
        """Whether the message is in the list."""
        return self.by_id.get(message.id) is message

    def touch(self, message: MessageDraft) -> None:
        """Note that a message changed."""
        message.frozen = None
        message.is_settled = False
        message.is_kept = False
        self._frozen = None
        if not message.changed:
            message.changed = True
            self._changed.append(message)

    def take_changes(self) -> tuple[str, ...]:
        """The ids of what changed, came or went since this was last asked."""
        changed = dict.fromkeys(self._gone)
        for message in self._changed:
            message.changed = False
            message.is_settled = True
            changed[message.id] = None
        self._changed.clear()
        self._gone.clear()
        return tuple(changed)

    def append(self, message: MessageDraft) -> None:
        """Put a new message at the end."""
        self._place(message)
        self.touch(message)

    def extend(self, messages: Iterable[UIMessage]) -> None:
        """Put finished messages at the end."""
        for message in messages:
            draft = MessageDraft.thaw(message)
            self._place(draft)
            self.touch(draft)
            draft.keep(message)

    def rename(self, message: MessageDraft, message_id: str) -> None:
        """Give a message the id that the stream has for it."""
        del self.by_id[message.id]
        self._gone.append(message.id)
        message.id = message_id
        self.by_id[message_id] = message
        self.touch(message)

    def replace(self, messages: Iterable[UIMessage]) -> None:
        """Make the list these messages; a draft whose value did not change stays."""
        before = self.by_id
        self._drafts = []
        self.by_id = {}
        self._owners = None
        self._frozen = None
        for message in messages:
            draft = before.get(message.id)
            if draft is None or draft.frozen is not message:
                draft = MessageDraft.thaw(message)
                self.touch(draft)
                draft.keep(message)
            self._place(draft)
        self._gone.extend(name for name in before if name not in self.by_id)

    def put_back(self, drafts: list[MessageDraft]) -> None:
        """Make the list these drafts, of which some are in it already."""
        before, now = self._drafts, dict.fromkeys(drafts)
        known = dict.fromkeys(before)
        self._drafts = drafts
        self.by_id = {draft.id: draft for draft in reversed(drafts)}
        self._frozen = None
        self._gone.extend(
            draft.id
            for draft in before
            if draft not in now and draft.id not in self.by_id
        )
        if self._owners is not None:
            self._disown([draft for draft in before if draft not in now])
        for draft in drafts:
            if draft not in known:
                for call_id in draft.call_ids:
                    self._note_owner(call_id, draft)
                self.touch(draft)
                draft.is_kept = draft.is_settled = True

    def _disown(self, drafts: Iterable[MessageDraft]) -> None:
        owners = self._owners or {}
        for draft in drafts:
            for call_id in draft.call_ids:
                owners[call_id].remove(draft)

    def remove(self, message: MessageDraft) -> None:
        """Take a message out."""
        self._drafts = [each for each in self._drafts if each is not message]
        del self.by_id[message.id]
        self._gone.append(message.id)
        self._owners = None
        self._frozen = None

    def add_call(self, message: MessageDraft, call: CallDraft) -> None:
        """Append a call to a message, and know whose it is."""
        message.add(call)
        if self.holds(message):
            self._note_owner(call.id, message)
        self.touch(message)

    def owners(self, call_id: str) -> tuple[MessageDraft, ...]:
        """The messages that hold a call of this id, in the order of the list."""
        if self._owners is None:
            self._owners = {}
            for draft in self._drafts:
                for each in draft.call_ids:
                    self._note_owner(each, draft)
        owners = self._owners.get(call_id, ())
        if len(owners) > 1:  # they are known in the order in which they were seen
            known = set(owners)
            owners = dict.fromkeys(it for it in self._drafts if it in known)
        return tuple(owners)

    def calls(self, call_id: str) -> Iterator[tuple[MessageDraft, CallDraft]]:
        """Each message's first call of this id."""
        return (
            (message, call)
            for message in self.owners(call_id)
            if (call := message.call(call_id)) is not None
        )

    def _note_owner(self, call_id: str, message: MessageDraft) -> None:
        if self._owners is None:  # nobody asked yet, so nobody needs the index
            return
        owners = self._owners.setdefault(call_id, [])
        if message not in owners:
            owners.append(message)

    def _place(self, draft: MessageDraft) -> None:
        self._drafts.append(draft)
        self.by_id.setdefault(draft.id, draft)
        for call_id in draft.call_ids:
            self._note_owner(call_id, draft)
