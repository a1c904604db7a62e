"""AG-UI agents that run elsewhere, and those of other frameworks that run right here.

:class:`AGUIAgent` names a server; a chat talks to it. :func:`pydantic_ai` and
:func:`langgraph` give the events of an agent in this kernel, for ``ai.show``.
"""

from __future__ import annotations

from aistream_nb.agui.agent import AGUIAgent, AGUIOptions
from aistream_nb.agui.bridges import langgraph, pydantic_ai

__all__ = ["AGUIAgent", "AGUIOptions", "langgraph", "pydantic_ai"]
