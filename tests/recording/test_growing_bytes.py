from __future__ import annotations

from agui_binary import binary

from aistream_nb.core.redaction import REDACTED, Redactor
from aistream_nb.recording.growing_bytes import GrowingBytes

SECRET = "großes-Geheimnis"  # noqa: S105 made up


def test_a_key_that_the_network_cuts_is_taken_out():
    body = f"data: {SECRET} and more".encode()

    for at in range(1, len(body)):
        bodies = GrowingBytes(Redactor([SECRET]))
        pieces = [bodies.receive(1, body[:at]), bodies.receive(1, body[at:])]
        told = b"".join([*pieces, *(rest for _, rest in bodies.close())])
        assert told.endswith(f"{REDACTED} and more".encode())
        assert len(told) <= len("data: gro") + len(f"{REDACTED} and more")


def test_rounds_are_bodies_of_their_own_and_nothing_is_lost():
    bodies = GrowingBytes(Redactor([SECRET]))

    assert bodies.receive(1, "große".encode()) == b""
    assert bodies.receive(2, b"s-Geheimnis") == b"s-Geheimnis"
    assert bodies.pending == [(1, "große".encode())]
    assert bodies.close() == [(1, "große".encode())]
    assert bodies.close() == []


def test_what_is_no_text_passes_unharmed():
    bodies = GrowingBytes(Redactor(["\udcff-surrogate"]))

    some = bytes(range(1, 256))
    assert bodies.receive(1, b"") == b""
    assert bodies.receive(1, some) == some


def test_a_body_in_frames_is_kept_frame_by_frame():
    bodies = GrowingBytes(Redactor([SECRET]))
    body = binary({"type": "RUN_ERROR", "message": f"no {SECRET}"})

    assert bodies.receive(1, body[:-1]) == b""
    assert bodies.receive(1, body[-1:] + b"\0") == binary(
        {"type": "RUN_ERROR", "message": f"no {REDACTED}"}
    )
    assert bodies.close() == [(1, b"\0")]
