"""Secrets taken out of a text that comes in pieces.

A model spells a key in as many deltas as it likes, and a network cuts where it cuts.
So the pieces are read as the one text that they are. Of a piece is kept back only what
may be the beginning of a secret; it comes with the next piece, or with
:meth:`RunningRedactor.close` when it was none.

Rules that a change must keep:

1. What is no secret comes out as it went in, and all of it.
2. Of a secret that comes whole, at most its first three characters come out: "sk-"
   tells nobody anything, and to wait at each would keep back half of all words.
3. A piece costs its own length: what is looked at again is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from aistream_nb.core.redaction import (
    KEY_SHAPES,
    KEY_SIGNS,
    NAME,
    REDACTED,
    Redactor,
)

__all__ = ["RunningRedactor"]

_TOLD: Final = 3
"""So many characters of a secret may have come out before it is known for one."""
_CONTEXT: Final = 64
"""So much of what came out is looked at again: the name before a value is in it."""
_LONGEST_KEY: Final = 4096
"""What looks like the beginning of a key for so long is one."""

_OPEN_KEY: Final = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      (?:sk-|xai-|gsk_|AIza|gh[pousr]_|github_pat_|glpat-|hf_|xox[abeoprs]-|AKIA|ASIA)
      [\w-]*
    | (?<![\w-])eyJ[\w-]*(?:\.[\w-]*){0,2}
    )\Z""",
    re.VERBOSE,
)
_KEY_TAIL: Final = re.compile(r"[\w-]*")
_VALUE: Final = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
_MEMBER: Final = re.compile(rf'(?i)"{NAME}"\s*:\s*"')
_QUOTED_VALUE: Final = re.compile(
    r'(?:[^"\\]|\\[^"\\]|\\\\(?:\\\\|\\"|[^"\\]))*', re.DOTALL
)
"""A value in JSON that is itself a text in JSON."""
_QUOTED_MEMBER: Final = re.compile(rf'(?i)\\"{NAME}\\"\s*:\s*\\"')
_MEMBERS: Final = ((_MEMBER, _VALUE), (_QUOTED_MEMBER, _QUOTED_VALUE))
_BACKSLASHES: Final = re.compile(r"\\{1,3}")

Span = tuple[int, int]


def _as_it_is(text: str) -> str:
    return text


class RunningRedactor:
    """Takes secrets out of one text, piece by piece.

    Args:
        redactor: Knows the secrets; what it learns later is known here too.
        spell: How a known secret looks in this text.

    >>> running = RunningRedactor(Redactor(["hunter2!"]))
    >>> [running.receive(piece) for piece in ("say hunt", "er2", "! and hunt")]
    ['say ', '', '[redacted] and ']
    >>> running.close()
    'hunt'
    """

    __slots__ = ("_context", "_held", "_owes", "_redactor", "_spell", "_within")

    def __init__(
        self, redactor: Redactor, *, spell: Callable[[str], str] = _as_it_is
    ) -> None:
        self._redactor = redactor
        self._spell = spell
        self._context = ""
        self._held = ""
        self._within: re.Pattern[str] | None = None
        """What goes on belonging to a secret whose beginning was redacted."""
        self._owes = False
        """Whether that beginning was not told yet, because nothing of it had come."""

    @property
    def held(self) -> str:
        """What is kept back, because it may be the beginning of a secret."""
        return self._held

    def receive(self, piece: str) -> str:
        """The next piece of the text, without secrets."""
        text = self._held + piece
        self._held = ""
        told = ""
        if self._within is not None:
            text, told = self._leave(text, self._within)
        told += self._redacted(text) if text else ""
        self._context = (self._context + told)[-_CONTEXT:]
        return told

    @property
    def pending(self) -> str:
        """What would be told if the text ended here.

        More than half of a secret is a secret, also where the other half never came.
        """
        if self._within is not None or not self._held:
            return ""
        known = [one for one in self._known("") if self._held in one]
        is_told = any(2 * len(self._held) > len(secret) for secret in known)
        return REDACTED if is_told else self._held

    def close(self) -> str:
        """What was kept back; the text has ended."""
        rest = self.pending
        self._held, self._within, self._context = "", None, ""
        return rest

    # ------------------------------------------------------------ inside a secret

    def _leave(self, text: str, within: re.Pattern[str]) -> tuple[str, str]:
        """What follows the secret that we are in, and what is told of it."""
        matched = within.match(text)
        end = matched.end() if matched else 0
        told = REDACTED if self._owes and end else ""
        self._owes = self._owes and not end
        rest = text[end:]
        if within is not _KEY_TAIL and (not rest or _BACKSLASHES.fullmatch(rest)):
            self._held = rest  # a backslash means something only with what follows it
            return "", told
        if rest:
            self._within, self._owes = None, False
        return rest, told

    # ------------------------------------------------------------ outside

    def _redacted(self, text: str) -> str:
        joined, base = self._context + text, len(self._context)
        spans = sorted(self._spans(joined))
        end = self._keep_back(joined, base, spans)
        told: list[str] = []
        at, latest = base, -1
        for first, last in spans:
            if last <= at:
                continue
            if first > latest:
                told += [joined[at:first] if first > at else "", REDACTED]
            at = latest = last
        told.append(joined[at:end] if at < end else "")
        return "".join(told)

    def _spans(self, joined: str) -> Iterator[Span]:
        """Where secrets stand."""
        for secret in self._known(joined):
            at = joined.find(secret)
            while at >= 0:
                yield at, at + len(secret)
                at = joined.find(secret, at + len(secret))
        if any(sign in joined for sign in KEY_SIGNS):
            # What stands before the window is not known, so no key begins with it.
            start = int(len(self._context) == _CONTEXT)
            for found in KEY_SHAPES.finditer(joined, start):
                if found.end() == len(joined):
                    self._within = _KEY_TAIL
                yield found.span()
        if '"' in joined:
            yield from self._values(joined)

    def _values(self, joined: str) -> Iterator[Span]:
        """Where the values of members with secret names stand."""
        for member, value in _MEMBERS:
            for name in member.finditer(joined):
                found = value.match(joined, name.end())
                end = found.end() if found else name.end()
                rest = joined[end:]
                if not rest or _BACKSLASHES.fullmatch(rest):
                    self._within, self._owes = value, end == name.end()
                    self._held = rest
                if end > name.end():
                    yield name.end(), end

    def _keep_back(self, joined: str, base: int, spans: list[Span]) -> int:
        """Where that begins which is kept back; the end where nothing is."""
        if self._within is not None:
            return len(joined) - len(self._held)
        behind = max((last for _, last in spans), default=0)
        starts = [self._begun(secret, joined, behind) for secret in self._known("")]
        if any(sign in joined for sign in KEY_SIGNS):
            found = _OPEN_KEY.search(joined, behind)
            starts.append(found.start() if found else len(joined))
        start = max(base, min(starts, default=len(joined)))
        if len(joined) - start > _LONGEST_KEY:
            spans.append((start, len(joined)))
            self._within = _KEY_TAIL
            return len(joined)
        self._held = joined[start:]
        return start

    def _begun(self, secret: str, joined: str, behind: int) -> int:
        """Where a secret begins that the text may go on with."""
        sign = secret[: _TOLD + 1]
        at = joined.find(sign, max(behind, len(joined) - len(secret) + 1))
        while at >= 0:
            if secret.startswith(joined[at:]):
                return at
            at = joined.find(sign, at + 1)
        return len(joined)

    def _known(self, joined: str) -> Iterator[str]:
        for secret in self._redactor.known:
            spelt = self._spell(secret)
            if not joined or spelt in joined:
                yield spelt
