"""The everyday names, as a snapshot: a change of the API is a diff of this file."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import aistream_nb as ai

PACKAGE = Path(ai.__file__).parent

NAMES = [
    "OFFLINE_BOOKING_PROMPT",
    "OFFLINE_PROMPT",
    "AGUIAgent",
    "AIStreamError",
    "ApprovalGate",
    "Chat",
    "Conversation",
    "Deny",
    "GateRequest",
    "Inspector",
    "MessageModel",
    "OrderingReport",
    "OrderingVerifier",
    "Player",
    "Proceed",
    "Recording",
    "Reply",
    "Rule",
    "Run",
    "StreamProcessor",
    "Tool",
    "ToolCallModel",
    "ToolInvocationTracker",
    "Violation",
    "agui",
    "check_ordering",
    "execute_client_tool_turn",
    "export",
    "show",
    "tool",
]


def test_the_everyday_names_are_these():
    assert ai.__all__ == NAMES
    assert dir(ai) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_found_and_explains_itself(name: str):
    assert getattr(ai, name).__doc__


@pytest.mark.parametrize("room", ["agui", "export"])
def test_a_room_is_found_by_its_name(room: str):
    assert ai.__getattr__(room) is import_module(f"aistream_nb.{room}")


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Chatt'"):
        _ = ai.Chatt


def test_type_checkers_see_the_names_that_are_imported_when_used():
    tree = ast.parse(Path(ai.__file__).read_text("utf-8"))
    seen = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("aistr")
        for alias in node.names
    }

    assert set(NAMES) <= seen


@pytest.mark.parametrize(
    "module",
    sorted(
        ".".join(("aistream_nb", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in PACKAGE.rglob("*.py")
        if path.stem != "__init__" and "static" not in path.parts
    ),
)
def test_what_a_module_exports_is_there_and_sorted(module: str):
    loaded = import_module(module)
    exported = list(getattr(loaded, "__all__", ()))

    assert [name for name in exported if not hasattr(loaded, name)] == []
    assert exported == sorted(exported, key=lambda name: (not name.isupper(), name))


def test_importing_the_package_loads_nothing_heavy():
    heavy = (
        *("anywidget", "httpx", "ipywidgets", "IPython", "jsonschema", "pydantic"),
        "importlib.metadata",
    )
    loaded = subprocess.run(
        [sys.executable, "-c", "import aistream_nb, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert [name for name in heavy if name in loaded] == []


def test_the_version_is_what_is_installed():
    assert ai.__version__ == version("aistream-nb")
