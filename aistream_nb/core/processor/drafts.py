"""Parts while they grow: mutable drafts, and the frozen values made of them.

The rule that a change must keep: a delta costs the same whatever came before it. So
text is kept in pieces and joined when somebody reads it, and a draft remembers the
value it made last until it changes. Drafts never leave the processor; what leaves is
the frozen value, and it is the same object as long as nothing changed.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final, Self

from aistream_nb.core.json_text import join_surrogates, parse_json
from aistream_nb.core.messages import (
    Approval,
    CallState,
    Part,
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from aistream_nb.core.partial_json.parsers import PartialJSONParser
from aistream_nb.core.parts import StructuredStatus
from aistream_nb.core.values import ABSENT

__all__ = [
    "CallDraft",
    "Draft",
    "GrowingText",
    "StructuredDraft",
    "TextDraft",
    "ThinkingDraft",
    "finished_input",
]

_INPUT_STATES: Final = ("awaiting-input", "input-streaming", "input-complete")


class GrowingText:
    """Text that only grows: pieces, joined when read."""

    __slots__ = ("_kept", "_text", "pending")

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._kept: list[str] = []
        """The text that was kept last, in pieces; never modified, so shared."""
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
        if not new.isascii():  # else no half of a character can be in it
            if text and "\ud800" <= text[-1] <= "\udbff":
                new = text[-1] + new
                text = text[:-1]
            new = join_surrogates(new)
        text += new
        self._text = text
        return text

    def asleep(self) -> Self:
        """The text as it is now, to be kept: it is never read, only woken.

        Only what came since the last keeping is copied, so that a text that is kept
        again and again costs its length.
        """
        text, known = self.read(), self._kept
        length = sum(map(len, known))
        # The second half of a character may have joined the last piece.
        if known and text[length - 1 : length] != known[-1][-1]:
            known, length = [], 0
        if len(text) > length:
            known = [*known, text[length:]]
        self._kept = known
        twin = copy.copy(self)
        twin._text, twin.pending = "", known  # noqa: SLF001 - one of us
        return twin

    def awake(self) -> Self:
        """A text to go on with, of one that is asleep."""
        twin = copy.copy(self)
        twin.pending = list(self.pending)
        return twin

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
        text = self.read()
        # Text that grew is another object, so deltas need not say that they came.
        if self.frozen is None or self.frozen.content is not text:
            self.frozen = TextPart(text)
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
        "is_finished",
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
        self.is_finished = False
        """Whether the arguments are whole, so that their value may be told."""
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
            if self.is_finished and self.input is ABSENT:
                self.input = finished_input(self.arguments.read())
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
