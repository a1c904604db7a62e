"""The house rules that a machine can keep: where tests are, how long files are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "aistream_nb"
LONGEST = 400
MODULES = sorted(PACKAGE.rglob("*.py"))
OURS = sorted(
    path
    for folder in ("aistream_nb", "tests", "bench", "js")
    for path in (ROOT / folder).rglob("*.py")
    if "node_modules" not in path.parts and "kits" not in path.parts
)
# A word of this list says nothing about the thing that it names.
EMPTY_WORDS = re.compile(
    r"(^|_)(manager|handler|util|utils|helper|helpers)(_|$)", re.IGNORECASE
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_no_file_is_too_long(path: Path):
    lines = path.read_text(encoding="utf-8").count("\n")

    assert lines <= LONGEST, f"{lines} lines: cut it where it has two subjects"


@pytest.mark.parametrize(
    "module",
    [path for path in MODULES if path.name not in {"__init__.py", "__main__.py"}],
    ids=name_of,
)
def test_every_module_has_its_test_file(module: Path):
    """`a_b_c.py` is tested by `test_a_b_c*.py`, or in its family by `test_a_b.py`."""
    room = module.relative_to(PACKAGE).parent
    words = module.stem.strip("_").split("_")
    families = ["_".join(words[:count]) for count in range(1, len(words))]
    folder = ROOT / "tests" / room

    found = [
        *folder.glob(f"test_{'_'.join(words)}*.py"),
        *(path for it in families if (path := folder / f"test_{it}.py").exists()),
    ]

    assert found, f"tests/{(room / f'test_{module.stem}.py').as_posix()} is missing"


@pytest.mark.parametrize(
    "init", [path for path in MODULES if path.name == "__init__.py"], ids=name_of
)
def test_an_init_only_imports(init: Path):
    if init.parent == PACKAGE:
        return  # the front door also loads names lazily; test_public_api looks at it

    body = ast.parse(init.read_text(encoding="utf-8")).body

    allowed = (ast.Import, ast.ImportFrom)
    rest = [it for it in body if not isinstance(it, allowed) and not _is_quiet(it)]
    assert rest == [], f"line {rest[0].lineno} does more than import"


def _is_quiet(statement: ast.stmt) -> bool:
    """A docstring, ``__all__``, or imports for the type checker."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.If):
        return isinstance(statement.test, ast.Name)
    return isinstance(statement, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "__all__"
        for target in statement.targets
    )


# A parameter whose name is part of another library's signature.
BORROWED = {("listeners", "handler")}


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.arg():
                yield node.lineno, node.arg
            case _:
                pass


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_name_is_empty_of_meaning(module: Path):
    tree = ast.parse(module.read_text(encoding="utf-8"))

    empty = [
        f"line {line}: {name}"
        for line, name in names_in(tree)
        if EMPTY_WORDS.search(snake(name)) and (module.stem, name) not in BORROWED
    ]

    assert empty == []
    assert not EMPTY_WORDS.search(module.stem)


@pytest.mark.parametrize(
    "path", [it for it in OURS if it != Path(__file__)], ids=name_of
)
def test_nothing_is_left_for_later(path: Path):
    text = path.read_text(encoding="utf-8")

    assert re.findall(r"#.*\b(TODO|FIXME|XXX)\b", text) == []
