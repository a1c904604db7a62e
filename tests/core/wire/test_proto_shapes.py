from __future__ import annotations

from aistream_nb.core.wire.proto_shapes import ENVELOPE, SHAPES
from aistream_nb.core.wire.schema import EVENT_FIELDS

LEAVES = {"text", "flag", "count", "value", "object"}


def test_an_envelope_holds_every_event_and_each_has_a_row():
    assert set(ENVELOPE.values()) == set(EVENT_FIELDS) <= set(SHAPES)


def test_every_kind_is_a_leaf_or_a_row():
    for fields in SHAPES.values():
        assert {field.kind for field in fields.values()} <= LEAVES | set(SHAPES)


def test_the_fields_of_an_event_are_those_that_it_has():
    apart = {"contentParts", "interrupts", "pendingToolCallIds", "interruptIds"}
    for event_type in ENVELOPE.values():
        known = EVENT_FIELDS[event_type]
        named = {field.name for field in SHAPES[event_type].values()} - apart
        common = {"type", "timestamp", "rawEvent", "metadata"}
        assert named == {*known.required, *known.optional} - common, event_type
