"""An address that a request may go to, read before it does.

``urlsplit`` takes nearly everything; what it takes and nobody can connect to would be
an error of some library below, in the middle of a run.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

__all__ = ["split_address"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_UNSAFE_HOST: Final = re.compile(r"[\s<>\"\\^`{|}%]")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x20\x7f]")


def split_address(address: str) -> SplitResult:
    """The parts of an address; an ``http`` or ``https`` one has a host.

    Raises:
        ValueError: It is no address.

    >>> split_address("http://127.0.0.1:8000/agent").port
    8000
    """
    if not _SCHEME.match(address) or _UNPRINTABLE.search(address):
        raise ValueError("it is not a valid URL")
    try:
        parts = urlsplit(address)
        has_host = bool(parts.hostname) and not _UNSAFE_HOST.search(parts.hostname)
        has_port = parts.port is None or parts.port >= 0
    except ValueError:
        raise ValueError("it is not a valid URL") from None
    if parts.scheme in {"http", "https"} and not (has_host and has_port):
        raise ValueError("it is not a valid URL")
    return parts
