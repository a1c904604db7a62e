"""Request bodies, of which each is kept as what it adds to the one before it.

A chat sends the whole talk with every request. Kept whole, the requests of a recording
would grow with the square of its turns. So a body that follows another one shares with
it, member by member, what is the same. In memory that is one object for both, and a
:class:`Grown` list where a list goes on; on a line of a file it is told in words::

    {
        "round": 2,
        "request": {"method": "POST", "url": "…", "body": {"messages": [what is new]}},
        "as_before": {
            "round": 1,
            "body": {"model": true, "tools": true, "messages": 12},
        },
    }

``as_before`` names the round of the request that this one is compared with: the last
one before it whose body is an object. ``true`` is a member that is the same there, a
number says how many items of that list this one begins with; its other items stand in
``body``, and so do members that differ or are new. A member that stands in neither is
not there. A request without ``as_before`` is whole.

Rules that a change must keep:

1. ``rebuilt(before, *difference(before, body))`` is ``body``, whatever the two are;
   only its members may stand in another order.
2. What a file says may be anything: what does not fit is no body, and raises nothing.
3. Equal means the same JSON text: ``1``, ``1.0`` and ``true`` are three values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, TypeGuard, cast

from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "AS_BEFORE",
    "Grown",
    "Items",
    "difference",
    "is_items",
    "is_same",
    "plain_body",
    "plain_items",
    "rebuilt",
    "shared_start",
]

AS_BEFORE: Final = "as_before"
"""The member of a wire's value that tells what is not repeated."""


class Grown:  # noqa: PLW1641 it has no hash, like a list
    """A list that begins as an earlier one does, and holds only what it adds.

    >>> Grown(["a", "b"], 1, ["c"])
    Grown(['a', 'c'])
    """

    __slots__ = ("before", "own", "shared")

    def __init__(self, before: Items, shared: int, own: list[Any]) -> None:
        while isinstance(before, Grown) and shared <= before.shared:
            # Nothing of its own is in here; a chain is never longer than its list.
            before = before.before
        self.before: Items = before
        """The earlier list."""
        self.shared: int = shared
        """How many items of that this one begins with."""
        self.own: list[Any] = own
        """What it adds."""

    def __len__(self) -> int:
        return self.shared + len(self.own)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Grown):
            return self.whole() == other.whole()
        return self.whole() == other

    def __repr__(self) -> str:
        return f"Grown({self.whole()!r})"

    def whole(self) -> list[Any]:
        """A list of all items; the items are not copied."""
        pieces: list[list[Any]] = []
        at: Items = self
        end = len(self)
        # No recursion: a talk of a thousand turns is a chain of as many.
        while isinstance(at, Grown):
            pieces.append(at.own[: max(end - at.shared, 0)])
            end = min(end, at.shared)
            at = at.before
        pieces.append(at[:end])
        return [item for piece in reversed(pieces) for item in piece]


Items: TypeAlias = list[Any] | Grown
"""A list in a body that is kept."""


def is_items(value: object) -> TypeGuard[Items]:
    """Whether a member of a kept body is a list."""
    return isinstance(value, (list, Grown))


def plain_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body with lists where they are shared; the items are not copied.

    >>> plain_body({"messages": Grown(["a"], 1, ["b"])})
    {'messages': ['a', 'b']}
    """
    return {name: _plain(member) for name, member in body.items()}


def plain_items(items: Items) -> list[Any]:
    """The items as a list, which is not to be changed."""
    return items.whole() if isinstance(items, Grown) else items


def _plain(member: Any) -> Any:
    return plain_items(member) if isinstance(member, Grown) else member


def is_same(one: object, other: object) -> bool:
    """Whether two values have the same JSON text, members in the same order.

    What is no plain JSON is never the same as anything but itself.

    >>> is_same([1, {"a": "b"}], [1, {"a": "b"}]), is_same([1], [True])
    (True, False)
    """
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        return _is_same_object(
            cast("dict[Any, Any]", one), cast("dict[Any, Any]", other)
        )
    if kind is list:
        return _is_same_list(cast("list[Any]", one), cast("list[Any]", other))
    if kind is float:
        return repr(one) == repr(other)
    return kind in {str, int} and one == other


def _is_same_list(one: list[Any], other: list[Any]) -> bool:
    if len(one) != len(other):
        return False
    return all(is_same(a, b) for a, b in zip(one, other, strict=True))


def _is_same_object(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    if len(one) != len(other):
        return False
    pairs = zip(one.items(), other.items(), strict=True)
    return all(is_same(a, b) and is_same(v, w) for (a, v), (b, w) in pairs)


def shared_start(one: list[Any], other: list[Any]) -> int:
    """How many items both lists begin with.

    >>> shared_start([1, 2, 3], [1, 2, 4, 5])
    2
    """
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if not is_same(a, b):
            return at
    return min(len(one), len(other))


def difference(
    before: Mapping[str, Any], body: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is as it was before, and what has to be told.

    >>> difference(
    ...     {"model": "m", "messages": ["a"]}, {"model": "m", "messages": ["a", "b"]}
    ... )
    ({'model': True, 'messages': 1}, {'messages': ['b']})
    """
    told: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for name, member in body.items():
        former = before.get(name)
        shared = 0
        if name in before:
            shared = _shared(former, member)
        if shared is not True:
            plain = _plain(member)
            new[name] = plain[shared:] if shared else plain
        if shared:
            told[name] = shared
    return told, new


def _shared(former: Any, member: Any) -> int | bool:
    """How much of a member is as before: all of it, or so many items."""
    if member is former:
        return True
    if not is_items(former) or not is_items(member):
        return is_same(former, member)
    one, other = plain_items(former), plain_items(member)
    shared = shared_start(one, other)
    return True if shared == len(one) == len(other) else shared


def rebuilt(
    before: Mapping[str, Any], told: object, new: object
) -> dict[str, Any] | None:
    """The body of which that was told; ``None`` if it does not fit.

    >>> before = {"model": "m", "messages": ["a"]}
    >>> rebuilt(before, {"model": True, "messages": 1}, {"messages": ["b"]})
    {'model': 'm', 'messages': Grown(['a', 'b'])}
    >>> rebuilt(before, {"messages": 7}, {"messages": []}) is None
    True
    """
    if not is_mapping(told) or not is_mapping(new):
        return None
    if not all(_fits(name, told[name], before, new) for name in told):
        return None
    body = {
        name: _member(name, told, before, new)
        for name in before
        if name in told or name in new
    }
    return body | {name: new[name] for name in new if name not in before}


def _fits(
    name: str, shared: object, before: Mapping[str, Any], new: Mapping[str, Any]
) -> bool:
    former, added = before.get(name), new.get(name)
    if shared is True:
        return name in before and name not in new
    if isinstance(shared, bool) or not isinstance(shared, int):
        return False
    if not is_items(former) or not is_array(added):
        return False
    return 0 < shared <= len(former)


def _member(
    name: str,
    told: Mapping[str, Any],
    before: Mapping[str, Any],
    new: Mapping[str, Any],
) -> Any:
    shared = told.get(name)
    if shared is True:
        return before[name]
    return new[name] if shared is None else Grown(before[name], shared, new[name])
