"""What every widget shares: batches down, actions up, and nothing in between.

- **Frames stream, the snapshot restores.** Nothing large is a trait that is compared
  per event. ``_snapshot`` is composed when somebody asks for the state (a late view,
  a reload); everything else is a numbered :class:`~aistream_nb.widgets.wire.Batch`.
- **A gap is repaired.** The road drops messages under load; a page that misses a
  number asks for a snapshot.
- **The browser never writes a trait.** Updates from it are ignored; its actions are
  custom messages. Each is validated, counts once by its id, and is always answered.
- **Threads.** Some kernels deliver messages on another thread, so batches are made
  and sent under a lock. ``on_action`` is called outside the lock on whatever thread
  the message came; who touches a loop from there goes through
  ``call_soon_threadsafe``.

This module imports anywidget; nobody else in the house does.
"""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias, cast

import anywidget
import traitlets
from pydantic import ValidationError

from aistream_nb.widgets.bundles import find_asset
from aistream_nb.widgets.pulse import PULSE, Pulse
from aistream_nb.widgets.wire import (
    ACTIONS,
    Action,
    Answer,
    Asset,
    AssetAction,
    Batch,
    Down,
    Frame,
    ReadyAction,
    ResyncAction,
    Snapshot,
)
from aistream_nb.widgets.wire_views import ConversationView

__all__ = ["Refusal", "StreamWidget", "new_model_id"]

_log = logging.getLogger(__name__)

_REMEMBERED_ANSWERS: Final = 512
_TOLD_PLACES: Final = 5
_TOLD_LETTERS: Final = 80
_PROCESS: Final = secrets.token_hex(4)
_COUNTER: Final = itertools.count(1)

Refusal: TypeAlias = str
"""Why an action was refused, as a sentence for the person; empty if it was not."""


def new_model_id() -> str:
    """An id that no widget of this kernel, or of the one before, ever had.

    A reused id is a trap: collecting the old widget closes the new one's comm.
    """
    return f"aistream-{_PROCESS}-{next(_COUNTER)}"


class StreamWidget(anywidget.AnyWidget):
    """A widget whose content streams; a subclass says what the frames are."""

    _esm: ClassVar[Any] = "export default { render() {} };"
    _css: ClassVar[Any] = ""
    _snapshot: Any = traitlets.Dict(help="Composed when it is asked for.").tag(
        sync=True
    )

    marimo_element: Any = None
    """What marimo shows of this widget, if it does; held here or it is forgotten."""

    def __init__(self, *, pulse: Pulse = PULSE) -> None:
        self._pulse = pulse
        self._lock = threading.RLock()
        self._seq = 0
        self._pages: dict[str, int] = {}
        self._answers: OrderedDict[str, Answer | None] = OrderedDict()
        self._watchers: list[Callable[[], None]] = []
        super().__init__(model_id=new_model_id())
        self.on_msg(self._hear)

    # ------------------------------------------------------------ for subclasses

    def _take(self) -> tuple[Frame, ...]:
        """The frames that are due; called under the lock."""
        raise NotImplementedError  # the subclass knows what it shows

    def _compose(self) -> ConversationView:
        """All that was sent, as one value; called under the lock."""
        raise NotImplementedError  # the subclass knows what it shows

    def _act(self, action: Action) -> Refusal:
        """Do what a person asked for."""
        raise NotImplementedError  # the subclass knows what it can do

    # ------------------------------------------------------------ down

    def request_flush(self, *, urgent: bool = False) -> None:
        """Have the gathered changes sent with the next beat, or now."""
        self._pulse.request(self.flush, urgent=urgent)

    def flush(self) -> None:
        """Send what has gathered as one batch; nothing if there is nothing."""
        with self._lock:
            frames = self._take()
            if frames:
                self._seq += 1
                self._tell(Batch(seq=self._seq, frames=frames))

    def get_state(
        self,
        key: Any = None,
        drop_defaults: bool = False,  # noqa: FBT001, FBT002 # ipywidgets' signature
    ) -> Any:
        """The state for the browser, with a fresh snapshot if that is asked for."""
        if key is None or "_snapshot" in key:
            # Set beside the trait's setter: there is nobody to notify.
            self._trait_values["_snapshot"] = self._snapshot_now().model_dump(
                mode="json"
            )
        return super().get_state(key=key, drop_defaults=drop_defaults)

    def _snapshot_now(self) -> Snapshot:
        with self._lock:
            return Snapshot(seq=self._seq, conversation=self._compose())

    def _tell(self, message: Down) -> None:
        self.send(message.model_dump(mode="json"))

    # ------------------------------------------------------------ watching

    @property
    def watched(self) -> bool:
        """Whether a page reported that it shows this widget."""
        return bool(self._pages)

    def on_watched(self, callback: Callable[[], None]) -> None:
        """Have ``callback`` called each time a page reports a view.

        It may come on another thread; see the module's notes.
        """
        self._watchers.append(callback)

    def _see_page(self, action: ReadyAction) -> Refusal:
        self._pages.pop(action.page, None)
        if action.views:
            self._pages[action.page] = action.views
            for watcher in tuple(self._watchers):
                watcher()
        return ""

    # ------------------------------------------------------------ up

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Ignore what a browser wants to write: it only sends actions."""

    def _hear(self, _widget: object, content: object, _buffers: object) -> None:
        try:
            action = ACTIONS.validate_python(content)
        except ValidationError as problem:
            self._refuse_unread(content, problem)
            return
        with self._lock:
            if action.id in self._answers:
                self._repeat(action.id)
                return
            self._answers[action.id] = None
            while len(self._answers) > _REMEMBERED_ANSWERS:
                self._answers.popitem(last=False)
        why = self._perform(action)
        with self._lock:
            answer = self._answer(action.id, why)
            self._answers[action.id] = answer
            self._tell(answer)

    def _answer(self, action_id: str, why: Refusal) -> Answer:
        return Answer(action=action_id, accepted=not why, why=why, seq=self._seq)

    def _repeat(self, action_id: str) -> None:
        answer = self._answers[action_id]
        if answer is not None:  # else the first one is still at work, and will answer
            self._tell(answer)

    def _refuse_unread(self, content: object, problem: ValidationError) -> None:
        # The names are the page's own words, as many and as long as it likes.
        found = itertools.islice(problem.errors(include_input=False), _TOLD_PLACES)
        places = sorted({".".join(map(str, e["loc"]))[:_TOLD_LETTERS] for e in found})
        _log.warning("A browser's message was ignored; wrong at: %s", places)
        fields = (
            cast("Mapping[str, Any]", content) if isinstance(content, Mapping) else {}
        )
        action_id = fields.get("id")
        if isinstance(action_id, str) and 0 < len(action_id) <= 64:  # noqa: PLR2004 # as in wire.py
            why = "The message did not fit what the kernel expects."
            self._tell(self._answer(action_id, why))

    def _perform(self, action: Action) -> Refusal:
        match action:
            case ReadyAction():
                return self._see_page(action)
            case ResyncAction():
                self._tell(self._snapshot_now())
                return ""
            case AssetAction():
                return self._send_asset(action)
            case _:
                return self._try_act(action)

    def _send_asset(self, action: AssetAction) -> Refusal:
        source = find_asset(action.name)
        if source is None:
            return "This part of the browser half is not built."
        self._tell(Asset(name=action.name, source=source))
        return ""

    def _try_act(self, action: Action) -> Refusal:
        try:
            return self._act(action)
        except Exception:  # noqa: BLE001 # a button must not look dead for a driver's bug
            _log.exception("An action of type %s failed", action.type)
            return "It failed in the kernel; the log says why."
