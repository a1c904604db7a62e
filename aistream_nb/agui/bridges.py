"""Agents of other frameworks in this kernel, as AG-UI events: one line, no server.

    ai.show(ai.agui.pydantic_ai(agent, "How cold is Oslo?", deps=deps))
    ai.show(ai.agui.langgraph(graph, "How cold is Oslo?"))

The frameworks bring the translation themselves; here it is only started. They are
imported when they are used, so that nobody needs them who does not.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias
from uuid import uuid4

from aistream_nb.agui.run_input import build_run_input
from aistream_nb.core.wire.events import as_event
from aistream_nb.errors import AIStreamError

__all__ = ["Prompt", "langgraph", "pydantic_ai"]

Prompt: TypeAlias = str | Sequence[Mapping[str, Any]] | Mapping[str, Any]
"""A question, AG-UI messages, or a whole RunAgentInput as a mapping."""


def pydantic_ai(
    agent: Any, prompt: Prompt, *, deps: Any = None, **options: Any
) -> AsyncIterator[Any]:
    """The AG-UI events of a pydantic-ai agent that answers ``prompt`` here.

    Args:
        agent: The ``pydantic_ai.Agent``.
        prompt: What it is asked.
        deps: The agent's dependencies.
        **options: Handed to ``AGUIAdapter.run_stream``: ``model``, ``toolsets``, …

    Raises:
        AIStreamError: pydantic-ai is not installed with its AG-UI part.
    """
    ui = _needed("pydantic_ai.ui.ag_ui", "pydantic-ai-slim[ag-ui]")
    run_input = _run_input(prompt)
    adapter = ui.AGUIAdapter(agent=agent, run_input=run_input)
    return _with_question(adapter.run_stream(deps=deps, **options), run_input)


def langgraph(
    graph: Any, prompt: Prompt, *, config: Mapping[str, Any] | None = None
) -> AsyncIterator[Any]:
    """The AG-UI events of a compiled LangGraph graph that answers ``prompt`` here.

    Args:
        graph: A compiled graph with a checkpointer.
        prompt: What it is asked; a RunAgentInput's ``threadId`` is the graph's thread.
        config: The graph's configuration, as ``graph.invoke`` takes it.

    Raises:
        AIStreamError: The package ``ag-ui-langgraph`` is not installed.
    """
    package = _needed("ag_ui_langgraph", "ag-ui-langgraph")
    agent = package.LangGraphAgent(
        name="graph",
        graph=graph,
        config=None if config is None else dict(config),
        emit_raw_events=False,
        emit_interrupt_outcome=True,
    )
    run_input = _run_input(prompt)
    return _with_question(agent.run(run_input), run_input)


async def _with_question(
    events: AsyncIterator[Any], run_input: Any
) -> AsyncGenerator[Any, None]:
    """The events; where RUN_STARTED does not say what was asked, it is added."""
    async for event in events:
        wire = as_event(event)
        if wire.get("type") == "RUN_STARTED" and "input" not in wire:
            metadata = {"aistream": {"added": ["input"]}}
            yield {**wire, "input": as_event(run_input), "metadata": metadata}
        else:
            yield event


def _needed(module: str, package: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError as error:
        raise AIStreamError(
            f"This needs {package}, which is not installed here. Run: "
            f'pip install "{package}"'
        ) from error


def _run_input(prompt: Prompt) -> Any:
    from ag_ui.core import RunAgentInput  # noqa: PLC0415 # a third of a second

    if isinstance(prompt, Mapping):
        return RunAgentInput.model_validate(prompt)
    said = (
        [{"id": uuid4().hex, "role": "user", "content": prompt}]
        if isinstance(prompt, str)
        else prompt
    )
    ids = {"threadId": uuid4().hex, "runId": uuid4().hex}
    return RunAgentInput.model_validate(build_run_input(ids, messages=said))
