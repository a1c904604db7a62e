from __future__ import annotations

from aistream_nb.core.processor.results import (
    CallProgress,
    RequestedCall,
    StreamResult,
    StreamState,
)
from aistream_nb.core.values import ABSENT

FUNCTION = {"name": "f", "arguments": "{}"}


def test_a_result_says_only_what_there_is():
    assert StreamResult(content="").to_wire() == {"content": "", "finishReason": None}
    call = RequestedCall(id="c", name="f", arguments="{}", metadata={"k": 1})
    wire = StreamResult(content="a", thinking="t", tool_calls=(call,)).to_wire()
    assert wire["thinking"] == "t"
    assert wire["toolCalls"] == [
        {"id": "c", "type": "function", "function": FUNCTION, "metadata": {"k": 1}}
    ]


def test_a_state_lists_its_calls_in_order():
    call = CallProgress(
        id="c",
        name="f",
        arguments="",
        state="awaiting-input",
        parsed_arguments=ABSENT,
        index=0,
    )
    wire = StreamState(tool_calls=(call,)).to_wire()
    assert wire["toolCallOrder"] == ["c"]
    assert wire["toolCalls"] == [
        {"id": "c", "name": "f", "arguments": "", "state": "awaiting-input", "index": 0}
    ]
