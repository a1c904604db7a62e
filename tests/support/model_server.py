"""A model server that nobody here wrote, from npm, as a process on loopback.

It is installed once, exactly as its lock file says, into a folder of pytest's cache.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
FILES: Final = ROOT / "tests/interop/model_server"
KEY: Final = "key-of-the-test-server"
_LISTENING: Final = re.compile(r"listening on (http://\S+)")


@dataclass(frozen=True)
class ModelServer:
    """Where the server listens."""

    url: str

    def requests(self) -> list[Mapping[str, Any]]:
        """What the server says that it was asked, oldest first."""
        headers = {"Authorization": f"Bearer {KEY}"}
        asked = urllib.request.Request(f"{self.url}/__aimock/journal", headers=headers)  # noqa: S310 the scheme is the server's own
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310 as above
            return json.load(answer)


def install(folder: Path) -> Path:
    """The server's program, installed if it is not there yet."""
    lock = (FILES / "package-lock.json").read_bytes()
    home = folder / hashlib.sha256(lock).hexdigest()[:12]
    program = home / "node_modules/@copilotkit/aimock/dist/cli.js"
    if not (home / "whole").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(FILES / name, home)
        node, npm = _node()
        path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        command = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        environment = {**os.environ, "PATH": path}
        subprocess.run(command, cwd=home, env=environment, check=True, timeout=100)  # noqa: S603 our own command
        (home / "whole").touch()
    return program


@contextmanager
def running(program: Path) -> Generator[ModelServer]:
    """The server, until the block ends."""
    node, _ = _node()
    options = ["--port", "0", "--strict", "--validate-on-load", "--chunk-size", "7"]
    script = str(FILES / "conversation.json")
    with subprocess.Popen(  # noqa: S603 our own command
        [str(node), str(program), *options, "--fixtures", script],
        env={**os.environ, "AIMOCK_API_KEYS": KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield ModelServer(_address(process))
        finally:
            process.terminate()


def _address(process: subprocess.Popen[str]) -> str:
    """Where it says that it listens.

    Raises:
        RuntimeError: It ended instead.
    """
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        found = _LISTENING.search(line)
        if found:
            return found[1]
    raise RuntimeError(f"The model server did not start:\n{said}")


def _node() -> tuple[Path, list[str]]:
    """The Node that also builds the browser half, and its npm."""
    place = ROOT / "js/hatch_build.py"
    spec = importlib.util.spec_from_file_location("hatch_build_of_js", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.find_programs()
