"""Runs npm with the Node that the build uses: the system's, or the one in a wheel.

python js/npm.py ci
python js/npm.py run check
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hatch_build import find_programs

JS = Path(__file__).parent


def main() -> int:
    """Run npm in this folder; the answer is its exit code."""
    node, npm = find_programs()
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # The wire script asks Python for the schema: let it be this one.
    environment = {**os.environ, "PATH": path, "PYTHON": sys.executable}
    environment.setdefault("NODE_USE_SYSTEM_CA", "1")
    command = [*npm, *sys.argv[1:]]
    return subprocess.run(command, cwd=JS, env=environment, check=False).returncode  # noqa: S603 # npm, no shell


if __name__ == "__main__":
    sys.exit(main())
