"""What can be said of an answer that is no event stream, and of none at all.

A body is whatever a server sent: broken, of another shape, or nested too deeply to be
read. Then there are no words, and nothing is raised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "advised_retry",
    "error_text_of",
    "foreign_body",
    "place_text",
    "redact",
    "redirect_text",
    "seconds_to_wait",
]

_SHORTEST_SECRET: Final = 6  # local servers get keys such as "x"
_KEY_SHAPES: Final = re.compile(
    r"\b(?:sk-|xai-|gsk_|AIza|Bearer\s+)[A-Za-z0-9_\-*.]{6,}"
)


def error_text_of(body: str) -> str:
    """The message in the JSON body of an error; empty if there is none.

    >>> error_text_of('{"error": {"message": "no such model"}}')
    'no such model'
    """
    try:
        value: object = parse_json(body)
    except ValueError:
        return ""
    if is_array(value) and value:
        value = value[0]
    if not is_mapping(value):
        return ""
    error = value.get("error")
    candidates = [error, value.get("message"), value.get("detail")]
    if is_mapping(error):
        candidates.insert(0, error.get("message"))
    return next((said for said in candidates if isinstance(said, str) and said), "")


def foreign_body(content_type: str, start: bytes) -> str | None:
    """What a body is instead of events, or ``None`` where it may be events.

    Content types lie, so the first bytes must agree.

    >>> foreign_body("application/json", b'{"error": 1}'), foreign_body("", b"data: 1")
    ('JSON', None)
    """
    start = start.lstrip()
    if "json" in content_type and start.startswith((b"{", b"[")):
        return "JSON"
    if "html" in content_type and start.startswith(b"<"):
        return "a web page"
    return None


def redact(text: str, secrets: tuple[str, ...] = ()) -> str:
    """``text`` without the given secrets, and without what looks like a key.

    >>> redact("bad key sk-live-12345678, hunter2", ("hunter2",))
    'bad key [redacted], [redacted]'
    """
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "[redacted]")
    return _KEY_SHAPES.sub("[redacted]", text)


def redirect_text(location: str | None) -> str:
    """Why a redirect was not followed, to be put behind its status.

    Only the host is told: the rest of an address may hold a key.

    >>> redirect_text("https://api.example/v2?key=1")
    ' It points to api.example; redirects are not followed, since the key would go
    along. Name the right endpoint.'
    """
    if location is None:
        return ""
    try:
        host = urlsplit(location).hostname
    except ValueError:
        host = None
    return (
        f" It points to {host or 'another place'}; redirects are not followed, since "
        "the key would go along. Name the right endpoint."
    )


def place_text(method: str, url: str) -> str:
    """Where a request was meant to go, to be put behind why it did not.

    User, query and fragment are left out, because they may hold a key.

    >>> place_text("POST", "http://me:pw@127.0.0.1:8000/agent?key=1")
    ' (POST http://127.0.0.1:8000/agent)'
    """
    try:
        scheme, host, path, _, _ = urlsplit(url)
    except ValueError:
        return f" ({method} to an address that cannot be read)"
    bare = urlunsplit((scheme, host.rpartition("@")[2], path, "", ""))
    return f" ({method} {bare})"


def seconds_to_wait(headers: Mapping[str, str], *, now: float) -> float | None:
    """How long a server wants to be left alone: in milliseconds, seconds or by a date.

    ``now`` is the time in seconds since 1970. ``None`` says that it did not say.

    >>> seconds_to_wait({"retry-after": "2"}, now=0)
    2.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def advised_retry(headers: Mapping[str, str]) -> bool | None:
    """Whether a server says that the same request may work later; often it does not.

    Anthropic and OpenAI say so in ``x-should-retry``, and their own clients obey.

    >>> advised_retry({"x-should-retry": "false"}), advised_retry({})
    (False, None)
    """
    said = headers.get("x-should-retry", "").strip().lower()
    return {"true": True, "false": False}.get(said)


def _number(text: str | None) -> float | None:
    if text is None or not re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
        return None
    return float(text)
