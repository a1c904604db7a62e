"""Open JupyterLab on the first notebook, with the embedded offline agent.

The notebooks are copied into a folder of yours first, so that you can change and
keep them. A notebook that is already there is never overwritten.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from aistream_nb.errors import AIStreamError

__all__ = ["add_arguments", "copy_notebooks", "run"]

FIRST: Final = "01_first_agent.ipynb"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the notebooks go, and whether a browser opens."""
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path("aistream-notebooks"),
        help="where your copies of the notebooks go (default: %(default)s)",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, open nothing"
    )
    parser.add_argument(
        "--port", type=int, default=None, help="the port to listen on (default: 8888)"
    )


def run(options: argparse.Namespace) -> int:
    """Copy what is missing, then hand the terminal to JupyterLab."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise AIStreamError(
            "JupyterLab is not installed. Run: pip install 'aistream-nb[lab]'. "
            "Without a browser, 'aistream-nb demo' shows the same agent here."
        )
    copy_notebooks(_source(), options.folder)
    command = [sys.executable, "-m", "jupyterlab", str(options.folder / FIRST)]
    if options.no_browser:
        command.append("--no-browser")
    if options.port is not None:
        command.append(f"--port={options.port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # Jupyter refuses to run as root unless it is told to, as in a container.
        command.append("--allow-root")
    return subprocess.run(command, check=False).returncode  # noqa: S603 # our own interpreter


def copy_notebooks(source: Path, target: Path) -> tuple[Path, ...]:
    """The notebooks that were copied: those that ``target`` did not have."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        missing = [
            notebook
            for notebook in sorted(source.glob("*.ipynb"))
            if not (target / notebook.name).exists()
        ]
        return tuple(
            Path(shutil.copyfile(notebook, target / notebook.name))
            for notebook in missing
        )
    except OSError as error:
        raise AIStreamError(
            f"Cannot write the notebooks to {str(target)!r} ({error.strerror}). "
            "Name another folder: aistream-nb lab FOLDER"
        ) from error


def _source() -> Path:
    """The notebooks: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    shipped = package / "notebooks"
    return shipped if shipped.is_dir() else package.parent / "notebooks"
