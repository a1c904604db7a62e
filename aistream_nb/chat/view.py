"""The live view of a chat: one widget, made when something is displayed.

It turns a person's actions into calls of the chat, and says whether anybody is
looking. Widgets are imported here and not before: a script never loads them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aistream_nb.chat.clicks import Clicks
from aistream_nb.conversation import Conversation
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.tool_spec import Decision, Deny, Proceed
from aistream_nb.core.values import is_mapping
from aistream_nb.widgets.forms import WIDGET_VIEW, with_live
from aistream_nb.widgets.kernel import audience, current_cell, environment
from aistream_nb.widgets.static_html import to_html, to_text

if TYPE_CHECKING:
    from aistream_nb.widgets.transcript import TranscriptWidget
    from aistream_nb.widgets.wire import Action

__all__ = ["ChatView"]


class ChatView:
    """The widget of one chat, and the static forms beside it.

    Args:
        conversation: What is shown.
        clicks: What a person may do.
        hide: Takes secrets out of the static forms, which a saved notebook keeps.
    """

    def __init__(
        self, conversation: Conversation, clicks: Clicks, hide: Callable[[str], str]
    ) -> None:
        self._conversation = conversation
        self._clicks = clicks
        self._hide = hide
        self._widget: TranscriptWidget | None = None
        self._cell: object = None

    @property
    def watched(self) -> bool:
        """Whether a page has reported that it shows the view."""
        return self._widget is not None and self._widget.watched

    async def audience(self) -> str | None:
        """Why nobody can answer a question, or ``None`` when somebody can.

        Where a front end may be there and the view was never displayed, it is
        displayed now, so that the card of a question appears in the running cell.
        """
        place = environment()
        if self._widget is None and place.frontend_comms and not place.headless:
            self.display()
        return await audience(lambda: self.watched, here=place)

    def display(self) -> None:
        """Show the view in the output of the cell that runs."""
        from aistream_nb.widgets.display import show  # noqa: PLC0415 # a script has no display

        show(self.mimebundle())

    def mimebundle(self) -> dict[str, Any]:
        """The live view where one can be, and the static forms in any case."""
        text, html = to_text(self._conversation), to_html(self._conversation)
        forms = with_live(self._hide(text), self._hide(html), self.widget)
        if WIDGET_VIEW in forms:
            self._cell = current_cell()
        return forms

    def where_live(self) -> str:
        """Where a live view is on display, in words; empty where none is."""
        if self._cell is None:
            return ""
        if self._cell == current_cell():
            return "above"
        return f"in the live view of cell [{self._cell}]" if self.watched else ""

    def widget(self) -> TranscriptWidget:
        """The widget, made at the first call."""
        if self._widget is None:
            from aistream_nb.widgets.transcript import (  # noqa: PLC0415 # see the module's promise
                Abilities,
                TranscriptWidget,
            )

            self._widget = TranscriptWidget(
                self._conversation,
                on_action=self._act,
                abilities=Abilities(send=True, stop=True, retry=True),
                approval_hint=environment().note,
            )
        return self._widget

    def close(self) -> None:
        """Take the widget off every page."""
        if self._widget is not None:
            self._widget.close()
            self._widget = None

    def _act(self, action: Action) -> str:
        perform = self._ACTIONS.get(action.type)
        if perform is None:
            return "A chat cannot do that."
        return perform(self, action)

    def _send(self, action: Any) -> str:
        return self._clicks.act_send(action.text)

    def _stop(self, action: Any) -> str:
        del action
        return self._clicks.act_stop()

    def _retry(self, action: Any) -> str:
        del action
        return self._clicks.act_retry()

    def _edit(self, action: Any) -> str:
        return self._clicks.act_edit(action.message, action.text)

    def _decide(self, action: Any) -> str:
        if action.decision == "deny":
            decision: Decision = Deny(reason=action.reason)
        else:
            edited = None if action.arguments is None else parse_json(action.arguments)
            decision = Proceed(arguments=edited if is_mapping(edited) else None)
        return self._clicks.act_decide(action.call, decision, always=action.always)

    _ACTIONS: Mapping[str, Callable[..., str]] = {
        "send": _send,
        "stop": _stop,
        "retry": _retry,
        "edit": _edit,
        "decide": _decide,
    }
