"""The ledger of a chat: every tool call, what was decided, and how often it ran.

The rows of an AG-UI server's calls are those of the tracker that runs them. A
provider's calls are run inside its turns; their rows are read from the events. Either
way a call of a saved conversation is history, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from aistream_nb.chat.agent import Agent, Tracking
from aistream_nb.chat.journal import Journal
from aistream_nb.conversation import Change, Conversation
from aistream_nb.core.invocation.ledger import Ledger, LedgerRow
from aistream_nb.core.invocation.machines import Outcome
from aistream_nb.widgets.forms import with_live
from aistream_nb.widgets.ledger_forms import ledger_html, ledger_text

if TYPE_CHECKING:
    from aistream_nb.widgets.ledger import LedgerWidget

__all__ = ["ChatLedger", "ledger_of"]

_HISTORY: Final = frozenset({Outcome.RESTORED.value, Outcome.RECORDED.value})


class ChatLedger:
    """Did it run twice, and why did it not run? Shows itself live in a notebook.

    Args:
        read: Gives the ledger as it is now.
        conversation: Whose changes may change it.
        hide: Takes secrets out of the static forms, which a saved notebook keeps.
    """

    def __init__(
        self,
        read: Callable[[], Ledger],
        conversation: Conversation,
        *,
        hide: Callable[[str], str] = str,
    ) -> None:
        self._read = read
        self._hide = hide
        self._conversation = conversation
        self._widget: LedgerWidget | None = None

    @property
    def value(self) -> Ledger:
        """The ledger as it is now; it does not change any more."""
        return self._read()

    @property
    def rows(self) -> tuple[LedgerRow, ...]:
        """A row for each call, oldest first."""
        return self._read().rows

    def __iter__(self) -> Iterator[LedgerRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, tool_call_id: str) -> tuple[LedgerRow, ...]:
        """The rows of one id: one for each epoch in which it was seen."""
        return self._read().of(tool_call_id)

    def __repr__(self) -> str:
        return self._hide(ledger_text(self.rows))

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return with_live(repr(self), self._hide(ledger_html(self.rows)), self.widget)

    def widget(self) -> LedgerWidget:
        """The live table, made at the first call."""
        if self._widget is None:
            from aistream_nb.widgets.ledger import (  # noqa: PLC0415 # a script has no view
                LedgerWidget,
            )

            self._widget = LedgerWidget(self._read)
            self._conversation.subscribe(self._follow)
        return self._widget

    def changed(self) -> None:
        """Bring the live table up to date, if there is one."""
        if self._widget is not None:
            self._widget.changed()

    def close(self) -> None:
        """Take the live table off every page."""
        if self._widget is not None:
            self._widget.close()
            self._widget = None

    def _follow(self, change: Change) -> None:
        if change.tool_calls or change.run or change.structure:
            self.changed()


def ledger_of(agent: Agent, journal: Journal) -> ChatLedger:
    """The ledger of a chat with this agent."""
    is_tracking = isinstance(agent, Tracking)
    own = agent.read_ledger if is_tracking else journal.calls.read_ledger

    def read() -> Ledger:
        return _with_earlier_runs(own(), journal.ran_before)

    ledger = ChatLedger(read, journal.conversation, hide=journal.hide)
    if is_tracking:
        agent.watch_calls(ledger.changed)
    return ledger


def _with_earlier_runs(ledger: Ledger, ran: Mapping[str, int]) -> Ledger:
    """The ledger, in which calls that are history say how often they ran then."""
    if not ran:
        return ledger
    return Ledger(
        tuple(
            replace(row, ran_before=ran.get(row.tool_call_id, 0))
            if row.outcome in _HISTORY
            else row
            for row in ledger.rows
        )
    )
