"""A graph of LangGraph that is shown in its own kernel, without a server."""

from __future__ import annotations

import asyncio

from langgraph_server import CALLS, build
from report import report

import aistream_nb as ai

if __name__ == "__main__":
    graph = build(CALLS["server-tool"])
    events = ai.agui.langgraph(graph, "How cold is Oslo?")
    report(asyncio.run(ai.show(events).wait()))
