"""What a docstring says of a function and of each parameter.

Google, NumPy and Sphinx forms are read; a text of no known form is all description.
The description ends where the first section begins, because a model is served by
what a tool does and not by how it is tested. Nothing here fails: a docstring is
prose, and prose may be odd.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

__all__ = ["DocumentedFunction", "read_docstring"]

_PARAMETER_SECTIONS: Final = frozenset(
    {
        "args",
        "arguments",
        "keyword args",
        "keyword arguments",
        "other parameters",
        "parameters",
        "params",
    }
)
_OTHER_SECTIONS: Final = frozenset(
    {
        "attributes",
        "example",
        "examples",
        "note",
        "notes",
        "raises",
        "references",
        "return",
        "returns",
        "see also",
        "todo",
        "warning",
        "warnings",
        "warns",
        "yield",
        "yields",
    }
)
_GOOGLE_ENTRY: Final = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_NUMPY_ENTRY: Final = re.compile(r"\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?$")
_SPHINX_FIELD: Final = re.compile(r"[:@](\w+)(?:\s+([^:]*?))?:\s*(.*)")
_SPHINX_PARAMETERS: Final = frozenset({"param", "parameter", "arg", "argument", "key"})
_SPHINX_OTHERS: Final = frozenset(
    {"type", "return", "returns", "rtype", "raise", "raises", "yield", "yields"}
)


@dataclass(frozen=True, slots=True)
class DocumentedFunction:
    """A docstring, taken apart."""

    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict[str, str])


def read_docstring(text: str | None) -> DocumentedFunction:
    """The description and the parameters' descriptions in ``text``.

    >>> read_docstring('''Delete one file.
    ...
    ... Args:
    ...     path: Where it lies.
    ... ''')
    DocumentedFunction(description='Delete one file.',
                       parameters={'path': 'Where it lies.'})
    """
    lines = inspect.cleandoc(text or "").splitlines()
    start = next(
        (at for at in range(len(lines)) if _section_at(lines, at) is not None),
        len(lines),
    )
    found: dict[str, str] = {}
    for name, words in _parameters(lines, start):
        found.setdefault(name, words)
    return DocumentedFunction("\n".join(lines[:start]).strip(), found)


def _section_at(lines: Sequence[str], at: int) -> str | None:
    """The form of the section that begins in this line, if one does."""
    line = lines[at]
    if line[:1].isspace():
        return None
    sphinx = _SPHINX_FIELD.match(line)
    if sphinx and sphinx[1] in _SPHINX_PARAMETERS | _SPHINX_OTHERS:
        return "sphinx"
    title = line.strip().removesuffix(":").lower()
    if title not in _PARAMETER_SECTIONS | _OTHER_SECTIONS:
        return None
    if line.rstrip().endswith(":"):
        return "google"
    underline = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return "numpy" if underline and not underline.strip("-=") else None


def _parameters(lines: Sequence[str], start: int) -> Iterator[tuple[str, str]]:
    at = start
    while at < len(lines):
        form = _section_at(lines, at)
        end = at + 1
        while end < len(lines) and _section_at(lines, end) is None:
            end += 1
        body = lines[at + 1 : end]
        if form == "sphinx":
            yield from _sphinx_parameter(lines[at], body)
        elif _is_parameter_section(lines[at]):
            yield from _google(body) if form == "google" else _numpy(body[1:])
        at = end


def _is_parameter_section(line: str) -> bool:
    return line.strip().removesuffix(":").lower() in _PARAMETER_SECTIONS


def _sphinx_parameter(line: str, more: Sequence[str]) -> Iterator[tuple[str, str]]:
    match = _SPHINX_FIELD.match(line)
    if match and match[1] in _SPHINX_PARAMETERS and match[2]:
        # ":param str path:" names a type before the parameter.
        yield match[2].split()[-1].lstrip("*"), _joined([match[3], *more])


def _google(body: Sequence[str]) -> Iterator[tuple[str, str]]:
    margin = min((_indent(line) for line in body if line.strip()), default=0)
    for head, more in _entries(body, margin):
        match = _GOOGLE_ENTRY.match(head)
        if match:
            yield match[1], _joined([match[2], *more])


def _numpy(body: Sequence[str]) -> Iterator[tuple[str, str]]:
    for head, more in _entries(body, 0):
        match = _NUMPY_ENTRY.match(head)
        if match:
            for name in match[1].split(","):
                yield name.strip(), _joined(more)


def _entries(body: Sequence[str], margin: int) -> Iterator[tuple[str, list[str]]]:
    """Each line at the margin, with the deeper lines that follow it."""
    head: str | None = None
    more: list[str] = []
    for line in body:
        if line.strip() and _indent(line) <= margin:
            if head is not None:
                yield head, more
            head, more = line.strip(), []
        else:
            more.append(line)
    if head is not None:
        yield head, more


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())
