"""Which rule deals with which event.

The one table of the processor. A type without a rule has no effect, whether AG-UI
knows it or not. The rules themselves are in ``text``, ``tools``,
``thinking``, ``custom``, ``runs``, ``shared``
and ``history``; they stand on
:class:`~aistream_nb.core.processor.stream.Stream`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from aistream_nb.core.processor.custom import CustomRules
from aistream_nb.core.processor.dialects import as_reasoning
from aistream_nb.core.processor.history import HistoryRules
from aistream_nb.core.processor.runs import RunRules
from aistream_nb.core.processor.segments import Segments
from aistream_nb.core.processor.shared import SharedRules
from aistream_nb.core.processor.stream import Stream
from aistream_nb.core.processor.structured import StructuredRules
from aistream_nb.core.processor.text import TextRules
from aistream_nb.core.processor.thinking import ThinkingRules
from aistream_nb.core.processor.tools import ToolRules
from aistream_nb.core.values import Event
from aistream_nb.core.wire.chunks import ChunkExpander
from aistream_nb.core.wire.events import EVENT_TYPES

__all__ = ["RuleBook"]

Rule: TypeAlias = Callable[[Event], object]

_CHUNKS: Final = ("TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK")


def _no_effect(event: Event) -> None:
    """What most ends do: the event is for others to judge."""
    del event


class RuleBook:
    """The rules of one conversation, by the type of event they deal with."""

    def __init__(self, stream: Stream, *, on_first_chunk: Callable[[], object]) -> None:
        self._stream = stream
        self._on_first_chunk = on_first_chunk
        segments = Segments(stream)
        structured = StructuredRules(stream, segments)
        self.tools = ToolRules(stream, segments)
        self.runs = RunRules(
            stream, segments=segments, tools=self.tools, structured=structured
        )
        self.shared = SharedRules(stream)
        self.history = HistoryRules(stream, self.tools)
        self._text = TextRules(stream, segments, structured)
        self._thinking = ThinkingRules(stream, segments)
        self._custom = CustomRules(stream, self.tools, structured)
        self.expander = ChunkExpander()
        self.is_expanding = False
        """Whether a chunk came; from then on any event may also end what is open."""
        self.stretches = 0
        self._direct = self._explicit_rules()
        self.rules: dict[object, Rule] = {
            **dict.fromkeys(EVENT_TYPES, _no_effect),
            **self._direct,
            **dict.fromkeys(_CHUNKS, self._begin_expanding),
        }

    def _explicit_rules(self) -> dict[object, Rule]:
        return {
            "TEXT_MESSAGE_START": self._text.start,
            "TEXT_MESSAGE_CONTENT": self._text.content,
            "TOOL_CALL_START": self.tools.start,
            "TOOL_CALL_ARGS": self.tools.arguments,
            "TOOL_CALL_END": self.tools.end,
            "TOOL_CALL_RESULT": self.tools.result,
            "REASONING_MESSAGE_CONTENT": self._thinking.content,
            "REASONING_ENCRYPTED_VALUE": self._thinking.encrypted,
            "THINKING_START": self._count_stretch,
            "THINKING_TEXT_MESSAGE_START": self._count_stretch,
            "THINKING_TEXT_MESSAGE_CONTENT": self._retired_thinking,
            "STEP_STARTED": self._thinking.start_step,
            "STEP_FINISHED": self._thinking.finish_step,
            "RUN_STARTED": self._start_run,
            "RUN_FINISHED": self.runs.finish,
            "RUN_ERROR": self.runs.fail,
            "CUSTOM": self._custom.receive,
            "STATE_SNAPSHOT": self.shared.replace_state,
            "STATE_DELTA": self.shared.change_state,
            "ACTIVITY_SNAPSHOT": self.shared.show_activity,
            "ACTIVITY_DELTA": self.shared.change_activity,
            "MESSAGES_SNAPSHOT": self._replace_history,
        }

    def _begin_expanding(self, event: Event) -> None:
        self.expand_all()
        self._expand(event)

    def expand_all(self) -> None:
        """From the first chunk on every event may end an open one."""
        self.is_expanding = True
        self._on_first_chunk()
        self.rules.update(dict.fromkeys((*EVENT_TYPES, *self._direct), self._expand))

    def _expand(self, event: Event) -> None:
        for each in self.expander.receive(event):
            rule = self._direct.get(each["type"])
            if rule is not None:
                rule(each)

    def _count_stretch(self, event: Event) -> None:  # noqa: ARG002 - a rule's shape
        self.stretches += 1

    def _retired_thinking(self, event: Event) -> None:
        self._thinking.content(as_reasoning(event, self.stretches))

    def _replace_history(self, event: Event) -> None:
        self.history.replace(event)
        self.shared.adopt_activities(event)

    def _start_run(self, event: Event) -> None:
        self.runs.start(event)
        self.history.introduce(event)
