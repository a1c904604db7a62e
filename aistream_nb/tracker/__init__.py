"""Client tools of a conversation that somebody else runs: each call exactly once."""

from aistream_nb.core.invocation.events import Diagnostic, ToolResponse
from aistream_nb.core.invocation.ledger import Ledger, LedgerRow
from aistream_nb.tracker.context import CallContext, StopSignal
from aistream_nb.tracker.reader import ArgumentsReader, CallReader
from aistream_nb.tracker.tooling import StreamingTool
from aistream_nb.tracker.watcher import ToolInvocationTracker, TrackerOptions

__all__ = [
    "ArgumentsReader",
    "CallContext",
    "CallReader",
    "Diagnostic",
    "Ledger",
    "LedgerRow",
    "StopSignal",
    "StreamingTool",
    "ToolInvocationTracker",
    "ToolResponse",
    "TrackerOptions",
]
