"""Model providers: adapters, continuations, and the turn that joins them.

Start at :func:`execute_client_tool_turn`. Who can be asked is data in
:mod:`~aistream_nb.providers.registry`.
"""

from aistream_nb.providers.base import OutputSchema
from aistream_nb.providers.messages import Attachment, Message, WebSearch
from aistream_nb.providers.plain import (
    call_provider_completion_stream,
    call_proxied_completion_stream,
)
from aistream_nb.providers.registry import (
    PROVIDERS,
    ProviderRecord,
    find_provider,
    resolve_key,
    resolve_model,
    split_target,
)
from aistream_nb.providers.retry import NO_RETRY, RetryPolicy
from aistream_nb.providers.turn import Turn, execute_client_tool_turn
from aistream_nb.providers.turn_abort import AbortSignal
from aistream_nb.providers.turn_outcome import (
    Continuation,
    ToolCallSummary,
    ToolConflicts,
    TurnOutcome,
)
from aistream_nb.providers.turn_prepare import TurnOptions

__all__ = [
    "NO_RETRY",
    "PROVIDERS",
    "AbortSignal",
    "Attachment",
    "Continuation",
    "Message",
    "OutputSchema",
    "ProviderRecord",
    "RetryPolicy",
    "ToolCallSummary",
    "ToolConflicts",
    "Turn",
    "TurnOptions",
    "TurnOutcome",
    "WebSearch",
    "call_provider_completion_stream",
    "call_proxied_completion_stream",
    "execute_client_tool_turn",
    "find_provider",
    "resolve_key",
    "resolve_model",
    "split_target",
]
