"""Names that this package does not have, answered with those that it has."""

from __future__ import annotations

from typing import Final, NoReturn

__all__ = ["absent"]

_NAMES: Final = "to_markdown, to_html, to_notebook, to_openai and to_anthropic"


def absent(name: str) -> NoReturn:
    """Say what there is instead of ``name``.

    Raises:
        AttributeError: Always.
    """
    raise AttributeError(f"aistream_nb.export has no {name!r}; there are {_NAMES}.")
