"""Real AG-UI servers from PyPI, each in its own environment, with models on a script.

The environments are made once, side by side, and kept in pytest's cache; their names
hold what is in them. Without a registry these tests fail: they prove something about
programs that nobody here wrote, and a skip would prove nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

import aistream_nb

SERVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "pydantic_ai": ("pydantic-ai-slim[ag-ui]==2.68.0", "uvicorn"),
    "strands": ("ag-ui-strands==1.0.2", "uvicorn"),
    "agent_framework": ("agent-framework-ag-ui==1.7.0", "uvicorn"),
    "langgraph": (
        "ag-ui-langgraph==0.0.47",
        "langgraph",
        "langchain-core",
        "fastapi",
        "uvicorn",
    ),
}
"""What each server needs. None of it is in our own environment: their SDKs differ."""

collect_ignore = ["servers"]
"""Programs of other environments; nothing here can import them."""

_HERE: Final = Path(__file__).parent
_INSTALL_SECONDS: Final = 240


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in Path(item.path).parents:
            item.add_marker(pytest.mark.interop)
            item.add_marker(pytest.mark.timeout(_INSTALL_SECONDS + 30))


@dataclass(frozen=True)
class Environment:
    """Where a framework is installed."""

    python: Path


@pytest.fixture(scope="session")
def environments(request: pytest.FixtureRequest) -> Mapping[str, Environment]:
    """The environments of all servers, by their names."""
    home = Path(request.config.cache.mkdir("interop"))
    with ThreadPoolExecutor() as threads:
        made = threads.map(lambda name: _environment(home, name), SERVERS)
        return dict(zip(SERVERS, made, strict=True))


def _environment(home: Path, name: str) -> Environment:
    wanted = "\n".join((sys.version, *SERVERS[name]))
    place = home / f"{name}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"
    python = place / "bin" / "python"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        # Our own pip does the work: one in each environment costs more than the rest.
        _run(sys.executable, "-m", "venv", "--without-pip", str(place))
        pip = (sys.executable, "-m", "pip", "--python", str(python), "install")
        options = ("--quiet", "--no-compile", "--disable-pip-version-check")
        _run(*pip, *options, *SERVERS[name])
        (place / "complete").touch()
    return Environment(python)


def _run(*command: str) -> None:
    done = subprocess.run(  # noqa: S603 # our own interpreter and a fixed list
        command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
    )
    if done.returncode:
        told = done.stderr.strip().splitlines()[-5:]
        pytest.fail(f"{' '.join(command)} failed:\n" + "\n".join(told))


@pytest.fixture
def run_script(environments: Mapping[str, Environment]) -> Callable[..., str]:
    """Runs a script in the environment of a framework, with our package beside it."""
    ours = [str(Path(aistream_nb.__file__).parents[1]), sysconfig.get_path("purelib")]

    def run(name: str, script: str, *words: str) -> str:
        done = subprocess.run(  # noqa: S603 # a script that lies beside this file
            [str(environments[name].python), str(_HERE / "servers" / script), *words],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(ours)},
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


@pytest.fixture(scope="session")
def servers(
    environments: Mapping[str, Environment], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, str]]:
    """The addresses of all servers, by their names."""
    logs = tmp_path_factory.mktemp("interop")
    running = {
        name: _start(environment, name, logs / f"{name}.log")
        for name, environment in environments.items()
    }
    try:
        yield {
            name: f"http://127.0.0.1:{_port(process, logs / f'{name}.log')}"
            for name, process in running.items()
        }
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.wait(timeout=10)
            if process.stdout is not None:
                process.stdout.close()


def _start(environment: Environment, name: str, log: Path) -> subprocess.Popen[str]:
    script = _HERE / "servers" / f"{name}_server.py"
    with log.open("w") as told:
        return subprocess.Popen(  # noqa: S603 # a script that lies beside this file
            [str(environment.python), str(script)],
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
        )


def _port(process: subprocess.Popen[str], log: Path) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith("PORT "):
        pytest.fail(f"the server did not start:\n{log.read_text()[-2000:]}")
    return line.split()[1]
