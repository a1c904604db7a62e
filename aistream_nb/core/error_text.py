"""What can be said of an answer that is no event stream.

A body is whatever a server sent: broken, of another shape, or nested too deeply to be
read. Then there are no words, and nothing is raised.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping

__all__ = ["error_text_of", "foreign_body", "redirect_text"]


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
