"""JSON values from text that is still arriving.

Two readers over one engine (:mod:`aistream_nb.core.partial_json.grammar`), because
two specifications want two things of text that breaks off:

- :class:`PartialJSONParser` and :func:`parse_partial_json`: the stream processor's
  preview (section 10 there). It always says something, also of garbage.
- :class:`ArgumentsParser` and :func:`read_partial_arguments`: what a tool's argument
  reader may rely on (tracker, section 7). It also says which fields are final, takes
  back nothing that was final, and gives up on garbage.

Rules that a change must keep: the value after any pieces equals the value of their
joined text; a whole stream costs as much as its length, also when the value is read
after every piece; nothing here raises, whatever the text.

Strictness is not judged twice: ``complete`` comes from the engine, which reads strict
JSON only. A finished call's arguments are for
:func:`~aistream_nb.core.json_text.parse_json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from aistream_nb.core.json_text import JS_WHITESPACE
from aistream_nb.core.partial_json.grammar import GrammarReader
from aistream_nb.core.partial_json.lenient import LenientReader
from aistream_nb.core.partial_json.tokens import NUMBER, Number, read_number
from aistream_nb.core.values import ABSENT, Absent, JSONValue, copy_json

__all__ = [
    "ArgumentsParser",
    "FieldState",
    "PartialArguments",
    "PartialJSONParser",
    "parse_partial_json",
    "read_partial_arguments",
]

FieldState: TypeAlias = Literal["partial", "complete"]

_BLANKS: Final = frozenset(JS_WHITESPACE)
_CONTAINERS: Final = frozenset({dict, list})
_CLOSER: Final = re.compile(r"[\]}]")


def _number_before_e(token: str) -> Number | Absent:
    """The preview's reading of a cut number: itself, or what stands before its e."""
    value = read_number(token)
    if value is not ABSENT or "e" not in token:
        return value
    return read_number(token[: token.rindex("e")])


def _digits_so_far(token: str) -> Number | Absent:
    """The argument reader's: the longest number that the token begins with."""
    match = NUMBER.match(token)
    return read_number(match[0]) if match else ABSENT


def parse_partial_json(text: str) -> JSONValue | Absent:
    """The value of JSON text that may break off anywhere, or be garbage.

    Text that is strict JSON, or may become it, is read by the grammar; other text by
    the reference's lenient rules. ``ABSENT`` if no value can be made out.

    >>> parse_partial_json('{"city": "Os')
    {'city': 'Os'}
    >>> parse_partial_json("  ")
    ABSENT
    """
    parser = PartialJSONParser()
    parser.receive(text)
    return parser.value


class PartialJSONParser:
    """:func:`parse_partial_json` for text that arrives in pieces.

    Text is read when the value is asked for, from where the last reading stopped.

    >>> parser = PartialJSONParser()
    >>> parser.receive('{"tags": ["a", "b')
    >>> parser.value
    {'tags': ['a', 'b']}
    >>> parser.receive('c"], "n": 1')
    >>> parser.value
    {'tags': ['a', 'bc'], 'n': 1}
    """

    __slots__ = ("_begun", "_pieces", "_ragged", "_reader", "_taken", "_trailing")

    def __init__(self) -> None:
        self._pieces: list[str] = []  # all of them: the lenient reader begins anew
        self._taken = 0  # how many of them were read
        self._trailing: list[str] = []  # white space that may prove to be in a string
        self._begun = False
        self._ragged = True  # the text's ends need a look
        self._reader: GrammarReader | LenientReader = GrammarReader(
            unfinished=_number_before_e
        )

    def receive(self, delta: str) -> None:
        """Take the next piece; nothing is read yet."""
        self._pieces.append(delta)

    @property
    def value(self) -> JSONValue | Absent:
        """The value so far, as a live view.

        The parser goes on writing into the lists and objects that it hands out, and
        they must not be changed. To keep a value, take a :meth:`snapshot`.
        """
        pieces, taken = self._pieces, self._taken
        count = len(pieces)
        if count > taken:
            self._taken = count
            new = pieces[taken] if count == taken + 1 else "".join(pieces[taken:])
            if self._ragged or (new and new[-1] in _BLANKS):
                new = self._trim(new)
            if new and self._reader.receive(new):
                self._begin_anew()
        root = self._reader.root
        return root[0] if root else ABSENT

    def snapshot(self) -> JSONValue | Absent:
        """A copy of the value so far, which nobody changes later."""
        return copy_json(self.value)

    def _begin_anew(self) -> None:
        """Strict JSON it cannot be any more: read it as the reference does."""
        self._reader = LenientReader()
        self._reader.receive("".join(self._pieces).strip(JS_WHITESPACE))

    def _trim(self, text: str) -> str:
        """The text that is not at the ends, as far as one can know by now."""
        body = text.rstrip(JS_WHITESPACE)
        if not body:
            self._trailing.append(text)
            self._ragged = True
            return ""
        blanks = text[len(body) :]
        if not self._begun:
            self._begun = True
            body = body.lstrip(JS_WHITESPACE)
        elif self._trailing:
            body = "".join((*self._trailing, body))
        self._trailing = [blanks] if blanks else []
        self._ragged = bool(blanks)
        return body


@dataclass(frozen=True, slots=True)
class PartialArguments:
    """What can be said of a tool call's arguments at one moment."""

    value: JSONValue | Absent
    """``ABSENT`` if the text gives no value: it is a bare scalar, or broken."""
    state: FieldState
    path: tuple[str, ...]
    """The keys from the root to the innermost value that may still grow."""
    fields: Mapping[tuple[str, ...], FieldState] = field(
        default_factory=dict[tuple[str, ...], FieldState]
    )


def read_partial_arguments(
    text: str, paths: Iterable[Sequence[str | int]] = ()
) -> PartialArguments:
    """The value, the state and the partial path of a tool call's arguments.

    ``paths`` names the fields whose states are wanted too.

    >>> read_partial_arguments('{"city": "Os', [["city"]]).fields
    {('city',): 'partial'}
    """
    parser = ArgumentsParser()
    parser.receive(text)
    return PartialArguments(
        value=parser.value if parser.readable else ABSENT,
        state=parser.state,
        path=parser.path,
        fields={
            tuple(str(step) for step in path): parser.field_state(path)
            for path in paths
        },
    )


class ArgumentsParser:
    """A tool call's arguments while they arrive.

    >>> parser = ArgumentsParser()
    >>> parser.receive('{"to": {"name": "Bo", "n": 1')
    >>> parser.value, parser.path
    ({'to': {'name': 'Bo', 'n': 1}}, ('to', 'n'))
    >>> parser.field_state(["to", "name"]), parser.state
    ('complete', 'partial')
    """

    __slots__ = ("_lost", "_pending", "_reader", "_started")

    def __init__(self) -> None:
        self._pending: list[str] = []
        self._reader = GrammarReader(unfinished=_digits_so_far)
        self._started = False
        self._lost = False

    def receive(self, delta: str) -> None:
        """Take the next piece; nothing is read yet."""
        self._pending.append(delta)

    @property
    def value(self) -> JSONValue:
        """The value so far, as a live view; ``{}`` as long as there is none.

        The parser goes on writing into the lists and objects that it hands out, and
        they must not be changed. To keep a value, take a :meth:`snapshot`.
        """
        root = self._advanced().root
        return root[0] if root and type(root[0]) in _CONTAINERS else {}

    def snapshot(self) -> JSONValue:
        """A copy of the value so far, which nobody changes later."""
        return copy_json(self.value)

    @property
    def complete(self) -> bool:
        """Whether the whole text so far is strict JSON, of whatever kind."""
        return self._advanced().complete

    @property
    def readable(self) -> bool:
        """Whether the text so far, by itself, gives a value.

        Bare scalars do not, nor does text that goes on after it broke. The value
        before that stays.
        """
        root = self._advanced().root
        if self._lost or not self._started:
            return not self._lost
        return bool(root) and type(root[0]) in _CONTAINERS

    @property
    def state(self) -> FieldState:
        """The state of the whole."""
        return "complete" if self.complete else "partial"

    @property
    def path(self) -> tuple[str, ...]:
        """The keys from the root to the innermost value that may still grow."""
        return self._advanced().path

    def get(self, path: Sequence[str | int]) -> JSONValue | Absent:
        """The value at ``path``, as a live view; ``ABSENT`` if there is none."""
        value: JSONValue | Absent = self.value
        for step in path:
            value = _child(value, step)
        return value

    def field_state(self, path: Sequence[str | int]) -> FieldState:
        """Whether the value at ``path`` can still change.

        A path below a scalar shares the scalar's fate; a field that is not there can
        still come, until the whole text is complete.
        """
        if self.complete:
            return "complete"
        value: JSONValue | Absent = self.value
        depth = 0
        for step in path:
            child = _child(value, step)
            if child is ABSENT:
                break
            value = child
            depth += 1
        if depth < len(path) and isinstance(value, (dict, list)):
            return "partial"
        reached = tuple(str(step) for step in path[:depth])
        return "partial" if self.path[:depth] == reached else "complete"

    def _advanced(self) -> GrammarReader:
        if self._pending:
            text = "".join(self._pending)
            self._pending.clear()
            self._started = self._started or bool(text)
            unread = self._reader.receive(text)
            if unread and self._reader.fault == "broken":
                self._lost = self._lost or _CLOSER.search(unread) is not None
        return self._reader


def _child(value: JSONValue | Absent, step: str | int) -> JSONValue | Absent:
    if isinstance(value, dict):
        return value.get(str(step), ABSENT)
    index = str(step)
    if isinstance(value, list) and index.isdecimal() and int(index) < len(value):
        return value[int(index)]
    return ABSENT
