"""One message while it grows, and the frozen value made of it.

A draft finds its calls and results by their ids, and knows the segment of text that
is open in it. It never leaves the processor; what leaves is the frozen value, and it
is the same object as long as nothing changed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aistream_nb.core.json_text import join_texts
from aistream_nb.core.messages import (
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.processor.drafts import (
    CallDraft,
    Draft,
    GrowingText,
    StructuredDraft,
    TextDraft,
)
from aistream_nb.core.values import ABSENT

__all__ = ["MessageDraft"]


class MessageDraft:
    """A message that may still change."""

    __slots__ = (
        "_calls",
        "_results",
        "changed",
        "created_at",
        "displaced",
        "frozen",
        "held",
        "id",
        "image",
        "is_kept",
        "is_provisional",
        "is_settled",
        "key",
        "metadata",
        "parts",
        "resumes",
        "role",
        "segment",
        "structured",
        "text_part",
        "told",
    )

    def __init__(self, *, id: str, role: Role, created_at: object = None) -> None:  # noqa: A002 - the protocol's name
        self.id = id
        self.role: Role = role
        self.created_at = created_at
        self.metadata: Mapping[str, Any] | None = None
        self.parts: list[Part | Draft] = []
        self._calls: dict[str, int] = {}
        self._results: dict[str, int] = {}
        self.frozen: UIMessage | None = None
        self.key = object()
        """What this message and all its images have in common."""
        self.image: MessageDraft | None = None
        """The message as it was kept last."""
        self.is_kept = False
        """Whether nothing changed since then."""
        self.changed = False
        """Whether the change was noted and not yet taken."""
        self.is_settled = True
        """Whether somebody saw the message since its last change was noted."""
        self.is_provisional = False
        """Whether the id is made up, so that the stream may still name it."""
        self.text_part: TextDraft | None = None
        """The part that the open segment fills; none before its first showing."""
        self.displaced: TextDraft | None = None
        """The segment's part, taken out by a host that replaced the message."""
        self.held: list[str] = []
        """Text of the open segment that is not shown yet."""
        self.segment: GrowingText | None = None
        """The open segment; kept only for a strategy that chooses the moment."""
        self.resumes = False
        """Whether the first text goes on with the last part (a reloaded message)."""
        self.told: list[GrowingText] | None = None
        """The texts that the stream had for this message, as they were shown."""
        self.structured: StructuredDraft | None = None
        """The structured answer that takes the message's text."""

    @classmethod
    def thaw(cls, message: UIMessage) -> MessageDraft:
        """A draft that starts as ``message``."""
        draft = cls(id=message.id, role=message.role, created_at=message.created_at)
        draft.metadata = message.metadata
        draft.add_all(message.parts)
        draft.frozen = message
        draft.resumes = True
        return draft

    def add_all(self, parts: Iterable[Part]) -> None:
        """Append parts that are finished."""
        for part in parts:
            self.add(part)

    def add(self, part: Part | Draft) -> None:
        """Append a part."""
        where = len(self.parts)
        self.parts.append(part)
        if isinstance(part, (ToolCallPart, CallDraft)):
            self._calls.setdefault(part.id, where)
        elif isinstance(part, ToolResultPart):
            self._results.setdefault(part.tool_call_id, where)

    def has_call(self, call_id: str) -> bool:
        """Whether a call of this id is in the message."""
        return call_id in self._calls

    def has_result(self, call_id: str) -> bool:
        """Whether the result of this call is in the message."""
        return call_id in self._results

    @property
    def call_ids(self) -> Iterable[str]:
        """The ids of the calls in the message."""
        return self._calls

    def call(self, call_id: str) -> CallDraft | None:
        """The first call of this id, ready to be changed."""
        where = self._calls.get(call_id)
        if where is None:
            return None
        part = self.parts[where]
        if isinstance(part, ToolCallPart):
            part = self.parts[where] = CallDraft.thaw(part)
        return part if isinstance(part, CallDraft) else None

    def awaiting(self, approval_id: str) -> CallDraft | None:
        """The first call with this approval, ready to be changed."""
        for part in self.parts:
            if isinstance(part, (ToolCallPart, CallDraft)):
                approval = part.approval
                if approval is not None and approval.id == approval_id:
                    return self.call(part.id)
        return None

    @property
    def has_all_answers(self) -> bool:
        """Whether no call waits for a tool or a person (section 8.6)."""
        return all(
            part.id in self._results or _is_answered(part)
            for part in self.parts
            if isinstance(part, (ToolCallPart, CallDraft))
        )

    def put_result(self, result: ToolResultPart) -> bool:
        """Replace the result of the same call; false if there is none yet."""
        where = self._results.get(result.tool_call_id)
        if where is None:
            return False
        self.parts[where] = result
        return True

    def twin(self, copied: Callable[[Any], Any]) -> MessageDraft:
        """Another message in the same state; ``copied`` copies what it is made of."""
        twin = copy.copy(self)
        twin.frozen = None
        twin.changed = False
        twin.is_settled = True
        twin.parts = list(map(copied, self.parts))
        twin.held = list(self.held)
        twin.told = None if self.told is None else list(map(copied, self.told))
        twin.segment = copied(self.segment)
        twin.text_part = copied(self.text_part)
        twin.displaced = copied(self.displaced)
        twin.structured = copied(self.structured)
        twin._calls = dict(self._calls)  # noqa: SLF001 - one of us
        twin._results = dict(self._results)  # noqa: SLF001 - one of us
        return twin

    def end_segment(self) -> None:
        """The next text begins a part of its own."""
        self.is_kept = False
        self.text_part = None
        self.displaced = None
        self.resumes = False
        self.segment = None

    def text(self) -> str:
        """All text of the message as it is now; one part's is not copied."""
        texts = [part for part in self.parts if isinstance(part, (TextDraft, TextPart))]
        return join_texts([_text_of(part) for part in texts])

    def keep(self, message: UIMessage) -> None:
        """Let ``message`` be the value of the draft as it is now."""
        self.frozen = message
        self.is_settled = True

    def freeze(self) -> UIMessage:
        """The message as it is now; the same object until the draft changes."""
        if self.frozen is None:
            self.is_settled = True
            self.frozen = UIMessage(
                id=self.id,
                role=self.role,
                parts=tuple(
                    [p.freeze() if isinstance(p, Draft) else p for p in self.parts]
                ),
                created_at=self.created_at,
                metadata=self.metadata,
            )
        return self.frozen


def _text_of(part: TextDraft | TextPart) -> str:
    return part.read() if isinstance(part, TextDraft) else part.content


def _is_answered(call: ToolCallPart | CallDraft) -> bool:
    if call.state == "approval-responded":
        return True
    if call.metadata is not None and call.metadata.get("providerExecuted") is True:
        return True
    return call.output is not ABSENT and call.approval is None
