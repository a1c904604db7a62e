"""RunAgentInput: what a client sends to start a run (AG-UI, section 11).

The body that is sent is the mapping that was built, in the wire's own words; the
official model only judges it. So nothing is lost or renamed on the way, and nothing
leaves that the official model would refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.errors import AIStreamError

__all__ = ["build_run_input", "tool_on_the_wire"]


def build_run_input(
    ids: Mapping[str, str],
    *,
    messages: Iterable[Mapping[str, Any]],
    tools: Iterable[ToolSpec] = (),
    state: object = None,
    resume: Sequence[Mapping[str, Any]] = (),
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The body of a request, checked.

    Args:
        ids: ``threadId``, ``runId`` and, where it is told, ``protocolVersion``.
        messages: The thread so far; activities stay at home.
        tools: The tools that the client runs.
        state: The shared state.
        resume: The answers to open interrupts; absent when there are none.
        extra: ``context`` and ``forwardedProps``.

    Raises:
        AIStreamError: The official model refuses it; the message says where.

    >>> body = build_run_input({"threadId": "t", "runId": "r"}, messages=[])
    >>> sorted(body)
    ['context', 'forwardedProps', 'messages', 'runId', 'state', 'threadId', 'tools']
    """
    body: dict[str, Any] = {
        **ids,
        "state": {} if state is None else state,
        "messages": [dict(one) for one in messages if one.get("role") != "activity"],
        "tools": [tool_on_the_wire(tool) for tool in tools],
        "context": [],
        "forwardedProps": {},
        **(extra or {}),
    }
    if resume:
        body["resume"] = [dict(entry) for entry in resume]
    _check(body)
    return body


def tool_on_the_wire(tool: ToolSpec) -> dict[str, Any]:
    """A tool as a server is told of it; the hints for people stay at home."""
    wire = tool.to_wire()
    return {name: wire[name] for name in ("name", "description", "parameters")}


def _check(body: Mapping[str, Any]) -> None:
    # Here, because the SDK costs a third of a second and a replay needs none of it.
    from ag_ui.core import RunAgentInput  # noqa: PLC0415 # see above
    from pydantic import ValidationError  # noqa: PLC0415 # as above

    try:
        RunAgentInput.model_validate(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        places = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found[:3]
        )
    else:
        return
    # Outside of the except block: pydantic's error quotes the values.
    raise AIStreamError(
        f"The request for an AG-UI run is not valid: {places}. Mend the state, "
        "context, forwarded_props or messages that were given."
    )
