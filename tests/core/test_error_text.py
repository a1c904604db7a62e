from __future__ import annotations

import pytest

from aistream_nb.core.error_text import (
    advised_retry,
    error_text_of,
    foreign_body,
    place_text,
    redirect_text,
    seconds_to_wait,
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "no such model"}}', "no such model"),
        ('{"error": "no such model"}', "no such model"),
        ('[{"error": {"message": "first of a list"}}]', "first of a list"),
        ('{"message": "top"}', "top"),
        ('{"detail": "below"}', "below"),
        ('{"error": {"message": 5}}', ""),
        ("[]", ""),
        ("5", ""),
        ("<html>", ""),
        ("[" * 60_000, ""),
    ],
)
def test_an_error_text_is_found_wherever_servers_put_it(body: str, said: str):
    assert error_text_of(body) == said


@pytest.mark.parametrize(
    ("content_type", "start", "kind"),
    [
        ("application/json", b' {"error": 1}', "JSON"),
        ("application/json", b"data: 1", None),
        ("text/html; charset=utf-8", b"\n<!doctype html>", "a web page"),
        ("text/html", b"data: 1", None),
        ("text/event-stream", b"<html>", None),
    ],
)
def test_a_body_is_foreign_when_its_type_and_its_bytes_say_so(
    content_type: str, start: bytes, kind: str | None
):
    assert foreign_body(content_type, start) == kind


def test_a_redirect_tells_the_host_alone():
    told = redirect_text("https://user:pw@other.example/path?key=1")
    assert "other.example" in told
    assert "pw" not in told
    assert "key=1" not in told
    assert redirect_text(None) == ""


@pytest.mark.parametrize("location", ["/elsewhere", "http://[bad/", ""])
def test_an_odd_redirect_is_told_too(location: str):
    assert "another place" in redirect_text(location)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://h:80/v1?key=hush#hush", " (POST http://h:80/v1)"),
        ("https://me:hush@h/v1", " (POST https://h/v1)"),
        ("https://me@hush@h/v1", " (POST https://h/v1)"),
        ("http://[::1]:8000/a", " (POST http://[::1]:8000/a)"),
        ("http://[hush", " (POST to an address that cannot be read)"),
        ("", " (POST )"),
    ],
)
def test_a_place_is_told_without_what_may_be_secret(url: str, told: str):
    assert place_text("POST", url) == told


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": " 2 "}, 2),
        ({"retry-after-ms": "300.5", "retry-after": "2"}, 0.3005),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
    ],
)
def test_a_time_to_wait_is_read_in_each_of_its_forms(
    headers: dict[str, str], seconds: float | None
):
    assert seconds_to_wait(headers, now=10) == seconds


@pytest.mark.parametrize(
    ("said", "advised"),
    [("true", True), (" False ", False), ("yes", None), ("", None)],
)
def test_the_advice_of_a_server_is_true_false_or_none(said: str, advised: object):
    assert advised_retry({"x-should-retry": said}) is advised
