"""Recordings out of bytes, whatever wrote them.

Read are: our own lines, the reference's ``{"version": "1.0", "chunks": […]}``, dumps of
server-sent events, answers in AG-UI's binary form, JSON arrays and JSON lines of AG-UI
events; each gzipped too.
A dump whose frames are no AG-UI events becomes the wire of one round, so that it can be
run through the provider's translator.

Rules that a change must keep:

1. Every format that a release wrote stays readable.
2. Bad input is a :class:`~aistream_nb.errors.RecordingError` with path and line, and
   nothing else. Unknown members and kinds are kept.
3. A last line that was torn by a crash is dropped with a notice, never an error.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aistream_nb.core.json_text import parse_json
from aistream_nb.core.values import Event, is_array, is_mapping
from aistream_nb.core.wire.frame_readers import frames_of_body, is_binary
from aistream_nb.core.wire.sse import SSEDecoder
from aistream_nb.errors import RecordingError
from aistream_nb.recording.entries import FORMAT, KIND, Entry

__all__ = ["Loaded", "bytes_of", "read_recording"]

_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = 16 + zlib.MAX_WBITS
_SSE_FIELDS: Final = (b"data", b"event", b"id", b"retry", b":")
_STEP: Final = 0.03
"""Seconds between events where a format tells no times."""


@dataclass(slots=True)
class Loaded:
    """What a file held."""

    header: dict[str, Any] = field(default_factory=dict[str, Any])
    entries: list[Entry] = field(default_factory=list[Entry])
    notices: list[str] = field(default_factory=list[str])


def bytes_of(path: Path) -> bytes:
    """What is in a file.

    Raises:
        RecordingError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RecordingError(
            f"{path} cannot be read: {reason}", path=str(path)
        ) from error


def read_recording(content: bytes, *, path: str) -> Loaded:
    """What ``content`` holds, in any format that we know.

    Raises:
        RecordingError: It is no recording, a newer one, or broken before its end.
    """
    notices: list[str] = []
    if content.startswith(_GZIP_MAGIC):
        content = _unzipped(content, path, notices)
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content.strip():
        raise RecordingError(f"{path} is empty", path=path)
    loaded = _read(content, path)
    loaded.notices[:0] = notices
    return loaded


def _unzipped(content: bytes, path: str, notices: list[str]) -> bytes:
    """Everything that can be unpacked, also of a file that breaks off."""
    pieces: list[bytes] = []
    while content:
        unpacker = zlib.decompressobj(wbits=_GZIP)
        try:
            pieces.append(unpacker.decompress(content))
        except zlib.error as error:
            if pieces:
                notices.append("the compressed file is damaged at its end")
                break
            raise RecordingError(
                f"{path} is no gzip file: {error}", path=path
            ) from None
        if not unpacker.eof:
            notices.append("the compressed file breaks off")
            break
        content = unpacker.unused_data
    return b"".join(pieces)


def _read(content: bytes, path: str) -> Loaded:
    if is_binary(content) and (events := _events_in_frames(content)):
        return _events(events, path)
    first = content.lstrip().partition(b"\n")[0].strip()
    head = _json_or_none(first)
    if is_mapping(head) and (head.get("kind") == KIND or "t" in head):
        return _own_lines(content, path)
    if head is None or is_array(head) or len(first) == len(content.strip()):
        whole = head if len(first) == len(content.strip()) else _json_or_none(content)
        if is_array(whole):
            return _events(whole, path)
        if is_mapping(whole):
            return _document(whole, path)
        if first.startswith(_SSE_FIELDS):
            return _server_sent(content)
    if is_mapping(head):
        return _event_lines(content, path)
    raise RecordingError(
        f"{path} is no recording: neither JSON, JSON lines nor server-sent events",
        path=path,
        line=1,
    )


def _json_or_none(content: bytes) -> Any:
    try:
        return parse_json(content.decode("utf-8"))
    except ValueError:
        return None


def _lines(
    content: bytes, path: str, notices: list[str]
) -> Iterable[tuple[int, dict[str, Any]]]:
    """The number and the object of each line that is not blank."""
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value: object = parse_json(line.decode("utf-8"))
        except ValueError as error:
            # Only a line without its end can have been torn.
            if number == len(lines):
                notices.append(f"line {number} was torn by a crash and is left out")
                return
            raise RecordingError(
                f"{path}, line {number}: not JSON ({type(error).__name__})",
                path=path,
                line=number,
            ) from None
        if not is_mapping(value):
            raise RecordingError(
                f"{path}, line {number}: an object was due, but it is a "
                f"{type(value).__name__!r}",
                path=path,
                line=number,
            )
        yield number, dict(value)


def _own_lines(content: bytes, path: str) -> Loaded:
    loaded = Loaded()
    latest = 0.0
    for number, line in _lines(content, path, loaded.notices):
        if line.get("kind") == KIND:
            _check_format(line, path, number)
            del line["kind"], line["format"]
            loaded.header.update(line)
            continue
        entry = _entry(line, path, number)
        latest = max(latest, entry.t)
        if entry.kind == "header" and is_mapping(entry.value):
            loaded.header.update(entry.value)
        else:
            loaded.entries.append(Entry(latest, entry.kind, entry.value))
    return loaded


def _check_format(line: Mapping[str, Any], path: str, number: int) -> None:
    version = line.get("format")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise RecordingError(
            f"{path}, line {number}: the header names no format; "
            f'"format": {FORMAT} was due',
            path=path,
            line=number,
        )
    if version > FORMAT:
        raise RecordingError(
            f"{path} is of format {version}, and this version reads up to {FORMAT}: "
            "upgrade aistream_nb to read it",
            path=path,
            line=number,
        )


def _entry(line: dict[str, Any], path: str, number: int) -> Entry:
    time = line.pop("t", None)
    if not _is_time(time):
        raise RecordingError(
            f'{path}, line {number}: "t" must be a number of seconds',
            path=path,
            line=number,
        )
    kind = next((one for one in ("event", "wire", "header") if one in line), None)
    kind = kind or next(iter(line), None)
    if kind is None:
        raise RecordingError(
            f"{path}, line {number}: there is a time but nothing that happened",
            path=path,
            line=number,
        )
    value = line[kind]
    if kind in {"event", "wire"} and not is_mapping(value):
        raise RecordingError(
            f"{path}, line {number}: {kind!r} must be an object", path=path, line=number
        )
    return Entry(float(time), kind, value)


def _is_time(time: Any) -> bool:
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        return False
    try:
        return math.isfinite(time) and time >= 0
    except OverflowError:
        return False


def _document(whole: Mapping[str, Any], path: str) -> Loaded:
    """A file that is one object: the reference's recording, or a single event."""
    chunks = whole.get("chunks")
    if not is_array(chunks):
        if "type" in whole:
            return _events([whole], path)
        raise RecordingError(
            f"{path} is one object, but neither a recording nor an event", path=path
        )
    events: list[Any] = []
    times: list[Any] = []
    for at, chunk in enumerate(chunks):
        if not is_mapping(chunk) or not is_mapping(chunk.get("chunk")):
            raise RecordingError(f"{path}: chunk {at} holds no event", path=path)
        events.append(chunk["chunk"])
        times.append(chunk.get("timestamp"))
    loaded = _events(events, path, times)
    for name in ("provider", "model"):
        if isinstance(whole.get(name), str):
            loaded.header[name] = whole[name]
    return loaded


def _event_lines(content: bytes, path: str) -> Loaded:
    notices: list[str] = []
    events = [line for _, line in _lines(content, path, notices)]
    loaded = _events(events, path)
    loaded.notices.extend(notices)
    return loaded


def _events(
    events: Sequence[Any], path: str, times: Sequence[Any] | None = None
) -> Loaded:
    for at, event in enumerate(events):
        if not is_mapping(event):
            raise RecordingError(f"{path}: event {at} is no object", path=path)
    stamps = times if times is not None else [one.get("timestamp") for one in events]
    known = all(_is_time(stamp) for stamp in stamps)
    loaded = Loaded(header={} if known else {"times": "assumed"})
    latest = 0.0
    for at, event in enumerate(events):
        if known:
            # Milliseconds of the day, as the protocol has them.
            latest = max(latest, round((stamps[at] - stamps[0]) / 1000, 6))
        else:
            latest = round(at * _STEP, 6)
        loaded.entries.append(Entry(latest, "event", event))
    return loaded


def _server_sent(content: bytes) -> Loaded:
    decoder = SSEDecoder()
    frames = [*decoder.receive(content), *decoder.close()]
    payloads = [
        _json_or_none(frame.data.encode("utf-8", "replace")) for frame in frames
    ]
    events = [one for one in payloads if _is_agui(one)]
    if events:
        return _events(events, "the dump")
    text = content.decode("utf-8", "replace")
    wire = {"round": 1, "text": text}
    notice = "no AG-UI events: kept as the wire of one provider round"
    return Loaded(entries=[Entry(0.0, "wire", wire)], notices=[notice])


def _events_in_frames(content: bytes) -> list[Event]:
    frames = frames_of_body(content).receive(content)
    return [frame.event for frame in frames if frame.event is not None]


def _is_agui(payload: object) -> bool:
    kind = payload.get("type") if is_mapping(payload) else None
    # Providers write their types in lower case, AG-UI in upper case.
    return isinstance(kind, str) and kind.isupper()
