"""The rules of CUSTOM events: the names that the processor knows, and all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aistream_nb.core.processor.callbacks import ApprovalRequest, ToolInput
from aistream_nb.core.processor.dialects import custom_value
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.processor.structured import StructuredRules
from aistream_nb.core.processor.tools import ToolRules
from aistream_nb.core.values import Event, is_mapping

__all__ = ["CustomRules"]


class CustomRules:
    """What CUSTOM events do."""

    def __init__(
        self, stream: Stream, tools: ToolRules, structured: StructuredRules
    ) -> None:
        self._stream = stream
        self._tools = tools
        self._known = {
            "tool-input-available": self._tool_input,
            "approval-requested": self._approval,
            "structured-output.start": structured.start,
            "structured-output.complete": structured.complete,
        }

    def receive(self, event: Event) -> None:
        """CUSTOM: a known name acts; any other is handed on."""
        name = event.get("name")
        value = custom_value(event)
        act = self._known.get(name) if isinstance(name, str) else None
        if act is None:
            self._hand_on(name, value)
        elif is_mapping(value):
            act(value)
        elif value:
            self._stream.reader.tell(event, "value", value, assumed="nothing")

    def _hand_on(self, name: object, value: Any) -> None:
        tell = self._stream.callbacks.on_custom_event
        if tell is None or not isinstance(name, str):
            return
        call_id = value.get("toolCallId") if is_mapping(value) else None
        tell(name, value, call_id if isinstance(call_id, str) else None)

    def _tool_input(self, value: Mapping[str, Any]) -> None:
        if value and self._stream.callbacks.on_tool_call is not None:
            self._stream.callbacks.on_tool_call(
                ToolInput(
                    tool_call_id=_text(value.get("toolCallId")),
                    tool_name=_text(value.get("toolName")),
                    input=value.get("input"),
                )
            )

    def _approval(self, value: Mapping[str, Any]) -> None:
        approval = value.get("approval")
        approval_id = approval.get("id") if is_mapping(approval) else None
        call_id = value.get("toolCallId")
        if not isinstance(approval_id, str) or not isinstance(call_id, str):
            self._stream.reader.tell(
                {"type": "CUSTOM"}, "value", value, assumed="nothing"
            )
            return
        self._tools.request_approval(
            ApprovalRequest(
                tool_call_id=call_id,
                tool_name=_text(value.get("toolName")),
                input=value.get("input"),
                approval_id=approval_id,
            )
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
