"""What the README says is true: its names exist, its commands are the real ones."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import aistream_nb as ai
from aistream_nb.cli.entry import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMAND = (
    "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/poe check"
)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_python_is_python_with_names_that_exist(block: str):
    tree = compile(
        block, "README.md", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )
    named = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "ai"
    }

    assert [name for name in named if not hasattr(ai, name)] == []


def test_the_test_command_is_what_ci_runs():
    assert COMMAND in README
    assert COMMAND in (ROOT / ".ci" / "run").read_text("utf-8")


def test_every_command_that_is_named_exists():
    named = set(re.findall(r"aistream-nb ([a-z]+)", README))

    assert named
    assert named <= set(COMMANDS)


def test_every_path_that_is_named_exists():
    named = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)

    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_changelog_s_top_version_is_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version = re.search(r"^## (\S+)", changelog, re.MULTILINE)

    assert version is not None
    assert version[1] == ai.__version__
