"""Snapshots of messages that are our own: each says what changed since the last.

A host that edits its messages is read with care, message by message. Ours never
change once they were handed out, and whoever makes the snapshots knows which ones are
new. The tracker is told, and then a snapshot costs what changed, however long the
conversation is. Only calls are shown: the tracker looks at nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Protocol

from aistream_nb.core.invocation.snapshot_walk import Snapshot
from aistream_nb.core.messages import ToolCallPart, ToolResultPart, UIMessage
from aistream_nb.core.values import ABSENT, present

__all__ = ["SnapshotChain", "SnapshotMaker", "Source"]

_NO_IDS: Final[frozenset[str]] = frozenset()


class Source(Protocol):
    """Has messages and knows which changed; a stream processor does."""

    @property
    def messages(self) -> Sequence[UIMessage]:
        """All messages as they are now."""
        ...

    def message(self, message_id: str) -> UIMessage | None:
        """One message as it is now."""
        ...

    def take_changes(self) -> Iterable[str]:
        """The ids of what changed, came or went since this was last asked."""
        ...


class SnapshotChain:
    """Links the snapshots of one list, so that the next names only what it changed.

    A tracker that missed a link, or that was reset, sees that and reads everything.

    >>> chain = SnapshotChain()
    >>> one = chain.link([], (), is_running=True)
    >>> two = chain.link([{"content": []}], (0,), is_running=True)
    >>> two.since is one.stamp
    True
    """

    def __init__(self) -> None:
        self._stamp: object = object()

    def link(
        self,
        messages: Sequence[Any],
        changed: Collection[int],
        *,
        is_running: bool,
        is_loading: bool = False,
    ) -> Snapshot:
        """The next snapshot.

        Args:
            messages: All of them. The list may be the one of the last snapshot.
            changed: The places in it that hold another message than in the last one.
            is_running: Whether the run is on.
            is_loading: Whether what is shown is history.
        """
        since, self._stamp = self._stamp, object()
        stamp = self._stamp
        return Snapshot(
            messages, is_running, is_loading, _NO_IDS, stamp, since, changed
        )


class SnapshotMaker:
    """Makes snapshots of one conversation.

    Args:
        with_approvals: Whether a part's approval is shown. To the tracker it says that
            the *provider* gates the call, which then never runs here (A.8). A host
            that shows its own questions through the same parts turns it off.

    >>> call = ToolCallPart(id="c1", name="add", arguments="{}")
    >>> message = UIMessage(id="m", role="assistant", parts=(call,))
    >>> snapshot = SnapshotMaker().make([message], is_running=True)
    >>> snapshot.messages[0]["content"]
    [{'type': 'tool-call', 'toolCallId': 'c1', 'toolName': 'add', 'argsText': '{}'}]
    """

    def __init__(self, *, with_approvals: bool = True) -> None:
        self._with_approvals: bool = with_approvals
        self._chain: SnapshotChain = SnapshotChain()
        self._sources: list[UIMessage] = []
        self._shown: list[dict[str, Any]] = []
        self._places: dict[str, int] | None = None
        self._is_running: bool | None = None

    def make(
        self,
        messages: Iterable[UIMessage],
        *,
        is_running: bool,
        is_loading: bool = False,
    ) -> Snapshot:
        """The snapshot of ``messages``, which are compared with those of the last."""
        sources = list(messages)
        changed = self._renew(sources)
        self._is_running = is_running
        return self._chain.link(
            self._shown, changed, is_running=is_running, is_loading=is_loading
        )

    def follow(
        self, source: Source, *, is_running: bool, is_loading: bool = False
    ) -> Snapshot:
        """The snapshot of the messages of ``source``, at the cost of what changed.

        All are compared when a message came or went, and when a run begins or ends.

        Args:
            source: Follow one only, and let nobody else take its changes.
            is_running: Whether the run is on.
            is_loading: Whether what is shown is history.
        """
        places = self._learn_places() if self._places is None else self._places
        found: list[tuple[int, UIMessage]] = []
        is_known = is_running is self._is_running
        for name in source.take_changes():
            message, place = source.message(name), places.get(name)
            if message is None or place is None:
                is_known = False
            else:
                found.append((place, message))
        if not is_known:
            messages = source.messages
            return self.make(messages, is_running=is_running, is_loading=is_loading)
        for place, message in found:
            self._sources[place] = message
            self._shown[place] = self._show(message)
        changed = [place for place, _ in found]
        return self._chain.link(
            self._shown, changed, is_running=is_running, is_loading=is_loading
        )

    def _renew(self, sources: list[UIMessage]) -> list[int]:
        """Show these messages; the places of those that are new."""
        before, made = self._sources, self._shown
        # Mostly the last message grew: then the others are passed at the speed of C.
        start = min(len(sources), len(before)) - 1
        if start < 1 or sources[:start] != before[:start]:
            start = 0
        shown, changed = made[:start], list[int]()
        for place in range(start, len(sources)):
            if place < len(before) and before[place] is sources[place]:
                shown.append(made[place])
            else:
                shown.append(self._show(sources[place]))
                changed.append(place)
        self._sources, self._shown = sources, shown
        self._places = None
        return changed

    def _learn_places(self) -> dict[str, int]:
        places = {each.id: place for place, each in enumerate(self._sources)}
        if len(places) < len(self._sources):
            # Two of one id: a name does not tell which, so none is known by name.
            places.clear()
        self._places = places
        return places

    def _show(self, message: UIMessage) -> dict[str, Any]:
        calls: list[ToolCallPart] = []
        results: dict[str, ToolResultPart] = {}
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls.append(part)
            elif isinstance(part, ToolResultPart):
                results[part.tool_call_id] = part
        content = [self._call(call, results.get(call.id)) for call in calls]
        return {"id": message.id, "role": message.role, "content": content}

    def _call(
        self, part: ToolCallPart, result: ToolResultPart | None
    ) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "type": "tool-call",
            "toolCallId": part.id,
            "toolName": part.name,
            "argsText": part.arguments,
        }
        if self._with_approvals and part.approval is not None:
            shown["approval"] = part.approval.to_wire()
        if result is not None or part.output is not ABSENT:
            shown |= _answer(part, result)
        return shown


def _answer(part: ToolCallPart, result: ToolResultPart | None) -> dict[str, Any]:
    """The result: the tool's value, else what the model is told."""
    if result is None:
        failed = True if part.state == "error" else ABSENT
        return present(result=part.output, isError=failed)
    return present(
        result=result.content if part.output is ABSENT else part.output,
        isError=True if result.state == "error" else ABSENT,
        isPreliminary=True if result.state == "streaming" else ABSENT,
    )
