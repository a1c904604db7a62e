"""The words in the JSON body of an error, wherever a server puts them.

A body is whatever a server sent: broken, of another shape, or nested too deeply to be
read. Then there are no words, and nothing is raised.
"""

from __future__ import annotations

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import is_array, is_mapping

__all__ = ["error_text_of"]


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
