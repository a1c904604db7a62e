from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aistream_nb.core.wire.proto import read_proto
from aistream_nb.core.wire.proto_bytes import ProtoError, write_field
from aistream_nb.core.wire.proto_rewrite import Rewriting, rewrite_proto

SAMPLES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "agui_proto.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def as_it_is(text: bytes) -> bytes:
    return text


def longer(text: bytes) -> bytes:
    return text * 3


def nowhere(_name: str) -> bool:
    return False


def everywhere(_name: str) -> bool:
    return True


SAME = Rewriting(text=as_it_is, hides=nowhere, hidden=b"?")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["event"]["type"])
def test_lengths_follow_what_is_changed(sample: dict[str, Any]):
    data = bytes.fromhex(sample["hex"])
    assert rewrite_proto(data, SAME) == data

    made = rewrite_proto(data, Rewriting(text=longer, hides=nowhere, hidden=b"?"))
    read = read_proto(made)
    assert read is not None
    assert read["type"] == sample["event"]["type"]
    for name in ("messageId", "toolCallId", "stepName", "threadId"):
        assert read.get(name, "") == sample["event"].get(name, "") * 3
    assert len(made) > len(data) or made == data


def value_of(text: bytes) -> bytes:
    return write_field(3, text)


def member(name: bytes, value: bytes) -> bytes:
    return write_field(1, write_field(1, name) + write_field(2, value))


def snapshot(value: bytes) -> bytes:
    return write_field(7, write_field(2, value))


def test_texts_under_a_secret_name_are_not_told_and_structure_is():
    inner = write_field(5, member(b"open", value_of(b"seen")))
    listed = write_field(6, write_field(1, value_of(b"a")) + write_field(1, inner))
    data = snapshot(
        write_field(
            5,
            member(b"key", value_of(b"x"))
            + member(b"none", value_of(b""))
            + member(b"keys", listed)
            + member(b"key too", b"\x20\x01")
            + write_field(1, b""),
        )
    )
    hiding = Rewriting(text=as_it_is, hides=lambda n: n != "open", hidden=b"?")

    read = read_proto(rewrite_proto(data, hiding))

    assert read is not None
    assert read["snapshot"] == {
        "key": "?",
        "none": "",
        "keys": ["?", {"open": "seen"}],
        "key too": True,
        "": None,
    }


def test_a_field_of_the_future_is_a_text():
    data = write_field(14, write_field(3, b"no") + write_field(99, b"new"))
    data += write_field(200, b"newer")
    made = rewrite_proto(data, Rewriting(text=bytes.upper, hides=nowhere, hidden=b""))
    assert made == write_field(
        14, write_field(3, b"NO") + write_field(99, b"NEW")
    ) + write_field(200, b"NEWER")


@pytest.mark.parametrize("data", [b"\x00", write_field(14, b"\x1a\x05a")])
def test_what_is_no_message_is_refused(data: bytes):
    with pytest.raises(ProtoError):
        rewrite_proto(data, SAME)


def test_what_is_nested_too_deeply_is_refused():
    value = value_of(b"x")
    for _ in range(120):
        value = write_field(6, write_field(1, value))
    with pytest.raises(ProtoError, match="too deeply"):
        rewrite_proto(snapshot(value), SAME)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([nowhere, everywhere]))
def test_any_bytes_are_rewritten_or_refused(data: bytes, hides: Any):
    try:
        made = rewrite_proto(data, Rewriting(text=as_it_is, hides=hides, hidden=b"?"))
    except ProtoError:
        return
    assert rewrite_proto(made, SAME) == made
