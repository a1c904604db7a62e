"""A bundle is found, or says how it is made."""

from __future__ import annotations

from pathlib import Path

from aistream_nb.widgets.bundles import find_asset, find_bundle


def test_a_built_bundle_is_named_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "x.js").write_text("code")
    assert find_bundle("x", folder=tmp_path).css == ""
    (tmp_path / "x.css").write_text("style")
    found = find_bundle("x", folder=tmp_path)
    assert (found.esm, found.css) == (tmp_path / "x.js", tmp_path / "x.css")


def test_a_missing_bundle_is_a_page_that_says_what_to_run(tmp_path: Path) -> None:
    found = find_bundle("transcript", folder=tmp_path)
    assert "npm --prefix js run build" in str(found.esm)
    assert "(transcript) is not built" in str(found.esm)


def test_a_second_bundle_is_text_or_nothing(tmp_path: Path) -> None:
    assert find_asset("math", folder=tmp_path) is None
    (tmp_path / "math.js").write_text("code")
    assert find_asset("math", folder=tmp_path) == "code"
