"""Where every event of a chat goes: the verifier, the recording, the conversation.

In this order, so that what breaks the order of AG-UI is recorded and shown all the
same. Nothing else writes the conversation of a chat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from aistream_nb.chat.hiding import Hiding
from aistream_nb.chat.saved import RESTORED, SavedConversation
from aistream_nb.conversation import Conversation
from aistream_nb.core.invocation.told import ToldCalls
from aistream_nb.core.ordering.machine import Slip
from aistream_nb.core.ordering.verifier import OrderingVerifier, Violation
from aistream_nb.core.thread.reducer import apply_events
from aistream_nb.core.values import Event
from aistream_nb.errors import OrderingError
from aistream_nb.recording import Recording

__all__ = ["Journal"]

_MILLISECONDS: Final = 1000


class Journal:
    """Stamps, judges, records and folds the events of a chat.

    Args:
        header: What the recording says of the agent.
        clock: Gives the time in seconds.
        strict: Raise at the first violation of each run.
    """

    def __init__(
        self,
        header: Mapping[str, Any],
        *,
        clock: Callable[[], float],
        strict: bool,
    ) -> None:
        self._clock = clock
        self._strict = strict
        self._broken = False
        self._faults_told = 0
        self._verifier = OrderingVerifier()
        self.calls: ToldCalls = ToldCalls()
        """What the events tell of every call."""
        self.ran_before: Counter[str] = Counter()
        """How often a call ran in the session that was taken up, by its id."""
        self._hiding = Hiding()
        self.conversation: Conversation = Conversation()
        self.recording: Recording = Recording(clock=clock, header=header)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Where the events broke the AG-UI order, and faults below them."""
        return self._verifier.violations

    def take_up(
        self, conversation: SavedConversation, *, header: Mapping[str, Any]
    ) -> None:
        """Have everything that another session recorded, and go on behind it.

        Args:
            conversation: What was recorded; it is copied.
            header: What the recording says of the agent from now on.
        """
        saved = conversation.recording
        was = saved.header
        self.recording = saved.continued(clock=self._clock)
        self.recording.describe(**header)
        earlier = ToldCalls()
        for event in saved.events:
            self._verifier.receive(event)
            earlier.receive(event)
        for row in earlier.read_ledger():
            self.ran_before[row.tool_call_id] += row.runs
        self.conversation.receive_all(saved.events)
        for call in conversation.calls.values():
            answered = call.content is not None
            self.calls.recall(call.id, call.name, answered=answered)
        told = {name: was[name] for name in header.keys() & was.keys()}
        self.recording.append_note(RESTORED, {**header, "was": told})

    def end_torn_run(self, events: Iterable[Event]) -> None:
        """End a run that a crash tore, at the time of the last thing that happened."""
        last = self.recording.events[-1].get("timestamp") if len(self.recording) else 0
        for event in events:
            self._keep({**event, "timestamp": last})

    def begin_run(self) -> None:
        """A run begins: its first violation counts."""
        self._broken = False

    def emit(self, event: Event) -> None:
        """Take one event.

        Raises:
            OrderingError: The journal is strict, and this is the run's first violation.
        """
        stamped = {**event, "timestamp": round(self._clock() * _MILLISECONDS)}
        found = self._keep(stamped)
        if self._strict and found and not self._broken:
            self._broken = True  # the run ends; its last events are not judged
            raise _ordering_error(found[0])

    def _keep(self, stamped: Event) -> tuple[Violation, ...]:
        found = self._verifier.receive(stamped)
        self.calls.receive(stamped)
        self.recording.append(stamped)
        self.conversation.receive(stamped)
        return found

    def note_faults(self, faults: tuple[Slip, ...]) -> None:
        """Add those of an agent's faults that were not told before."""
        last = len(self.recording.events) - 1
        for fault in faults[self._faults_told :]:
            self._verifier.note(fault, index=last)
        self._faults_told = len(faults)

    def learn_secrets(self, secrets: Iterable[str]) -> None:
        """Never keep these values."""
        for secret in secrets:
            self.recording.learn_secret(secret)
            self._hiding.learn(secret)

    def hide(self, text: str) -> str:
        """A finished text without those values."""
        return self._hiding.hide(text)

    def messages_before(self, message_id: str) -> tuple[Mapping[str, Any], ...]:
        """The AG-UI messages of the thread that come before one of them."""
        thread = apply_events(self.recording.events).messages
        ids = [message["id"] for message in thread]
        return tuple(thread[: ids.index(message_id)])


def _ordering_error(violation: Violation) -> OrderingError:
    return OrderingError(
        violation.message,
        rule=violation.rule,
        index=violation.index,
        event_type=violation.event_type,
        expected=violation.expected,
    )
