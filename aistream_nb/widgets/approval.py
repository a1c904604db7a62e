"""The Python half of an approval: what a card shows, and which click counts.

Fail closed: a decision counts once, for the call and the question that it was shown
with (the nonce proves that), and with arguments that fit the tool's schema. All else
is refused with a sentence that the card shows. Deciding itself is the gate's work.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from aistream_nb.core.json_text import parse_json
from aistream_nb.widgets.view_model import (
    CallLike,
    ConversationLike,
    approval_words,
    clean,
    view_call,
)
from aistream_nb.widgets.wire import DecideAction
from aistream_nb.widgets.wire_views import ApprovalView, CallView

__all__ = ["ApprovalDesk"]

_WAITING: Final = "awaiting-approval"


class ApprovalDesk:
    """Shows pending approvals of one conversation and checks decisions about them."""

    def __init__(
        self,
        conversation: ConversationLike,
        *,
        hint: str = "",
        scope: str = "in this chat",
        new_nonce: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._conversation = conversation
        self._new_nonce = new_nonce
        self._nonces: dict[tuple[str, str], str] = {}
        self._decided: set[tuple[str, str]] = set()
        self.hint: str = hint
        """What to do where clicks cannot reach a busy kernel; shown in each card."""
        self.scope: str = scope
        """How far *Always allow* reaches; empty takes the button away."""

    def view(self, call: CallLike) -> CallView:
        """The call as the browser gets it, with its approval while it waits."""
        view = view_call(call, title=_title(call))
        if call.status != _WAITING:
            return view
        return view.model_copy(update={"approval": self._approval(call)})

    def check(self, action: DecideAction) -> str:
        """Why the decision does not count, or nothing if it does."""
        call = self._conversation.tool_calls.get(action.call)
        if call is None:
            return "There is no such tool call any more."
        if call.status != _WAITING:
            return _said_before(call)
        if not self._asked(call, action):
            return "This card is out of date; decide in the current one."
        if _key(call) in self._decided:
            return "It was decided a moment ago."
        return self._check_arguments(call, action)

    def decided(self, action: DecideAction) -> None:
        """Refuse every further decision about the same question."""
        self._decided.add((action.call, action.approval))

    def reopen(self, action: DecideAction) -> None:
        """Let the question be decided after all: whoever was told refused."""
        self._decided.discard((action.call, action.approval))

    def _approval(self, call: CallLike) -> ApprovalView:
        words, danger = approval_words(getattr(call, "annotations", None))
        return ApprovalView(
            id=clean(_key(call)[1]),
            nonce=self._nonce(call),
            words=words,
            danger=danger,
            json_schema=_schema(call),
            hint=self.hint,
            scope=self.scope,
        )

    def _nonce(self, call: CallLike) -> str:
        key = _key(call)
        if key not in self._nonces:
            self._nonces[key] = self._new_nonce()
        return self._nonces[key]

    def _asked(self, call: CallLike, action: DecideAction) -> bool:
        return action.approval == clean(_key(call)[1]) and secrets.compare_digest(
            action.nonce.encode(), self._nonce(call).encode()
        )

    def _check_arguments(self, call: CallLike, action: DecideAction) -> str:
        if action.arguments is None or action.decision == "deny":
            return ""
        try:
            value = parse_json(action.arguments)
        except ValueError:
            return "The edited arguments are not JSON."
        if not isinstance(value, dict):
            return "The edited arguments must be one JSON object."
        schema = _schema(call)
        if schema is None:
            return ""
        from aistream_nb.widgets.misfit import misfit_words  # noqa: PLC0415 slow to import, and few edit

        return misfit_words(value, schema)


def _key(call: CallLike) -> tuple[str, str]:
    return str(call.id), str(getattr(call, "approval_id", "") or call.id)


def _title(call: CallLike) -> str:
    hints = getattr(call, "annotations", None)
    if isinstance(hints, Mapping):
        title = cast("Mapping[str, Any]", hints).get("title")
        return title if isinstance(title, str) else ""
    title = getattr(hints, "title", None)
    return title if isinstance(title, str) else ""


def _schema(call: CallLike) -> dict[str, Any] | None:
    schema = getattr(call, "parameters", None)
    if not isinstance(schema, Mapping):
        return None
    return dict(cast("Mapping[str, Any]", schema))


def _said_before(call: CallLike) -> str:
    by = str(getattr(call, "decided_by", "") or "")
    who = f" by {by}" if by else ""
    word = {"denied": "denied", "aborted": "stopped"}.get(str(call.status), "approved")
    return f"Already {word}{who}."
