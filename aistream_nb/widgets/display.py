"""Show something in the output of the cell that runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.display import display

__all__ = ["show"]


def show(bundle: Mapping[str, Any]) -> None:
    """Display a bundle of forms; the front end takes the richest that it knows."""
    display(dict(bundle), raw=True)
