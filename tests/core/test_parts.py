from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.parts import (
    Approval,
    MediaPart,
    OtherPart,
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    part_from_wire,
    parts_from_wire,
    result_content,
)
from aistream_nb.core.values import ABSENT

URL = {"type": "url", "value": "https://x.test/a.png"}
WIRES: dict[str, dict[str, Any]] = {
    "text": {"type": "text", "content": "a"},
    "text with metadata": {"type": "text", "content": "a", "metadata": {"k": 1}},
    "thinking": {"type": "thinking", "content": "a"},
    "signed thinking": {
        "type": "thinking",
        "content": "a",
        "stepId": "s",
        "signature": "S",
    },
    "a call": {
        "type": "tool-call",
        "id": "c",
        "name": "f",
        "arguments": "{",
        "state": "input-streaming",
    },
    "a call with everything": {
        "type": "tool-call",
        "id": "c",
        "name": "f",
        "arguments": "{}",
        "state": "approval-responded",
        "output": None,
        "approval": {"id": "p", "needsApproval": True, "approved": False},
        "metadata": {"k": 1},
    },
    "a result": {
        "type": "tool-result",
        "toolCallId": "c",
        "content": "r",
        "state": "complete",
    },
    "a failed result": {
        "type": "tool-result",
        "toolCallId": "c",
        "content": [{"type": "text", "content": "r"}],
        "state": "error",
        "error": "e",
        "id": "m",
    },
    "an image": {"type": "image", "source": URL, "metadata": {"detail": "low"}},
    "a growing answer": {"type": "structured-output", "status": "streaming", "raw": ""},
    "a whole answer": {
        "type": "structured-output",
        "status": "complete",
        "data": {"n": 1},
        "partial": {"n": 1},
        "raw": "{}",
        "reasoning": "r",
    },
    "a failed answer": {
        "type": "structured-output",
        "status": "error",
        "raw": "{",
        "errorMessage": "e",
    },
    "a part that nobody knows": {"type": "ui-resource", "resource": {"uri": "ui://1"}},
    "a part without a type": {"content": "a"},
    "text that is no text": {"type": "text", "content": 5},
    "an image without a source": {"type": "image"},
}


@pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
def test_a_part_comes_back_as_it_went(wire: dict[str, Any]):
    assert part_from_wire(wire).to_wire() == wire


def test_the_finished_input_is_on_the_wire_only_when_asked_for():
    part = ToolCallPart(id="c", name="f", input={"n": 1})
    assert "input" not in part.to_wire()
    assert part.to_wire(with_input=True)["input"] == {"n": 1}


def test_null_is_an_output_and_absence_is_none():
    assert ToolCallPart(id="c", name="f", output=None).has_output
    assert not ToolCallPart(id="c", name="f").has_output


MALFORMED: dict[str, tuple[Any, Any]] = {
    "a call without anything": (
        {"type": "tool-call"},
        ToolCallPart(id="", name=""),
    ),
    "an unknown state": (
        {"type": "tool-call", "state": "lost", "approval": 7},
        ToolCallPart(id="", name=""),
    ),
    "an approval of wrong types": (
        {"type": "tool-call", "approval": {"id": 7, "approved": "yes"}},
        ToolCallPart(id="", name="", approval=Approval(id="")),
    ),
    "a result of wrong types": (
        {"type": "tool-result", "content": 7, "error": 7},
        ToolResultPart(tool_call_id="", content=""),
    ),
    "thinking without text": ({"type": "thinking"}, ThinkingPart("")),
    "an answer without anything": (
        {"type": "structured-output"},
        StructuredOutputPart(),
    ),
    "no mapping at all": ("words", OtherPart(wire={"content": "words"})),
}


@pytest.mark.parametrize(("wire", "part"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_part_is_read_as_far_as_it_goes(wire: Any, part: Any):
    assert part_from_wire(wire) == part


def test_a_part_is_its_own_reading():
    part = TextPart("a")
    assert part_from_wire(part) is part


def test_an_unknown_part_keeps_its_type():
    assert part_from_wire({"type": "card"}).type == "card"
    assert OtherPart(wire={}).type == ""


def test_what_is_no_list_has_no_parts():
    assert parts_from_wire(None) == ()
    assert parts_from_wire([{"type": "text", "content": "a"}]) == (TextPart("a"),)


CONTENTS: dict[str, tuple[object, bool]] = {
    "text": ("a", True),
    "text parts": ([{"type": "text", "content": "a"}], True),
    "media parts": ([{"type": "image", "source": URL}], True),
    "an empty list": ([], False),
    "a list with anything else": ([{"type": "text", "content": "a"}, 5], False),
    "a part without its content": ([{"type": "text"}], False),
    "an object": ({"type": "text", "content": "a"}, False),
    "nothing": (ABSENT, False),
}


@pytest.mark.parametrize(("value", "fits"), CONTENTS.values(), ids=CONTENTS)
def test_a_result_can_be_text_or_content_parts(value: object, *, fits: bool):
    assert result_content(value) == (value if fits else None)


def test_media_keeps_its_source():
    part = MediaPart(type="audio", source=URL)
    assert part.to_wire() == {"type": "audio", "source": URL}
