"""Messages while they grow: mutable drafts, and the frozen values made of them.

The rule that a change must keep: a delta costs the same whatever came before it. So
text is kept in pieces and joined when somebody reads it, and a draft remembers the
value it made last until it changes. Drafts never leave the processor; what leaves is
the frozen value, and it is the same object as long as nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import join_surrogates, parse_json
from aistream_nb.core.messages import (
    Approval,
    CallState,
    Part,
    Role,
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    UIMessage,
)
from aistream_nb.core.partial_json import PartialJSONParser
from aistream_nb.core.parts import StructuredStatus
from aistream_nb.core.values import ABSENT

__all__ = [
    "CallDraft",
    "Draft",
    "GrowingText",
    "MessageDraft",
    "StructuredDraft",
    "TextDraft",
    "ThinkingDraft",
    "finished_input",
]

_INPUT_STATES: Final = ("awaiting-input", "input-streaming", "input-complete")


class GrowingText:
    """Text that only grows: pieces, joined when read."""

    __slots__ = ("_text", "pending")

    def __init__(self, text: str = "") -> None:
        self._text = text
        self.pending: list[str] = []
        """What came since the last reading; whoever appends here says so to nobody."""

    def read(self) -> str:
        """The whole text. It costs what is new, not what is old."""
        if not self.pending:
            return self._text
        new = "".join(self.pending)
        self.pending.clear()
        # NB: the slot lets go first. Then the local is the only owner of the text and
        # CPython grows it in place; else every reading would copy it.
        text, self._text = self._text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            new = text[-1] + new
            text = text[:-1]
        text += join_surrogates(new)
        self._text = text
        return text

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come yet."""
        return not self._text and not any(self.pending)


class Draft:
    """A part that may still change."""

    __slots__ = ()

    def freeze(self) -> Part:
        """The part as it is now; the same object until the draft changes."""
        raise NotImplementedError  # pragma: no cover - every draft says how


class TextDraft(GrowingText, Draft):
    """A text part that grows."""

    __slots__ = ("frozen",)

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.frozen: TextPart | None = None

    def freeze(self) -> TextPart:
        """The part as it is now."""
        if self.frozen is None:
            self.frozen = TextPart(self.read())
        return self.frozen


class ThinkingDraft(GrowingText, Draft):
    """A thinking part that grows."""

    __slots__ = ("frozen", "reasoning_id", "signature", "step_id")

    def __init__(
        self, step_id: str | None = None, reasoning_id: str | None = None
    ) -> None:
        super().__init__()
        self.step_id = step_id
        self.reasoning_id = reasoning_id
        self.signature: str | None = None
        self.frozen: ThinkingPart | None = None

    def freeze(self) -> ThinkingPart:
        """The part as it is now."""
        if self.frozen is None:
            self.frozen = ThinkingPart(
                self.read(), step_id=self.step_id, signature=self.signature
            )
        return self.frozen


class CallDraft(Draft):
    """A call part that may change."""

    __slots__ = (
        "approval",
        "arguments",
        "frozen",
        "id",
        "input",
        "metadata",
        "name",
        "output",
        "state",
    )

    def __init__(self, *, id: str, name: str, arguments: GrowingText) -> None:  # noqa: A002 - the protocol's name
        self.id = id
        self.name = name
        self.arguments = arguments
        self.state: CallState = "awaiting-input"
        self.approval: Approval | None = None
        self.output: object = ABSENT
        self.input: object = ABSENT
        self.metadata: Mapping[str, Any] | None = None
        self.frozen: ToolCallPart | None = None

    @classmethod
    def thaw(cls, part: ToolCallPart) -> CallDraft:
        """A draft that starts as ``part``."""
        draft = cls(id=part.id, name=part.name, arguments=GrowingText(part.arguments))
        draft.state = part.state
        draft.approval = part.approval
        draft.output = part.output
        draft.input = part.input
        draft.metadata = part.metadata
        draft.frozen = part
        return draft

    @property
    def has_answer(self) -> bool:
        """Whether a person or a tool has been asked; then input no longer moves it."""
        return self.output is not ABSENT or self.state not in _INPUT_STATES

    def freeze(self) -> ToolCallPart:
        """The part as it is now."""
        if self.frozen is None:
            self.frozen = ToolCallPart(
                id=self.id,
                name=self.name,
                arguments=self.arguments.read(),
                state=self.state,
                approval=self.approval,
                output=self.output,
                input=self.input,
                metadata=self.metadata,
            )
        return self.frozen


class StructuredDraft(Draft):
    """A structured answer that grows."""

    __slots__ = (
        "data",
        "error_message",
        "frozen",
        "preview",
        "raw",
        "reasoning",
        "status",
    )

    def __init__(self) -> None:
        self.raw = GrowingText()
        self.preview = PartialJSONParser()
        self.status: StructuredStatus = "streaming"
        self.data: object = ABSENT
        self.reasoning: str | None = None
        self.error_message: str | None = None
        self.frozen: StructuredOutputPart | None = None

    def freeze(self) -> StructuredOutputPart:
        """The part as it is now."""
        if self.frozen is None:
            complete = self.status == "complete"
            self.frozen = StructuredOutputPart(
                status=self.status,
                raw=self.raw.read(),
                partial=self.data if complete else self.preview.snapshot(),
                data=self.data,
                reasoning=self.reasoning,
                error_message=self.error_message,
            )
        return self.frozen


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
        "is_provisional",
        "metadata",
        "parts",
        "resumes",
        "role",
        "segment",
        "structured",
        "text_part",
        "total",
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
        self.changed = False
        """Whether the change was noted and not yet taken."""
        self.is_provisional = False
        """Whether the id is made up, so that the stream may still name it."""
        self.text_part: TextDraft | None = None
        """The part that the open segment fills; none before its first showing."""
        self.displaced: TextDraft | None = None
        """The segment's part, taken out by a host that replaced the message."""
        self.held: list[str] = []
        """Text of the open segment that is not shown yet."""
        self.segment = GrowingText()
        """The open segment; kept only for a strategy that chooses the moment."""
        self.resumes = False
        """Whether the first text goes on with the last part (a reloaded message)."""
        self.total: GrowingText | None = None
        """All text that the stream had for this message."""
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

    def end_segment(self) -> None:
        """The next text begins a part of its own."""
        self.text_part = None
        self.displaced = None
        self.resumes = False
        self.segment = GrowingText()

    def text(self) -> str:
        """All text of the message as it is now."""
        if len(self.parts) == 1:
            return _text_of(self.parts[0])
        return "".join(map(_text_of, self.parts))

    def freeze(self) -> UIMessage:
        """The message as it is now; the same object until the draft changes."""
        if self.frozen is None:
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


def _text_of(part: Part | Draft) -> str:
    if isinstance(part, TextDraft):
        return part.read()
    return part.content if isinstance(part, TextPart) else ""


def _is_answered(call: ToolCallPart | CallDraft) -> bool:
    if call.state == "approval-responded":
        return True
    if call.metadata is not None and call.metadata.get("providerExecuted") is True:
        return True
    return call.output is not ABSENT and call.approval is None


def finished_input(arguments: str) -> object:
    """The value of finished arguments; absent unless they are whole JSON.

    A finished input is never guessed: half a value that looks whole would be run.

    >>> finished_input('{"city": "Paris"}')
    {'city': 'Paris'}
    >>> finished_input('{"city": "Par')
    ABSENT
    """
    try:
        return parse_json(arguments)
    except ValueError:
        return ABSENT
