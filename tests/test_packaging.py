"""What people install: the wheel and the sdist, opened and tried."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUNDLES: tuple[str, ...] = runpy.run_path(str(ROOT / "js" / "hatch_build.py"))[
    "BUNDLES"
]
LEFT_OUT = shutil.ignore_patterns(
    ".git",
    ".venv",
    "node_modules",
    "artefacts",
    ".*_cache",
    "__pycache__",
    ".hypothesis",
)
HEAVY = ("ipywidgets", "anywidget", "httpx", "traitlets", "pydantic", "IPython")


def run(
    command: Sequence[str | Path],
    folder: Path,
    environment: dict[str, str] | None = None,
) -> str:
    """Return what the command prints; show all of it if the command fails."""
    done = subprocess.run(  # noqa: S603  # our own words, no shell
        command,
        cwd=folder,
        env=environment,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel and an sdist of this tree, built as ``pip`` would."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "hatchling", "build", "-d", folder], ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> list[str]:
    (path,) = dist.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def sdist(dist: Path) -> list[str]:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        return ["/".join(name.split("/")[1:]) for name in archive.getnames()]


@pytest.mark.timeout(300)
def test_the_wheel_holds_the_bundles_and_the_types(wheel: list[str]):
    for name in BUNDLES:
        assert f"aistream_nb/widgets/static/{name}" in wheel
    assert "aistream_nb/py.typed" in wheel
    assert any(name.endswith("01_first_agent.ipynb") for name in wheel)
    assert any(name.startswith("aistream_nb/providers/streams/") for name in wheel)


def test_the_wheel_holds_nothing_else(wheel: list[str]):
    rooms = {name.split("/")[0] for name in wheel}

    assert {room.rstrip("0123456789.") for room in rooms} == {
        "aistream_nb",
        "aistream_nb-0.1.0.dist-info".rstrip("0123456789."),
    }
    assert [it for it in wheel if "node_modules" in it or "/tests/" in it] == []


def test_the_sdist_can_build_and_test_itself(sdist: list[str]):
    for name in BUNDLES:
        assert f"aistream_nb/widgets/static/{name}" in sdist
    for name in ("README.md", "LICENSE", "pyproject.toml", "js/build.mjs"):
        assert name in sdist
    assert "js/hatch_build.py" in sdist
    assert "tests/test_packaging.py" in sdist
    assert [it for it in sdist if "node_modules" in it] == []


def test_the_version_is_the_top_of_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    versions = [line for line in changelog.splitlines() if line.startswith("## ")]

    version, _, _ = versions[0].removeprefix("## ").partition(" - ")
    assert version.strip("[]") == project["project"]["version"]


def test_importing_loads_nothing_heavy():
    report = (
        "import sys, aistream_nb, json;"
        f"print(json.dumps([it for it in {HEAVY!r} if it in sys.modules]))"
    )

    assert json.loads(run([sys.executable, "-c", report], ROOT)) == []


def test_a_clone_that_was_never_built_still_imports(tmp_path: Path):
    shutil.copytree(ROOT / "aistream_nb", tmp_path / "aistream_nb", ignore=LEFT_OUT)
    shutil.rmtree(tmp_path / "aistream_nb" / "widgets" / "static", ignore_errors=True)
    code = (
        "from aistream_nb.widgets.transcript import TranscriptWidget\n"
        "from aistream_nb.conversation import Conversation\n"
        "widget = TranscriptWidget(Conversation(), on_action=lambda action: '')\n"
        "print(widget._esm)"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    said = run([sys.executable, "-c", code], tmp_path, environment)

    assert "npm --prefix js ci && npm --prefix js run build" in said


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_bare_clone_installs_where_there_is_no_node(tmp_path: Path):
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=LEFT_OUT)
    shutil.rmtree(clone / "aistream_nb" / "widgets" / "static", ignore_errors=True)
    home = tmp_path / "venv"
    venv.create(home, with_pip=True, symlinks=True)
    python = home / "bin" / "python"
    environment = {**os.environ, "PATH": str(without_node(tmp_path / "bin"))}
    environment.pop("PYTHONPATH", None)

    run([python, "-m", "pip", "install", "--quiet", "."], clone, environment)

    where = (
        "import aistream_nb, pathlib; print(pathlib.Path(aistream_nb.__file__).parent)"
    )
    installed = Path(run([python, "-c", where], tmp_path, environment).strip())
    for name in BUNDLES:
        assert (installed / "widgets" / "static" / name).stat().st_size > 0
    assert installed.is_relative_to(home)


def without_node(folder: Path) -> Path:
    """Return a folder with all programs of the path but Node's."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if (
                program.name not in {"node", "nodejs", "npm", "npx"}
                and not os.path.lexists(link)  # also where it leads nowhere
            ):
                link.symlink_to(program)
    return folder
