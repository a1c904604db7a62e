"""W6: 20,000 AG-UI events written as server-sent events.

Each frame is handed on and forgotten, as a server does. Ours takes mappings, as a
processor and a recording have them; the official encoder takes its own models, which
are made before the clock starts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import workloads
from common import (
    Case,
    Pass,
    Plan,
    Rival,
    growth,
    node_rival,
    python_rival,
    race,
    timed,
)

from aistream_nb.core.wire.sse_encode import SSEEncoder

TITLE = "W6  events as server-sent events"
SIZES = (2_000, 20_000, 100_000)
MIDDLE = SIZES[1]


def events_of(size: int) -> list[dict[str, Any]]:
    """Deltas of one message."""
    events = workloads.text(per=size).events()
    return [event for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"]


def handing_on(encode: Callable[[Any], bytes], events: list[Any]) -> Pass:
    """A pass over the events that keeps no frame."""

    def work() -> None:
        for event in events:
            encode(event)

    return timed(work)


def encoding(size: int) -> Pass:
    return handing_on(SSEEncoder().encode, events_of(size))


def _with_json(events: list[dict[str, Any]]) -> Pass:
    dumps = json.dumps
    return handing_on(lambda event: f"data: {dumps(event)}\n\n".encode(), events)


def _with_orjson(events: list[dict[str, Any]]) -> Pass:
    dumps = import_module("orjson").dumps
    return handing_on(lambda event: b"data: %b\n\n" % dumps(event), events)


def _with_ag_ui(events: list[dict[str, Any]]) -> Pass:
    encode = import_module("ag_ui.encoder").EventEncoder().encode
    model = import_module("ag_ui.core").TextMessageContentEvent
    models = [model(message_id=e["messageId"], delta=e["delta"]) for e in events]
    return handing_on(encode, models)


def measure(plan: Plan) -> Iterator[Case]:
    """Ours beside the official encoders and the JSON libraries."""
    events = events_of(MIDDLE)
    yield race(
        plan,
        f"encode, {MIDDLE:,} events",
        encoding(MIDDLE),
        rivals=_rivals(plan, events),
        growth=growth(plan, encoding, SIZES),
    )


def _rivals(plan: Plan, events: list[dict[str, Any]]) -> Iterator[Rival]:
    yield python_rival(
        "ag_ui.encoder",
        lambda: _with_ag_ui(events),
        package="ag-ui-protocol",
        at_most=1 / 20,
    )
    yield node_rival(
        "@ag-ui/encoder",
        "encode.mjs",
        workload=events,
        plan=plan,
        wanted=len(events),
        at_most=1 / 4,
    )
    yield Rival(name="json.dumps", run=_with_json(events), at_most=1 / 5)
    yield python_rival(
        "orjson", lambda: _with_orjson(events), package="orjson", at_most=1.3
    )
