"""A file that grows line by line while a run goes on.

Each line reaches the operating system before :meth:`Journal.write` returns, so a crash
of the process loses at most the line that was being written. Gzip files are flushed at
each line too and can be read while they grow.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import weakref
import zlib
from pathlib import Path
from typing import Any, Final

from aistream_nb.errors import RecordingError

__all__ = ["Journal", "is_gzip_path", "write_whole"]

_GZIP: Final = 16 + zlib.MAX_WBITS


def is_gzip_path(path: Path) -> bool:
    """Whether a file of this name is compressed."""
    return path.suffix == ".gz"


class Journal:
    """Appends lines to a file; one line, one write.

    Raises:
        RecordingError: The file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path: Path = path
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from error
        self._descriptor: int = descriptor
        # A gzip file may have several members; a reopened one gets one more.
        self._gzip: Any = zlib.compressobj(wbits=_GZIP) if is_gzip_path(path) else None
        self._close: weakref.finalize[[int], Journal] = weakref.finalize(
            self, os.close, descriptor
        )

    def write(self, line: str) -> None:
        """Append one line.

        Raises:
            RecordingError: The file cannot be written, for instance a full disk.
        """
        content = f"{line}\n".encode()
        if self._gzip is not None:
            content = self._gzip.compress(content) + self._gzip.flush(zlib.Z_SYNC_FLUSH)
        self._put(content)

    def close(self) -> None:
        """Finish the file. Closing twice is harmless.

        Raises:
            RecordingError: The last bytes cannot be written.
        """
        if not self._close.alive:
            return
        try:
            if self._gzip is not None:
                self._put(self._gzip.flush(zlib.Z_FINISH))
        finally:
            self._close()

    def _put(self, content: bytes) -> None:
        try:
            while content:
                content = content[os.write(self._descriptor, content) :]
        except OSError as error:
            raise _unwritable(self.path, error) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step: readers see the old one or the new one.

    A link stays a link, and a file keeps its permissions. What is no plain file, such
    as a pipe or ``/dev/null``, cannot be replaced and is written to as it is.

    Raises:
        RecordingError: The file cannot be written.
    """
    content = text.encode()
    if is_gzip_path(path):
        # By hand and not with gzip.compress, whose header holds the time of day.
        packer = zlib.compressobj(wbits=_GZIP)
        content = packer.compress(content) + packer.flush()
    try:
        _put_in_place(path.resolve(), content)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error


def _put_in_place(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(content)
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        if path.is_file():
            shutil.copymode(path, beside)
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):  # the first failure is the one to tell
            beside.unlink()
        raise


def _unwritable(path: Path, error: OSError | ValueError) -> RecordingError:
    reason = getattr(error, "strerror", None) or str(error)
    return RecordingError(f"{path} cannot be written: {reason}", path=str(path))
