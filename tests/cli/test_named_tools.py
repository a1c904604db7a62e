from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aistream_nb.cli.named_tools import current_folder_first, named_tools
from aistream_nb.errors import AIStreamError


def test_a_module_in_the_current_folder_is_found_and_the_path_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "named_here.py").write_text("def book():\n    'Book.'\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)

    with current_folder_first():
        (tool,) = named_tools(["named_here:book"])

    assert tool.__doc__ == "Book."
    assert sys.path == before


def test_who_finds_nothing_says_where_it_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)

    with current_folder_first(), pytest.raises(AIStreamError) as failed:
        named_tools(["named_nowhere:book"])
    assert f"looked for in {tmp_path}" in str(failed.value)
