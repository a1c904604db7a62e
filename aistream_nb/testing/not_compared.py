"""What a replay cannot tell of a recording: to keep silent would look like a yes."""

from __future__ import annotations

from collections.abc import Iterator

from aistream_nb.recording import Recording

__all__ = ["not_compared"]


def not_compared(recording: Recording) -> tuple[str, ...]:
    """What is missing from the recording, and so from every comparison with it.

    >>> not_compared(Recording.of([{"type": "RUN_STARTED"}]))[0]
    'it is cut off after event 1 (RUN_STARTED): only what came before is compared'
    """
    return tuple(_sentences(recording))


def _sentences(recording: Recording) -> Iterator[str]:
    yield from recording.notices
    if recording.ending.startswith("cut off"):
        yield f"it is {recording.ending}: only what came before is compared"
    rounds = recording.rounds
    if not rounds:
        yield "it holds events only: nothing was run, and no requests were compared"
    elif not any(one.request for one in rounds):
        yield "it holds no requests: what is asked was not compared"
