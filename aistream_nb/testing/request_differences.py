"""How today's requests differ from the recorded ones, with round and path.

A recording holds the body of each request: what the model, or the server, was really
asked. So a changed prompt, a changed schema of a tool, and a continuation that today's
code puts together in another way are seen even where the answers stay the same.

Rules that a change must keep:

1. Bodies are compared and nothing else: no key, no header, no address.
2. What was redacted when it was recorded is equal to whatever stands there now, and
   is never shown.
3. Every request holds the whole thread. What differs is told once, where it first
   does, and not again with each request behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aistream_nb.core.redaction import REDACTED
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.recording import Recording
from aistream_nb.recording.difference import renamed
from aistream_nb.testing.words import parting, short, words

__all__ = ["Request", "request_differences", "sent_requests"]

_MOST: Final = 12
"""Differences that are told of one request; a longer list is not read."""
_TALK: Final = frozenset(
    {
        "contents",
        "input",
        "instructions",
        "messages",
        "model",
        "system",
        "systemInstruction",
        "tools",
    }
)
"""The members of a body that hold the talk; the others are parameters."""
_NOTHING: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, and how it is called."""

    title: str
    body: Mapping[str, Any] | None
    """``None`` where the recording does not hold it."""


def sent_requests(recording: Recording) -> list[Request]:
    """The requests that were made, in order, with ids as they come in numbers."""
    attempts: Counter[object] = Counter()
    ids: dict[str, str] = {}
    found: list[Request] = []
    for entry in recording.entries:
        request = None if entry.wire is None else entry.wire.get("request")
        if entry.wire is None or not is_mapping(request):
            continue
        number = entry.wire.get("round")
        attempts[str(number)] += 1
        again = attempts[str(number)]
        title = f"round {number}" + (f", attempt {again}" if again > 1 else "")
        body = request.get("body")
        told = renamed(body, ids) if is_mapping(body) and body else None
        found.append(Request(title=title, body=told))
    return found


def request_differences(
    before: Recording,
    now: Recording,
    *,
    parameters: bool,
    known: Collection[tuple[str, str]] = (),
) -> list[str]:
    """Each difference as a sentence, with what was and what is.

    Args:
        before: The recording.
        now: What happened today.
        parameters: Whether all of a body is compared, or only the talk in it.
        known: Pairs of texts that are told of elsewhere, such as a result that
            changed: where one became the other, that is no further difference.

    >>> def asked(system: str) -> Recording:
    ...     recording = Recording(clock=lambda: 0.0)
    ...     recording.append_wire(1, request={"body": {"system": system}})
    ...     return recording
    >>> print(*request_differences(asked("Hi"), asked("Ho"), parameters=True))
    round 1, system differs
      was: 'Hi'
      now: 'Ho'
    """
    old, new = sent_requests(before), sent_requests(now)
    told: set[str] = set()
    sentences: list[str] = []
    for was, is_now in zip(old, new, strict=False):
        found = [
            one.text
            for one in _members(was.body, is_now.body, parameters=parameters)
            if not one.is_known(known)
        ]
        fresh = [text for text in found if text not in told]
        told.update(fresh)
        sentences += _sentences(was.title, fresh)
    if before.ending.startswith("cut off"):
        return sentences
    gone, more = old[len(new) :], new[len(old) :]
    sentences += [f"{one.title}: it was asked, and now it is not" for one in gone]
    sentences += [f"{one.title}: it is asked now, and was not" for one in more]
    return sentences


def _sentences(title: str, found: Sequence[str]) -> list[str]:
    said = [f"{title}, {text}" for text in found[:_MOST]]
    rest = len(found) - _MOST
    return [*said, f"{title}: and {rest} more"] if rest > 0 else said


@dataclass(frozen=True, slots=True, kw_only=True)
class _Difference:
    """One place where two bodies part."""

    path: str
    was: Any = _NOTHING
    now: Any = _NOTHING

    @property
    def text(self) -> str:
        if self.now is _NOTHING:
            return f"{self.path} is not sent any more\n  was: {short(words(self.was))}"
        if self.was is _NOTHING:
            return f"{self.path} is new\n  now: {short(words(self.now))}"
        if REDACTED in words(self.was):
            return f"{self.path} differs; it held a secret and is not shown"
        if isinstance(self.was, str) and isinstance(self.now, str):
            return f"{self.path} differs\n{parting(self.was, self.now)}"
        was, now = short(words(self.was)), short(words(self.now))
        return f"{self.path} differs\n  was: {was}\n  now: {now}"

    def is_known(self, known: Iterable[tuple[str, str]]) -> bool:
        was, now = self.was, self.now
        if not isinstance(was, str) or not isinstance(now, str):
            return False
        return any(one and was.replace(one, other) == now for one, other in known)


def _members(
    was: Mapping[str, Any] | None, now: Mapping[str, Any] | None, *, parameters: bool
) -> Iterator[_Difference]:
    if was is None or now is None:
        return
    for name in dict.fromkeys([*was, *now]):
        if parameters or name in _TALK:
            yield from _parts(was.get(name, _NOTHING), now.get(name, _NOTHING), name)


def _parts(was: Any, now: Any, path: str) -> Iterator[_Difference]:
    if is_mapping(was) and is_mapping(now):
        for name in dict.fromkeys([*was, *now]):
            inner = f"{path}.{name}"
            yield from _parts(was.get(name, _NOTHING), now.get(name, _NOTHING), inner)
    elif is_array(was) and is_array(now):
        yield from _items(was, now, path)
    elif not _same(was, now):
        yield _Difference(path=path, was=was, now=now)


def _items(was: Sequence[Any], now: Sequence[Any], path: str) -> Iterator[_Difference]:
    old, new = _by_name(was), _by_name(now)
    if old is not None and new is not None:
        for name in dict.fromkeys([*old, *new]):
            one, other = old.get(name, _NOTHING), new.get(name, _NOTHING)
            yield from _parts(one, other, f"{path}[{name}]")
        if list(old) != list(new) and sorted(old) == sorted(new):
            yield _Difference(path=f"the order of {path}", was=[*old], now=[*new])
        return
    first = _alike(was, now)
    last = _alike(was[first:][::-1], now[first:][::-1])
    old_rest, new_rest = was[first : len(was) - last], now[first : len(now) - last]
    for at in range(max(len(old_rest), len(new_rest))):
        one = old_rest[at] if at < len(old_rest) else _NOTHING
        other = new_rest[at] if at < len(new_rest) else _NOTHING
        yield from _parts(one, other, f"{path}[{first + at}]")


def _alike(was: Sequence[Any], now: Sequence[Any]) -> int:
    """How many items at the start are the same."""
    pairs = zip(was, now, strict=False)
    parted = (at for at, pair in enumerate(pairs) if not _alike_in_all(*pair))
    return next(parted, min(len(was), len(now)))


def _alike_in_all(was: Any, now: Any) -> bool:
    """Whether nothing differs; it costs one look at each place, however deep."""
    if is_mapping(was) and is_mapping(now):
        return was.keys() == now.keys() and all(
            _alike_in_all(member, now[name]) for name, member in was.items()
        )
    if is_array(was) and is_array(now):
        pairs = zip(was, now, strict=False)
        return len(was) == len(now) and all(_alike_in_all(*pair) for pair in pairs)
    return _same(was, now)


def _by_name(items: Sequence[Any]) -> dict[str, Any] | None:
    """Items that have names, such as tools, by these; ``None`` if some have none."""
    named: dict[str, Any] = {}
    for item in items:
        inner = item.get("function", item) if is_mapping(item) else None
        name = inner.get("name") if is_mapping(inner) else None
        if not isinstance(name, str) or name in named:
            return None
        named[name] = item
    return named


def _same(was: Any, now: Any) -> bool:
    if was is _NOTHING or now is _NOTHING:
        return False
    if isinstance(was, str) and isinstance(now, str):
        return was == now or _fits(was, now) or _fits(now, was)
    # In Python 1 is True; on the wire they are two.
    return isinstance(was, bool) == isinstance(now, bool) and was == now


def _fits(redacted: str, text: str) -> bool:
    """Whether a text is the one of which only the secrets are not known."""
    head, *rest = redacted.split(REDACTED)
    if not rest or not text.startswith(head):
        return False
    at = len(head)
    *between, tail = rest
    for piece in between:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(text) - at >= len(tail) and text.endswith(tail)
