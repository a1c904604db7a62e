"""How two recordings differ, for people: in a terminal and in a notebook.

Compared is what happened, not when, and not under which random ids: times are left out,
deltas joined, and ids named by the order of their first appearance.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = ["RecordingDiff", "compare_events", "event_words", "renamed"]

_DECISION: Final = "aistream:decision"
_LEFT_OUT: Final = frozenset({"timestamp", "rawEvent", "type"})
_COLOURS: Final[Mapping[str, str]] = {
    "+": "background:#e6ffec;color:#116329",
    "-": "background:#ffebe9;color:#a40e26",
    "@": "color:#57606a",
}


@dataclass(frozen=True, slots=True)
class RecordingDiff:
    """The lines in which two recordings differ; false when there are none."""

    lines: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines) if self.lines else "no difference"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = [
            f'<div style="{_COLOURS.get(line[:1], "")}">{escape(line)}</div>'
            for line in str(self).splitlines()
        ]
        return (
            '<div style="font-family:monospace;white-space:pre-wrap;'
            f'overflow-wrap:anywhere">{"".join(rows)}</div>'
        )


def compare_events(
    before: Iterable[Event], after: Iterable[Event], *, names: tuple[str, str]
) -> RecordingDiff:
    """What ``after`` has that ``before`` has not, and the other way round.

    >>> print(
    ...     compare_events(
    ...         [{"type": "TOOL_CALL_RESULT", "content": "4"}],
    ...         [{"type": "TOOL_CALL_RESULT", "content": "5"}],
    ...         names=("kept", "now"),
    ...     )
    ... )
    --- kept
    +++ now
    @@ -1 +1 @@
    -TOOL_CALL_RESULT content="4"
    +TOOL_CALL_RESULT content="5"
    """
    lines = difflib.unified_diff(
        list(_told(before)), list(_told(after)), *names, n=2, lineterm=""
    )
    return RecordingDiff(tuple(lines))


def _told(events: Iterable[Event]) -> Iterator[str]:
    ids: dict[str, str] = {}
    tools: dict[str, str] = {}
    for event in events:
        call, tool = _call_of(event), event.get("toolCallName")
        if isinstance(call, str) and isinstance(tool, str):
            tools[call] = tool
        named = tools.get(call, "") if isinstance(call, str) else ""
        told, offered = _without_tools(renamed(event, ids))
        yield event_words(told, tool=named)
        yield from offered


def _call_of(event: Event) -> object:
    value = event.get("value")
    inner = value.get("toolCallId") if is_mapping(value) else None
    return event.get("toolCallId", inner)


def _without_tools(event: Event) -> tuple[Event, list[str]]:
    """A start of a run, and each tool that it offers on a line of its own."""
    offered: list[str] = []
    told = dict(event)
    if event.get("name") == _DECISION and is_mapping(event.get("value")):
        # Who decided what and why is compared; how the question ended follows.
        told["value"] = {k: v for k, v in event["value"].items() if k != "outcome"}
    if event.get("type") == "RUN_STARTED":
        for name in ("input", "metadata"):
            told[name] = _taken(event.get(name), offered)
    return told, offered


def _taken(value: Any, offered: list[str]) -> Any:
    """``value`` without the lists of tools in it, which go to ``offered``."""
    if not is_mapping(value):
        return value
    kept: dict[str, Any] = {}
    for name, member in value.items():
        if name == "tools" and is_array(member):
            offered += [f"  offers {_tool_words(tool)}" for tool in member]
        else:
            kept[name] = _taken(member, offered)
    return kept


def _tool_words(tool: Any) -> str:
    name = tool.get("name") if is_mapping(tool) else "?"
    return f"{name} {encode_json(tool)}"


def event_words(event: Event, *, tool: str = "") -> str:
    """One event on one line.

    >>> event_words({"type": "TOOL_CALL_END", "toolCallId": "c"}, tool="search")
    'TOOL_CALL_END of search toolCallId="c"'
    """
    words = [str(event.get("type", "an event without a type"))]
    if tool and event.get("toolCallName") != tool:
        words.append(f"of {tool}")
    words += [
        f"{key}={encode_json(value)}"
        for key, value in event.items()
        if key not in _LEFT_OUT
    ]
    return " ".join(words)


def renamed(value: Any, ids: dict[str, str], name: str = "") -> Any:
    """A copy in which every id is called by its kind and its number."""
    if is_mapping(value):
        return {key: renamed(member, ids, str(key)) for key, member in value.items()}
    if is_array(value):
        return [renamed(item, ids, name.removesuffix("s")) for item in value]
    if isinstance(value, str) and (name == "id" or name.endswith("Id")):
        kind = _kind(name)
        return ids.setdefault(value, f"{kind}-{len(ids) + 1}")
    return value


def _kind(name: str) -> str:
    bare = name.removesuffix("Id").removesuffix("id")
    bare = bare.removeprefix("parent").removeprefix("toolC").lower()
    return "call" if bare == "all" else bare or "id"
