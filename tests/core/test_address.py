from __future__ import annotations

import pytest

from aistream_nb.core.address import split_address


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000/agent?key=1#x",
        "https://me:pw@host/a",
        "http://[::1]:80/",
        "http://\u00fcn\u00ef.example/x",
        "ftp://host",
        "mailto:somebody",
    ],
)
def test_an_address_is_taken_apart(address: str):
    assert split_address(address).geturl() == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "host/agent",
        "//host/agent",
        "http://",
        "http:///agent",
        "http://[::1/agent",
        "http://host:99999/agent",
        "http://host:port/agent",
        "http://a b/agent",
        "http://host/a\nb",
        "http://ho\0st/",
        " http://host/",
    ],
)
def test_what_nobody_can_connect_to_is_no_address(address: str):
    with pytest.raises(ValueError, match="not a valid URL"):
        split_address(address)
