"""A person's clicks in the view of a chat, turned into calls of the chat.

A click may come in another thread, more than once, or too late. Each method answers
why nothing was done, or with nothing when it was; none raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from aistream_nb.chat.run import Run
from aistream_nb.conversation import MessageModel
from aistream_nb.core.tool_spec import Decision
from aistream_nb.errors import AIStreamError
from aistream_nb.widgets.kernel import call_in_loop, main_loop

__all__ = ["STILL_GOING_ON", "Clicks", "Steered"]

STILL_GOING_ON: Final = (
    "A run of this chat is still going on. Await it, or call chat.stop()."
)


class Steered(Protocol):
    """What clicks need of a chat."""

    @property
    def busy(self) -> bool:
        """Whether a run is going on."""
        ...

    def start(self, text: str, *, instead_of: str | None = None) -> Run:
        """Send a message in the background."""
        ...

    def stop(self) -> None:
        """End the run."""
        ...

    def decide(
        self, call: str | None, decision: Decision, *, always: bool = False
    ) -> str:
        """Decide about a call."""
        ...

    def last_question(self) -> MessageModel:
        """The message that was sent last."""
        ...

    def check_question(self, message_id: str) -> None:
        """See whether a question can be asked anew."""
        ...


class Clicks:
    """What a person can do to a chat from its view."""

    def __init__(self, chat: Steered) -> None:
        self._chat = chat

    def act_send(self, text: str) -> str:
        """A person wrote a message."""
        if not text.strip():
            return "There is nothing to send."
        return self._start(text, None)

    def act_retry(self) -> str:
        """A person wants the last turn again."""
        try:
            last = self._chat.last_question()
            self._chat.check_question(last.id)
        except AIStreamError as error:
            return str(error)
        return self._start(str(last.text), last.id)

    def act_edit(self, message_id: str, text: str) -> str:
        """A person rewrote an earlier message of theirs."""
        try:
            self._chat.check_question(message_id)
        except AIStreamError as error:
            return str(error)
        return self._start(text, message_id)

    def act_stop(self) -> str:
        """A person pressed Stop."""
        if not self._chat.busy:
            return "Nothing is running."
        return self._in_loop(self._chat.stop)

    def act_decide(self, call_id: str, decision: Decision, *, always: bool) -> str:
        """A person pressed a button of an approval card."""
        message = self._chat.decide(call_id, decision, always=always)
        return "" if message == "decided" else message

    def _start(self, text: str, instead_of: str | None) -> str:
        if self._chat.busy:
            return STILL_GOING_ON

        def begin() -> None:
            # A cell may have been faster; then the conversation shows its run.
            if not self._chat.busy:
                self._chat.start(text, instead_of=instead_of)

        return self._in_loop(begin)

    def _in_loop(self, act: Callable[[], None]) -> str:
        """Act in the loop in which cells run.

        Some kernels deliver clicks in another thread, with a loop that ends with the
        page; a run must outlive that.
        """
        loop = main_loop()
        if loop is None:
            return "No event loop runs in this kernel."
        call_in_loop(loop, act)
        return ""
