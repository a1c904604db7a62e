from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from ag_ui import core as sdk

from aistream_nb.core.wire import events
from aistream_nb.core.wire.events import EVENT_TYPES, as_event


def test_the_types_are_those_of_the_official_package():
    retired = {"THINKING_"}
    official = {
        member.value
        for member in sdk.EventType
        if not any(member.value.startswith(word) for word in retired)
    }
    assert set(EVENT_TYPES) == official
    assert len(EVENT_TYPES) == 31


def _shapes() -> list[Any]:
    return [
        shape
        for shape in vars(events).values()
        if "type" in getattr(shape, "__annotations__", {})
    ]


@pytest.mark.parametrize("shape", _shapes(), ids=lambda shape: shape.__name__)
def test_a_shape_has_the_fields_of_the_official_model(shape: Any):
    model = getattr(sdk, f"{shape.__name__}Event")
    official = {field.alias or name for name, field in model.model_fields.items()}
    assert shape.__required_keys__ | shape.__optional_keys__ == official


def test_every_type_has_a_shape():
    assert len(_shapes()) == len(EVENT_TYPES)


def test_a_mapping_is_an_event_as_it_is():
    event = MappingProxyType({"type": "CUSTOM"})
    assert as_event(event) is event


def test_json_text_is_an_event():
    assert as_event(b'{"type": "CUSTOM", "x": 1}') == {"type": "CUSTOM", "x": 1}


def test_an_object_of_the_official_package_is_an_event():
    given = sdk.TextMessageContentEvent(
        type=sdk.EventType.TEXT_MESSAGE_CONTENT, message_id="m", delta="a"
    )
    wire = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a"}
    assert as_event(given) == wire


@pytest.mark.parametrize("given", [None, 7, "[1]", [1], object()])
def test_anything_else_is_refused_with_what_it_was(given: object):
    with pytest.raises(TypeError, match="an event is a mapping with a type"):
        as_event(given)


def test_text_that_is_not_json_is_refused():
    with pytest.raises(ValueError, match="Expecting"):
        as_event("{")
