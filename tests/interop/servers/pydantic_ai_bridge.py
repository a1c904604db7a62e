"""An agent of pydantic-ai that is shown in its own kernel, without a server."""

from __future__ import annotations

import asyncio

from pydantic_ai_server import AGENTS
from report import report

import aistream_nb as ai

if __name__ == "__main__":
    events = ai.agui.pydantic_ai(AGENTS["server-tool"], "How cold is Oslo?")
    report(asyncio.run(ai.show(events).wait()))
