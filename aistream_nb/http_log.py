"""What the libraries below log of our requests, without what is secret in them.

httpx logs every address whole, at INFO: user, password and query included. hpack, which
packs the headers of HTTP/2, logs each of them at DEBUG, keys included. While a request
of ours is sent, an address is logged without user and query, and hpack logs nothing.
Requests that are not ours are logged as before.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

__all__ = ["request_of_ours"]

_ours: Final[ContextVar[bool]] = ContextVar("aistream_nb_request", default=False)
_LIBRARIES: Final = ("httpx", "hpack.hpack", "hpack.table")


@contextmanager
def request_of_ours() -> Generator[None]:
    """Keep secrets out of what is logged in this block.

    >>> with request_of_ours():
    ...     _ours.get()
    True
    """
    for name in _LIBRARIES:
        logging.getLogger(name).addFilter(_is_fit)  # a second time changes nothing
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)


def _is_fit(record: logging.LogRecord) -> bool:
    if not _ours.get():
        return True
    if isinstance(record.args, tuple):
        record.args = tuple(map(_bare, record.args))
    return not record.name.startswith("hpack")


def _bare(value: Any) -> Any:
    """An address of httpx without user and query; anything else as it is."""
    if not hasattr(value, "copy_with"):
        return value
    return value.copy_with(username="", password="", query=None)
