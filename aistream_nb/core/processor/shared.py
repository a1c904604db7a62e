"""What a stream shares beside the messages: the state, and activities.

A patch applies as a whole or not at all; one that fails changes nothing and is told
as a problem. What was handed out is never modified.
"""

from __future__ import annotations

from typing import Any

from aistream_nb.core.json_patch import PatchError, apply_patch
from aistream_nb.core.processor.callbacks import Activity
from aistream_nb.core.processor.dialects import shared_delta, shared_snapshot
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.values import (
    ABSENT,
    Event,
    JSONValue,
    is_array,
    is_mapping,
)

__all__ = ["SharedRules"]


class SharedRules:
    """What STATE and ACTIVITY events do."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.state: JSONValue = {}
        self.activities: dict[str, Activity] = {}

    def replace_state(self, event: Event) -> None:
        """STATE_SNAPSHOT: the whole state."""
        state = shared_snapshot(event)
        if state is ABSENT:
            self._stream.reader.tell(
                event, "snapshot", state, assumed="nothing: the state stays"
            )
            return
        self._set_state(state)

    def change_state(self, event: Event) -> None:
        """STATE_DELTA: a change of the state."""
        operations = shared_delta(event)
        if operations is None:
            self._stream.reader.tell(
                event,
                "delta",
                event.get("delta", ABSENT),
                assumed="nothing: the state stays",
            )
            return
        state = self._patched(event, "delta", self.state, operations)
        if state is not ABSENT:
            self._set_state(state)

    def show_activity(self, event: Event) -> None:
        """ACTIVITY_SNAPSHOT: an activity as it is now."""
        reader = self._stream.reader
        name = reader.id(event, "messageId")
        if name is None:
            return
        if name in self.activities and event.get("replace") is False:
            return
        self._set_activity(
            Activity(
                id=name,
                activity_type=reader.text(event, "activityType"),
                content=event.get("content"),
            )
        )

    def adopt_activities(self, event: Event) -> None:
        """MESSAGES_SNAPSHOT: activities stand among the rows."""
        rows = event.get("messages")
        for row in rows if is_array(rows) else ():
            if is_mapping(row) and row.get("role") == "activity":
                name, kind = row.get("id"), row.get("activityType")
                if isinstance(name, str) and isinstance(kind, str):
                    content = row.get("content")
                    self._set_activity(
                        Activity(id=name, activity_type=kind, content=content)
                    )

    def change_activity(self, event: Event) -> None:
        """ACTIVITY_DELTA: a change of an activity."""
        reader = self._stream.reader
        name = reader.id(event, "messageId")
        known = None if name is None else self.activities.get(name)
        if known is None:
            return
        content = self._patched(event, "patch", known.content, event.get("patch"))
        if content is not ABSENT:
            self._set_activity(
                Activity(
                    id=known.id,
                    activity_type=reader.text(event, "activityType"),
                    content=content,
                )
            )

    def _patched(self, event: Event, field: str, before: object, patch: object) -> Any:
        try:
            return apply_patch(before, patch)
        except PatchError:
            self._stream.reader.tell(
                event, field, patch, assumed="nothing: the patch does not apply"
            )
            return ABSENT

    def _set_state(self, state: JSONValue) -> None:
        self.state = state
        if self._stream.callbacks.on_state_change is not None:
            self._stream.callbacks.on_state_change(state)

    def _set_activity(self, activity: Activity) -> None:
        self.activities[activity.id] = activity
        if self._stream.callbacks.on_activity_change is not None:
            self._stream.callbacks.on_activity_change(activity)
