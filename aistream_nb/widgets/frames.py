"""Which frames bring a browser up to date: the difference to what it was told.

A :class:`FrameEncoder` keeps a mirror of all that was sent. :meth:`~FrameEncoder.note`
gathers the ids that changed, :meth:`~FrameEncoder.take` compares these, and only
these, with the mirror. Text that grew is sent as its end; what is small is put whole;
anything that cannot be said in small steps becomes one ``reset``.

Rule: the mirror *is* what the browser holds after the last batch. A snapshot is
therefore composed from the mirror and not from the conversation, so that the next
batch fits on top of it. Times come from a clock that is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from aistream_nb.widgets.mirror import (
    SentCall,
    SentMessage,
    SentPart,
    continues,
    whole_text,
)
from aistream_nb.widgets.turn_clock import TurnClock
from aistream_nb.widgets.view_model import (
    ChangeLike,
    ConversationLike,
    MessageLike,
    clean,
    is_shown,
    view_call,
    view_part,
    view_role,
)
from aistream_nb.widgets.wire import (
    AppendArguments,
    AppendText,
    ClosePart,
    Drop,
    Frame,
    OpenMessage,
    OpenPart,
    PutCall,
    PutPart,
    PutRun,
    PutTurn,
    RenameMessage,
    Reset,
)
from aistream_nb.widgets.wire_views import (
    CallView,
    ConversationView,
    MessageView,
    RunView,
    TextPartView,
    ThinkingPartView,
)

__all__ = ["CallReader", "FrameEncoder", "RunReader"]

CallReader = Callable[[Any], CallView]
"""Makes the view of a call; the widget's adds the approval."""

RunReader = Callable[[], RunView]
"""Makes the view of the run; the widget's knows what a person may do."""

_LIVE = frozenset({"running", "waiting"})


class FrameEncoder:
    """Turns changes of one conversation into frames for one widget."""

    def __init__(
        self,
        conversation: ConversationLike,
        *,
        read_call: CallReader = view_call,
        read_run: RunReader,
        clock: Callable[[], float],
    ) -> None:
        self._conversation = conversation
        self._read_call = read_call
        self._read_run = read_run
        self._turn = TurnClock(clock)
        self._listed: Sequence[MessageLike] | None = None
        self._present: dict[str, MessageLike] = {}
        self._messages: dict[str, SentMessage] = {}
        self._calls: dict[str, SentCall] = {}
        self._run = RunView()
        self._open: set[tuple[str, int]] = set()
        self._dirty_messages: dict[str, None] = {}
        self._dirty_calls: dict[str, None] = {}
        self.note_everything()

    # ------------------------------------------------------------ gathering

    def note(self, change: ChangeLike) -> bool:
        """Remember what changed; whether it is worth telling at once."""
        self._dirty_messages.update(dict.fromkeys(change.messages))
        self._dirty_calls.update(dict.fromkeys(change.tool_calls))
        if not change.growth:
            return True
        # The first piece of a text is news; the rest can wait for the beat.
        return any(
            not any(key[0] == message for key in self._open)
            for message in change.messages
        )

    def note_everything(self) -> None:
        """Compare the whole conversation with the next :meth:`take`."""
        self._dirty_messages.update(
            dict.fromkeys(message.id for message in self._conversation.messages)
        )
        self._dirty_calls.update(dict.fromkeys(self._conversation.tool_calls))

    def note_calls(self, *call_ids: str) -> None:
        """Compare these calls, whose view depends on more than the conversation."""
        self._dirty_calls.update(dict.fromkeys(call_ids))

    # ------------------------------------------------------------ comparing

    def take(self) -> tuple[Frame, ...]:
        """The frames that bring the browser up to date; the mirror follows."""
        frames: list[Frame] = []
        listed = self._conversation.messages
        # What never changes is the same list as long as it is the same object: then a
        # batch costs what is new in it, and not the history.
        is_known = listed is self._listed and isinstance(listed, tuple)
        if not is_known and not self._take_list(listed, frames):
            return (self._start_over(),)
        calls, self._dirty_calls = self._dirty_calls, {}
        dirty, self._dirty_messages = self._dirty_messages, {}
        # Calls first: a part must not name a call that the browser never heard of.
        for call_id in calls:
            self._compare_call(call_id, frames)
        for message_id in dirty if is_known else self._present:
            is_due = message_id in dirty or message_id not in self._messages
            if is_due and message_id in self._present:  # else it came and went
                self._compare_message(self._present[message_id], frames)
        self._compare_run(frames)
        self._close_parts(frames)
        return tuple(frames)

    def snapshot(self, *, limit: int | None = None) -> ConversationView:
        """All that was sent, as one value; with ``limit``, only the last messages."""
        ids = list(self._messages)
        kept = ids if limit is None else ids[-limit:]
        messages = tuple(self._message_view(message_id) for message_id in kept)
        return ConversationView(
            messages=messages,
            calls={key: sent.view for key, sent in self._calls.items()},
            arguments={key: clean(sent.raw) for key, sent in self._calls.items()},
            run=self._run,
            cut=len(ids) - len(kept),
        )

    def _message_view(self, message_id: str) -> MessageView:
        sent = self._messages[message_id]
        return MessageView(
            id=clean(message_id),
            role=sent.role,
            parts=tuple(part.view for part in sent.parts),
            turn=sent.turn,
        )

    def _take_list(self, listed: Sequence[MessageLike], frames: list[Frame]) -> bool:
        """Follow who came and went; false if the messages were put in another order."""
        self._listed = listed
        self._present = {message.id: message for message in listed}
        if not self._same_order(list(self._present)):
            return False
        self._rename_last(self._present, frames)
        self._drop_missing(self._present, frames)
        return True

    def _same_order(self, ids: list[str]) -> bool:
        """Whether the messages are those sent, less some, plus some at the end."""
        present = set(ids)
        kept = [known for known in self._messages if known in present]
        return kept == ids[: len(kept)]

    def _start_over(self) -> Frame:
        self._listed = None
        self._messages.clear()
        self._calls.clear()
        self._open.clear()
        self.note_everything()
        self.take()
        return Reset(conversation=self.snapshot())

    def _rename_last(self, present: dict[str, Any], frames: list[Frame]) -> None:
        """A message may get its own id only once its first text has arrived."""
        last = next(reversed(self._messages), None)
        new = next((key for key in present if key not in self._messages), None)
        if last is None or new is None or last in present:
            return
        sent = self._messages[last]
        if not continues(sent, present[new]):
            return
        self._messages[new] = self._messages.pop(last)
        moved = {key for key in self._open if key[0] == last}
        self._open = (self._open - moved) | {(new, index) for _, index in moved}
        self._turn.renamed(last, new)
        frames.append(RenameMessage(message=clean(last), to=clean(new)))

    def _drop_missing(self, present: dict[str, Any], frames: list[Frame]) -> None:
        for message_id in [known for known in self._messages if known not in present]:
            del self._messages[message_id]
            self._open = {key for key in self._open if key[0] != message_id}
            frames.append(Drop(message=clean(message_id)))

    # ------------------------------------------------------------ messages

    def _compare_message(self, message: MessageLike, frames: list[Frame]) -> None:
        message_id = clean(str(message.id))
        role = view_role(message.role)
        parts = [part for part in message.parts if is_shown(part)]
        sent = self._messages.get(message.id)
        if sent is None:
            sent = self._messages[message.id] = SentMessage(role)
            frames.append(OpenMessage(message=message_id, role=role))
        if len(parts) < len(sent.parts):
            del sent.parts[len(parts) :]
            self._forget_parts(message.id, len(parts))
            frames.append(Drop(message=message_id, part=len(parts)))
        for index, part in enumerate(parts):
            if index < len(sent.parts):
                self._compare_part((message.id, index), part, frames)
            else:
                self._open_part((message.id, index), part, frames)

    def _forget_parts(self, message_id: str, first: int) -> None:
        self._open = {
            key for key in self._open if key[0] != message_id or key[1] < first
        }

    def _open_part(self, key: tuple[str, int], part: Any, frames: list[Frame]) -> None:
        whole = whole_text(part)
        view = view_part(part, text=whole)
        self._name_call(part, frames)
        self._messages[key[0]].parts.append(SentPart(part, whole, view))
        if whole is not None:
            self._open.add(key)
            self._turn.opened(key)
        frames.append(OpenPart(message=clean(key[0]), part=view))

    def _name_call(self, part: Any, frames: list[Frame]) -> None:
        if part.type == "tool-call" and part.id not in self._calls:
            self._compare_call(part.id, frames)

    def _compare_part(
        self, key: tuple[str, int], part: Any, frames: list[Frame]
    ) -> None:
        sent = self._messages[key[0]].parts[key[1]]
        if part is sent.part:
            return
        before, after = sent.raw, whole_text(part)
        sent.part = part
        if before is None or after is None or not after.startswith(before):
            self._replace_part(key, part, frames)
        elif len(after) > len(before):
            self._append(key, after, frames)

    def _append(self, key: tuple[str, int], after: str, frames: list[Frame]) -> None:
        sent = self._messages[key[0]].parts[key[1]]
        added = clean(after[len(sent.raw or "") :])
        sent.raw = after
        view = cast("TextPartView | ThinkingPartView", sent.view)
        text = view.text + added
        sent.view = view.model_copy(update={"text": text, "done": False})
        self._open.add(key)
        self._turn.grew()
        frames.append(AppendText(message=clean(key[0]), part=key[1], text=added))

    def _replace_part(
        self, key: tuple[str, int], part: Any, frames: list[Frame]
    ) -> None:
        sent = self._messages[key[0]].parts[key[1]]
        whole = whole_text(part)
        view = view_part(part, text=whole)
        if view == sent.view:
            return
        self._name_call(part, frames)
        sent.raw, sent.view = whole, view
        if sent.raw is not None:
            self._open.add(key)
        frames.append(PutPart(message=clean(key[0]), part=key[1], value=view))

    def _close_parts(self, frames: list[Frame]) -> None:
        last = next(reversed(self._messages), None)
        for key in sorted(self._open, key=lambda key: key[1]):
            parts = self._messages[key[0]].parts
            growing = key[0] == last and key[1] == len(parts) - 1
            if growing and self._run.status in _LIVE:
                continue
            self._open.discard(key)
            seconds = self._turn.closed(key)
            sent = parts[key[1]]
            update: dict[str, Any] = {"done": True}
            if sent.view.kind == "thinking":
                update["seconds"] = seconds
            sent.view = sent.view.model_copy(update=update)
            frames.append(
                ClosePart(message=clean(key[0]), part=key[1], seconds=seconds)
            )

    # ------------------------------------------------------------ calls and run

    def _compare_call(self, call_id: str, frames: list[Frame]) -> None:
        call = self._conversation.tool_calls.get(call_id)
        if call is None:
            return
        view, after = self._read_call(call), str(call.arguments)
        sent = self._calls.get(call_id)
        if sent is None:
            self._calls[call_id] = SentCall(view, after)
            frames.append(PutCall(call=view, arguments=clean(after)))
            return
        before, sent.raw = sent.raw, after
        grew = after.startswith(before)
        if grew and len(after) > len(before):
            added = clean(after[len(before) :])
            frames.append(AppendArguments(call=view.id, text=added))
        if view != sent.view or not grew:
            sent.view = view
            arguments = None if grew else clean(after)
            frames.append(PutCall(call=view, arguments=arguments))

    def _compare_run(self, frames: list[Frame]) -> None:
        run = self._read_run()
        if run == self._run:
            return
        was_live, is_live = self._run.status in _LIVE, run.status in _LIVE
        self._run = run
        frames.append(PutRun(run=run))
        if is_live and not was_live:
            self._turn.start(self._conversation)
        elif was_live and not is_live:
            self._end_turn(frames)

    def _end_turn(self, frames: list[Frame]) -> None:
        last = next(reversed(self._messages), None)
        if last is None or self._messages[last].role != "assistant":
            return
        turn = self._turn.end(self._conversation)
        self._messages[last].turn = turn
        frames.append(PutTurn(message=clean(last), turn=turn))
