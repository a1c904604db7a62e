"""The ledger of tool calls, live in a cell: did it run twice, and why did it not run?

The whole table is one small trait: a view that opens late, a reload and a saved
notebook have it as it is. The browser only shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

import anywidget
import traitlets

from aistream_nb.core.invocation.ledger import LedgerRow
from aistream_nb.widgets.base import new_model_id
from aistream_nb.widgets.bundles import find_bundle
from aistream_nb.widgets.ledger_forms import ABOUT, COLUMNS, ledger_lines
from aistream_nb.widgets.pulse import PULSE, Pulse

__all__ = ["LedgerWidget"]

_BUNDLE: Final = find_bundle("ledger")


class LedgerWidget(anywidget.AnyWidget):
    """A table of calls that follows what it reads.

    Args:
        read: Gives the rows as they are now.
        pulse: The beat that changes are sent with; for tests.
    """

    _esm: ClassVar[Any] = _BUNDLE.esm
    _css: ClassVar[Any] = _BUNDLE.css
    caption: Any = traitlets.Unicode(help="The ledger in one sentence.").tag(sync=True)
    columns: Any = traitlets.List(help="The heads of the table.").tag(sync=True)
    about: Any = traitlets.Dict(help="What a head means.").tag(sync=True)
    lines: Any = traitlets.List(help="The rows, as they are shown.").tag(sync=True)

    marimo_element: Any = None
    """What marimo shows of this widget, if it does; held here or it is forgotten."""

    def __init__(
        self, read: Callable[[], Iterable[LedgerRow]], *, pulse: Pulse = PULSE
    ) -> None:
        self._read = read
        self._pulse = pulse
        super().__init__(
            model_id=new_model_id(), columns=list(COLUMNS), about=dict(ABOUT)
        )
        self._flush()

    def changed(self) -> None:
        """Have what may have changed sent with the next beat."""
        self._pulse.request(self._flush)

    def close(self) -> None:
        """Take the widget off every page."""
        self._pulse.forget(self._flush)
        super().close()

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Ignore what a browser wants to write: it only shows."""

    def _flush(self) -> None:
        caption, lines = ledger_lines(self._read())
        with self.hold_sync():
            self.caption = caption
            self.lines = [line.to_wire() for line in lines]
