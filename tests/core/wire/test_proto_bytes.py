from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core.wire.proto_bytes import (
    ProtoError,
    as_bytes,
    fields,
    framed,
    raw_fields,
    write_field,
)


@given(st.integers(1, 2**20), st.binary(max_size=300))
def test_what_is_written_is_read(number: int, data: bytes):
    ((found, value),) = fields(memoryview(write_field(number, data)))
    assert (found, as_bytes(value)) == (number, data)


def test_a_field_says_how_it_stood_there():
    data = b"\x08\x05" + write_field(2, b"x") + b"\x1d\x01\x02\x03\x04"
    found = list(raw_fields(memoryview(data)))
    assert [field.number for field in found] == [1, 2, 3]
    assert [field.has_length for field in found] == [False, True, False]
    assert b"".join(field.raw for field in found) == data


def test_a_number_is_no_message():
    with pytest.raises(ProtoError, match="number stands"):
        as_bytes(5)


def test_a_frame_says_its_length():
    assert framed(b"x" * 258)[:4] == b"\0\0\x01\x02"
