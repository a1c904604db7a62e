"""Requests to a Responses API, for what the cases and the comparison leave out."""

from __future__ import annotations

from turn_kit import body_of


def test_what_the_server_does_not_store_is_asked_for():
    body = body_of("openai", extra_body={"store": False})
    assert body["include"] == ["reasoning.encrypted_content"]
    assert "include" not in body_of("openai")
