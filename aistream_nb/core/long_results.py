"""The results of tools that no model could read: cut, and the cut is told.

What a model gets then is JSON that says what happened and holds the beginning, so that
it can ask for less. The work is bounded by the limit and not by the result, which may
be a list that shares its parts and would be written for ever.
"""

from __future__ import annotations

from typing import Final

from aistream_nb.core.json_text import (
    UnencodableError,
    encode_json,
    encode_somehow,
    encode_start,
)
from aistream_nb.core.parts import result_content

__all__ = ["RESULT_LIMIT", "result_json", "result_words"]

RESULT_LIMIT: Final = 2_000_000
"""Characters of a result's JSON text: more than most models can read at all."""


def result_json(value: object, *, longest: int | None) -> str:
    """The JSON text of a result; of one that is too long, JSON that says so.

    Args:
        value: What the tool returned.
        longest: Characters that its text may have; ``None`` writes it all.

    Raises:
        UnencodableError: The value is not JSON, as far as it was written.

    >>> result_json([1, 2], longest=5)
    '[1,2]'
    >>> result_json([1, 2], longest=4).partition(". Ask")[0][:40]
    '{"note":"The result was cut: its JSON te'
    """
    if longest is None:
        return encode_json(value)
    text, is_all = encode_start(value, most=longest)
    return text if is_all else _cut(text, "its JSON text", longest)


def result_words(value: object, *, longest: int | None) -> str:
    """A result as AG-UI tells it: text as it is, all else as its JSON text.

    What has no JSON text is told as Python says it.

    >>> result_words("snow", longest=4), result_words([1], longest=4)
    ('snow', '[1]')
    """
    content = result_content(value)
    if isinstance(content, str):
        return _text(content, longest)
    try:
        return result_json(value, longest=longest)
    except UnencodableError:
        return _text(encode_somehow(value), longest)


def _text(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return _cut(text[:longest], "its text", longest)


def _cut(start: str, what: str, longest: int) -> str:
    note = (
        f"The result was cut: {what} has more than {longest} characters, and these "
        "are the first of them. Ask for less at once. (The limit is max_result_chars.)"
    )
    return encode_json({"note": note, "start": start})
