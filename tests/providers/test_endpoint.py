"""Endpoints: what is taken, and what is refused with which words."""

from __future__ import annotations

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.providers.endpoint import resolve_endpoint
from aistream_nb.providers.registry import find_provider

VLLM = find_provider("vllm")
NOT_A_URL = "endpoint is not a valid URL"


def test_without_an_override_the_record_decides():
    assert resolve_endpoint(VLLM) == "http://localhost:8000/v1"
    with pytest.raises(TurnError, match=r'"openai-compat" has no API .*; pass '):
        resolve_endpoint(find_provider("openai-compat"))


@pytest.mark.parametrize(
    ("endpoint", "base"),
    [
        ("https://llm.example.org/v1", "https://llm.example.org/v1"),
        ("https://llm.example.org/v1///", "https://llm.example.org/v1"),
        ("https://llm.example.org", "https://llm.example.org"),
        ("http://h:8080/a/./b/../v1?", "http://h:8080/a/v1"),
        ("http://h/../../v1", "http://h/v1"),
        ("http://h/x/%2e%2E/v1", "http://h/v1"),
        ("HTTP://H:80/V1", "http://h/V1"),
        ("http://h:/v1", "http://h/v1"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1"),
        (" http://h/v1 ", "http://h/v1"),
    ],
)
def test_an_override_is_tidied(endpoint, base):
    assert resolve_endpoint(VLLM, endpoint) == base


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ("", "endpoint must be a non-empty http(s) URL"),
        ("  ", "endpoint must be a non-empty http(s) URL"),
        (7, "endpoint must be a non-empty http(s) URL"),
        ("localhost/v1", NOT_A_URL),
        ("http://", NOT_A_URL),
        ("http://h:99999/", NOT_A_URL),
        ("http://[::1/v1", NOT_A_URL),
        ("http://a b/v1", NOT_A_URL),
        ("ftp://h/v1", "endpoint must use http or https (got ftp:)"),
        ("localhost:8000/v1", "endpoint must use http or https (got localhost:)"),
        ("http://h/v1?key=1", "endpoint must not include a query string or fragment"),
        ("http://h/v1#x", "endpoint must not include a query string or fragment"),
        (
            "http://me:secret@h/v1",
            "endpoint must not include userinfo; pass credentials via api_key instead",
        ),
    ],
)
def test_an_override_that_cannot_be_used_says_why(endpoint, said):
    with pytest.raises(TurnError) as caught:
        resolve_endpoint(VLLM, endpoint)
    assert str(caught.value) == f'provider "vllm": {said}'
