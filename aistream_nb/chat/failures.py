"""What a chat is told of a run that failed: a code, and words that are safe to keep.

Messages of our own hold no key, header or payload. What a stranger's error says may
hold all of these, so only its kind is told; the traceback, which nobody records, says
the rest.
"""

from __future__ import annotations

from aistream_nb.errors import AIStreamError

__all__ = ["failure_code", "failure_words"]


def failure_words(error: Exception) -> str:
    """What is told of the failure.

    >>> failure_words(AIStreamError("no key")), failure_words(ValueError("sk-12"))[:30]
    ('no key', 'The run failed with ValueError')
    """
    if isinstance(error, AIStreamError):
        return str(error)
    return f"The run failed with {type(error).__name__}; the traceback says more."


def failure_code(error: Exception) -> str:
    """The code of RUN_ERROR: the error's kind, or the status that a server gave.

    >>> failure_code(ValueError())
    'ValueError'
    """
    status = getattr(error, "status_code", None)
    return type(error).__name__ if status is None else f"http_{status}"
