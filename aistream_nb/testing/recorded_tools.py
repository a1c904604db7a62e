"""Stand-ins for the tools of a recording: each gives what it gave then.

For replays where the real tools are not at hand, such as a notebook made from
somebody else's recording. What they hold still is everything but the tools: the
reading of the streams, the order, the decisions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Final

from aistream_nb.chat.run_log import input_messages
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.tool_spec import ClientTool, ToolAnnotations, ToolSpec
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.errors import ToolExecutionError
from aistream_nb.recording import Recording
from aistream_nb.tools import as_tools

__all__ = ["RecordedTool", "recorded_tools", "with_stand_ins"]

_ERROR: Final = "isError"


class RecordedTool:
    """One tool that gives, call after call, what was recorded."""

    def __init__(self, spec: ToolSpec) -> None:
        self._spec = spec
        self._results: deque[tuple[Any, bool]] = deque()

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model was told of it."""
        return self._spec

    def expect(self, result: Any, *, failed: bool) -> None:
        """Give this when it is called once more."""
        self._results.append((result, failed))

    def validate(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Whatever was recorded was good enough."""
        return arguments

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        """What the tool gave at this call.

        Raises:
            ToolExecutionError: It failed then, or was not called so often.
        """
        del arguments
        name = self._spec.name
        if not self._results:
            raise ToolExecutionError(
                f"{name} was not called so often when it was recorded", tool_name=name
            )
        result, failed = self._results.popleft()
        if failed:
            raise ToolExecutionError(str(result), tool_name=name)
        return result


def recorded_tools(
    recording: Recording | str | PathLike[str],
) -> list[RecordedTool]:
    """A stand-in for each tool that the recording was offered.

    Raises:
        RecordingError: The file cannot be read.

    >>> recorded_tools(Recording.of([]))
    []
    """
    loaded = (
        recording if isinstance(recording, Recording) else Recording.load(recording)
    )
    tools = {spec.name: RecordedTool(spec) for spec in _specs(loaded.events)}
    names: dict[str, str] = {}
    ran: set[str] = set()
    for event in loaded.events:
        call_id = str(event.get("toolCallId"))
        if event.get("type") == "TOOL_CALL_START":
            names[call_id] = str(event.get("toolCallName"))
        elif event.get("name") == "aistream:executing":
            value = event.get("value")
            ran.add(str(value.get("toolCallId")) if is_mapping(value) else "")
        for answered, content, failed in _results(event):
            tool = tools.get(names.get(answered, ""))
            if tool is not None and answered in ran:
                tool.expect(_value(content, tool.spec.name, answered), failed=failed)
    return list(tools.values())


def with_stand_ins(
    recording: Recording, given: Iterable[ClientTool | Callable[..., Any]]
) -> tuple[list[ClientTool], list[str]]:
    """Today's tools and a stand-in for each that is not given, with their names.

    They come in the order in which the recording was offered them.

    >>> with_stand_ins(Recording.of([]), [])
    ([], [])
    """
    today = {tool.spec.name: tool for tool in as_tools(given)}
    offered: dict[str, ClientTool] = {}
    missing: list[str] = []
    for stand_in in recorded_tools(recording):
        name = stand_in.spec.name
        if name not in today:
            missing.append(name)
        offered[name] = today.get(name, stand_in)
    return list({**offered, **today}.values()), missing


def _specs(events: tuple[Event, ...]) -> Iterator[ToolSpec]:
    for event in events:
        if event.get("type") != "RUN_STARTED":
            continue
        for place in (event.get("input"), _ours(event)):
            offered = place.get("tools") if is_mapping(place) else None
            for tool in offered if is_array(offered) else ():
                if is_mapping(tool):
                    yield _spec(tool)


def _ours(event: Mapping[str, Any]) -> Any:
    metadata = event.get("metadata")
    return metadata.get("aistream") if is_mapping(metadata) else None


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    ours = _ours(tool)
    hints = ours.get("annotations") if is_mapping(ours) else None
    parameters = tool.get("parameters")
    return ToolSpec(
        name=str(tool.get("name")),
        description=str(tool.get("description", "")),
        parameters=parameters if is_mapping(parameters) else {"type": "object"},
        annotations=ToolAnnotations.from_wire(hints if is_mapping(hints) else {}),
    )


def _results(event: Event) -> Iterator[tuple[str, Any, bool]]:
    """Id, content and failure of each result that the event tells."""
    if event.get("type") == "TOOL_CALL_RESULT":
        ours = _ours(event)
        failed = is_mapping(ours) and bool(ours.get(_ERROR))
        yield str(event.get("toolCallId")), event.get("content"), failed
    elif event.get("type") == "RUN_STARTED":
        for row in input_messages(event):
            if row.get("role") == "tool":
                content, error = row.get("content"), row.get("error")
                yield str(row.get("toolCallId")), content, error is not None


def _value(content: Any, name: str, call_id: str) -> Any:
    """What the tool gave, before it was put into words for the model."""
    if not isinstance(content, str):
        return content
    bare = content.removeprefix(f"{name} (callId={call_id}): ")
    bare = bare.removeprefix(f"{ToolExecutionError.__name__}: ")
    try:
        value = parse_json(bare)
    except ValueError:
        return bare
    if is_mapping(value) and set(value) == {"note", "changedArguments", "result"}:
        return value["result"]  # somebody edited the arguments, and the model was told
    return value
