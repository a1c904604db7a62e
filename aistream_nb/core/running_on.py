"""What was given up and goes on all the same: a thread cannot be stopped.

Who gives up waiting for one is far from who knows that it is one. So the word travels
as a note on the cancellation, through every time-out that lies between, and whoever
tells of the end asks for it here.
"""

from __future__ import annotations

from typing import Final

__all__ = ["RUNS_ON", "note_running_on", "words_on_running"]

RUNS_ON: Final = (
    "a plain function cannot be stopped: it goes on in its thread, and may yet have "
    "its effect"
)


def note_running_on(stop: BaseException) -> None:
    """Write on a cancellation that what it ends does not end."""
    stop.add_note(RUNS_ON)


def words_on_running(error: BaseException | None) -> str:
    """``; a plain function …`` if the error comes of such a cancellation, else nothing.

    >>> words_on_running(TimeoutError())
    ''
    """
    while error is not None:
        if RUNS_ON in getattr(error, "__notes__", ()):
            return f"; {RUNS_ON}"
        error = error.__cause__ or error.__context__
    return ""
