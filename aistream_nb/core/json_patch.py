"""JSON Patch (RFC 6902) as AG-UI's state and activities need it.

Three promises. All operations of a patch apply, or none does. The document that is
handed in is never modified; the new one shares the parts that no operation touched.
Whatever is wrong, with the patch or with the document, is a :class:`PatchError`.

Where the RFC leaves room, or AG-UI's own reducer differs (AG-UI, section 10), this
is what counts: ``remove`` of the whole document gives null, an array index may have
leading zeros, ``-`` is only a target of ``add``, ``move`` and ``copy``, ``test``
tells ``1`` from ``true``, and no path leads through ``__proto__``. A value may not be
moved into itself, which the RFC forbids and AG-UI's reducer forgets to refuse.

Forty ``copy`` operations, each of all that is there, make of one list a document of 2
to the power of forty. That costs nothing here, where parts are shared, and ends whoever
writes it down. So a patch that copies must leave a document of at most
:data:`MOST_COPIED` characters; one that copies next to nothing is not measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, TypeAlias

from aistream_nb.core.values import is_array, is_mapping

__all__ = [
    "MOST_COPIED",
    "PATCH_OPERATIONS",
    "PatchError",
    "apply_patch",
    "parse_pointer",
]

MOST_COPIED: Final = 10 * 1024 * 1024
"""About as many characters of JSON may be in a document that a patch makes by copying:
as many as a server can send in one frame. What is not copied may be of any length."""

PATCH_OPERATIONS: Final = frozenset(
    {"add", "remove", "replace", "move", "copy", "test"}
)
"""The operations that RFC 6902 knows."""

_Container: TypeAlias = dict[str, Any] | list[Any]

_POINTER: Final = re.compile(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL)
_LONGEST_INDEX: Final = 15
"""Digits; more are out of the range of every array, and slow to read."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_LITTLE: Final = 1_000
"""A patch that copies no more is no faster way to a large document than to send it."""


class PatchError(ValueError):
    """A patch does not apply, or is none; the document stays as it was."""

    def __init__(self, message: str, *, operation: int | None = None) -> None:
        super().__init__(message)
        self.operation: int | None = operation
        """Which operation failed, counted from 0; ``None`` if the patch as a whole."""


def apply_patch(document: object, patch: object) -> Any:
    """The document that the patch makes of ``document``, which stays as it is.

    Raises:
        PatchError: An operation does not apply, or the patch is not a list of
            operations. Nothing was changed.

    >>> apply_patch(
    ...     {"n": 1, "tags": ["a"]}, [{"op": "add", "path": "/tags/-", "value": "b"}]
    ... )
    {'n': 1, 'tags': ['a', 'b']}
    """
    if not is_array(patch):
        raise PatchError("a JSON Patch is a list of operations; send a list")
    draft = _Draft(document)
    for number, operation in enumerate(patch):
        try:
            _apply(draft, operation)
        except PatchError as fault:
            raise PatchError(
                f"operation {number} does not apply: {fault}", operation=number
            ) from None
        except RecursionError:
            raise PatchError(
                f"operation {number} compares values that are nested too deeply",
                operation=number,
            ) from None
    draft.check_copies()
    return draft.document


def parse_pointer(text: object) -> tuple[str, ...]:
    """The members that a JSON Pointer (RFC 6901) names, outermost first.

    Raises:
        PatchError: The text is not a pointer.

    >>> parse_pointer("/a~1b/0")
    ('a/b', '0')
    """
    if not isinstance(text, str) or not _POINTER.fullmatch(text):
        raise PatchError(
            "a path is not a JSON Pointer; it is empty or starts with '/', and '~' "
            "is followed by 0 or 1"
        )
    return tuple(
        key.replace("~1", "/").replace("~0", "~") for key in text.split("/")[1:]
    )


class _Draft:
    """A document in the making: containers are copied when first written to."""

    def __init__(self, document: object) -> None:
        self.document: Any = document
        # Containers that belong to this draft alone, by identity; the values keep
        # them alive, so that no id is given out again.
        self._own: dict[int, _Container] = {}
        self._copied = 0

    def find(self, path: tuple[str, ...]) -> Any:
        value = self.document
        for key in path:
            value = _member(value, key)
        return value

    def writable(self, path: tuple[str, ...]) -> _Container:
        """The container at ``path``, now safe to modify, and all above it."""
        current = self.document = self._owned(self.document)
        for key in path:
            child = self._owned(_member(current, key))
            _put(current, key, child)
            current = child
        return current

    def share(self, value: object) -> None:
        """Say that a part is about to stand in two places: own nothing any more."""
        self._own.clear()
        if self._copied <= _LITTLE:
            self._copied += _length(value)

    def check_copies(self) -> None:
        """Refuse a document that has become too long by copying."""
        if self._copied > _LITTLE and _length(self.document) > MOST_COPIED:
            raise PatchError(
                f"its copies make a document of more than {MOST_COPIED} characters; "
                "send the values themselves"
            )

    def _owned(self, value: object) -> _Container:
        if id(value) in self._own:
            return self._own[id(value)]
        if is_mapping(value):
            copied: _Container = dict(value)
        elif is_array(value):
            copied = list(value)
        else:
            raise PatchError(
                f"the path leads into {_kind(value)}, which has no members"
            )
        self._own[id(copied)] = copied
        return copied


def _apply(draft: _Draft, operation: object) -> None:
    if not is_mapping(operation):
        raise PatchError(f"it is {_kind(operation)}, not an object")
    name = operation.get("op")
    apply = _APPLY.get(name) if isinstance(name, str) else None
    if apply is None:
        known = ", ".join(sorted(PATCH_OPERATIONS))
        raise PatchError(f"its 'op' is not one of {known}")
    apply(draft, operation)


def _add(draft: _Draft, operation: Mapping[str, Any]) -> None:
    _insert(draft, _path(operation, "path"), _value(operation))


def _remove(draft: _Draft, operation: Mapping[str, Any]) -> None:
    _take(draft, _path(operation, "path"))


def _replace(draft: _Draft, operation: Mapping[str, Any]) -> None:
    path, value = _path(operation, "path"), _value(operation)
    if not path:
        draft.document = value
        return
    draft.find(path)  # what is not there cannot be replaced
    _put(draft.writable(path[:-1]), path[-1], value)


def _move(draft: _Draft, operation: Mapping[str, Any]) -> None:
    source, target = _path(operation, "from"), _path(operation, "path")
    if len(source) < len(target) and target[: len(source)] == source:
        raise PatchError("a value cannot be moved into itself")
    value = draft.find(source)
    if source == target:
        return
    _take(draft, source)
    _insert(draft, target, value)


def _copy(draft: _Draft, operation: Mapping[str, Any]) -> None:
    value = draft.find(_path(operation, "from"))
    draft.share(value)
    _insert(draft, _path(operation, "path"), value)


def _test(draft: _Draft, operation: Mapping[str, Any]) -> None:
    found, wanted = draft.find(_path(operation, "path")), _value(operation)
    if not _equal(found, wanted):
        raise PatchError("the value there is not the value that 'test' names")


_APPLY: Final = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _insert(draft: _Draft, path: tuple[str, ...], value: object) -> None:
    if not path:
        draft.document = value
        return
    container, key = draft.writable(path[:-1]), path[-1]
    if isinstance(container, dict):
        container[key] = value
        return
    index = len(container) if key == "-" else _index(key)
    if index > len(container):
        _beyond(index, len(container))
    container.insert(index, value)


def _take(draft: _Draft, path: tuple[str, ...]) -> None:
    if not path:
        draft.document = None
        return
    draft.find(path)
    container, key = draft.writable(path[:-1]), path[-1]
    if isinstance(container, dict):
        del container[key]
    else:
        del container[_index(key)]


def _put(container: _Container, key: str, value: object) -> None:
    """Set a member that is known to be there."""
    if isinstance(container, dict):
        container[key] = value
    else:
        container[_index(key)] = value


def _member(container: object, key: str) -> Any:
    if is_mapping(container):
        if key not in container:
            raise PatchError(f"there is no member {key!r}")
        return container[key]
    if not is_array(container):
        raise PatchError(
            f"the path leads into {_kind(container)}, which has no members"
        )
    index = _index(key)
    if index >= len(container):
        _beyond(index, len(container))
    return container[index]


def _index(key: str) -> int:
    if not (key.isascii() and key.isdigit()):
        raise PatchError(f"{key!r} is not an index of an array")
    return int(key) if len(key) <= _LONGEST_INDEX else 10**_LONGEST_INDEX


def _beyond(index: int, length: int) -> NoReturn:
    raise PatchError(f"index {index} is beyond the {length} items of the array")


def _path(operation: Mapping[str, Any], field: str) -> tuple[str, ...]:
    path = parse_pointer(operation.get(field))
    for before, key in zip(("", *path), path, strict=False):
        if key == "__proto__" or (before, key) == ("constructor", "prototype"):
            raise PatchError("no path may lead through a JavaScript prototype")
    return path


def _value(operation: Mapping[str, Any]) -> Any:
    if "value" not in operation:
        raise PatchError(f"{operation.get('op')!r} needs a 'value'")
    return operation["value"]


def _equal(left: object, right: object) -> bool:
    """Deep equality of JSON values: ``1`` is ``1.0`` and is not ``true``."""
    if is_mapping(left) and is_mapping(right):
        return left.keys() == right.keys() and all(
            _equal(left[key], right[key]) for key in left
        )
    if is_array(left) and is_array(right):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right


def _length(value: object) -> int:
    """About how long a value is as JSON.

    What stands in many places is looked at once, so this costs what there is in memory
    and not what would be written. A value that holds itself has some length too.
    """
    lengths: dict[int, int] = {}

    def length(member: object) -> int:
        text = len(member) if isinstance(member, str) else 0
        return lengths.get(id(member), text + 1)

    todo: list[tuple[object, Sequence[object] | None]] = [(value, None)]
    while todo:
        one, looked_at = todo.pop()
        if looked_at is not None:
            lengths[id(one)] = 1 + sum(map(length, looked_at))
        elif id(one) not in lengths and (members := _members(one)):
            lengths[id(one)] = 0
            todo.append((one, members))
            todo += [(m, None) for m in members if type(m) not in _SCALARS]
    return length(value)


def _members(value: object) -> Sequence[object]:
    """What a container holds: items, or keys and values."""
    if is_mapping(value):
        return [*value, *value.values()]
    return value if is_array(value) else ()


def _kind(value: object) -> str:
    """What JSON calls a value that is no object; never the value itself."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if is_array(value):
        return "an array"
    return "a string" if isinstance(value, str) else "a number"
