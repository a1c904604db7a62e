"""A number with its word: one place for the plural of what is counted.

Everything that is said to a person about an amount goes through here, so that nothing
reads "1 calls". The browser has the same in ``js/src/view/words.ts``.
"""

from __future__ import annotations

__all__ = ["counted"]


def counted(amount: int, one: str, many: str = "") -> str:
    """The amount and its word, in the number that fits.

    >>> counted(1, "call"), counted(0, "call"), counted(1200, "reply", "replies")
    ('1 call', '0 calls', '1,200 replies')
    """
    return f"{amount:,} {one if amount == 1 else many or f'{one}s'}"
