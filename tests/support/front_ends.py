"""Front ends other than JupyterLab, on loopback: Notebook 7, Voila and marimo.

They live in one environment of their own, since what they need differs from what we
need. It is made once and kept in pytest's cache; its name holds what is in it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from importlib.metadata import requires
from pathlib import Path
from typing import Final

from chromium import ROOT
from live_kernel import tell_about_us

NEEDED: Final = (
    "notebook==7.6.5",
    "voila==0.5.13",
    "marimo==0.25.2",
    "ipykernel==7.4.0",
)
TOKEN: Final = "only-for-this-test"  # noqa: S105  # a server on loopback that lives for minutes
PATIENCE: Final = 60.0
_INSTALL_SECONDS: Final = 400
_FOLDERS: Final = (
    "HOME",
    "IPYTHONDIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
)


def front_end_python(cache: Path) -> Path:
    """Return a Python that has the three front ends and what we need."""
    ours = [line for line in requires("aistream-nb") or [] if "extra ==" not in line]
    wanted = "\n".join((sys.version, *NEEDED, *sorted(ours)))
    place = cache / f"three-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        _run(sys.executable, "-m", "venv", "--without-pip", str(place))
        # Our own pip does the work: one in the environment would be one more to make.
        pip = (sys.executable, "-m", "pip", "--python", str(python), "install")
        _run(*pip, "--quiet", *NEEDED, *ours)
        tell_about_us(place)
        (place / "complete").touch()
    return python


def _run(*command: str) -> None:
    done = subprocess.run(  # noqa: S603 # our own interpreter and a fixed list
        command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
    )
    told = "\n".join(done.stderr.strip().splitlines()[-5:])
    assert done.returncode == 0, f"{' '.join(command)} failed:\n{told}"


Command = Callable[[Path, int], list[str]]


def _notebook(document: Path, port: int) -> list[str]:
    return [
        *("-m", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={TOKEN}", f"--notebook-dir={document.parent}"),
        "--JupyterNotebookApp.expose_app_in_browser=True",
    ]


def _voila(document: Path, port: int) -> list[str]:
    return [
        *("-m", "voila", str(document), "--no-browser"),
        *(f"--port={port}", "--Voila.ip=127.0.0.1", "--Voila.port_retries=0"),
    ]


def _marimo(document: Path, port: int) -> list[str]:
    return [
        *("-m", "marimo", "-q", "run", str(document), "--headless", "--no-token"),
        *("--host", "127.0.0.1", "--port", str(port)),
    ]


COMMANDS: Final[Mapping[str, Command]] = {
    "notebook": _notebook,
    "voila": _voila,
    "marimo": _marimo,
}
PATHS: Final[Mapping[str, str]] = {
    "notebook": f"/notebooks/{{name}}?token={TOKEN}",
    "voila": "/",
    "marimo": "/",
}


@contextmanager
def serving(python: Path, name: str, document: Path) -> Generator[str, None, None]:
    """Serve a document with a front end; give the address of its page."""
    port = _free_port()
    home = document.parent.parent / f"home-{name}"
    log = home.with_suffix(".log")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    environment["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    for variable in _FOLDERS:
        environment[variable] = str(home / variable.lower())
        (home / variable.lower()).mkdir(parents=True)
    with log.open("wb") as told:
        process = subprocess.Popen(  # noqa: S603  # our own words, no shell
            [str(python), *COMMANDS[name](document, port)],
            env=environment,
            cwd=document.parent,
            stdout=told,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, log)
        yield address + PATHS[name].format(name=document.name)
    finally:
        process.terminate()
        process.wait(20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if _answers(address):
            return
        time.sleep(0.1)
    told = log.read_text(encoding="utf-8")
    raise AssertionError(f"The server did not start:\n{told[-4000:]}")


def _answers(address: str) -> bool:
    # Voila runs its notebook for each request of a page: knock without asking for one.
    host, port = address.removeprefix("http://").split(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except OSError:
        return False
