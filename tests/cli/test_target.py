from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from aistream_nb.cli.target import add_force, check_target
from aistream_nb.errors import AIStreamError


def test_what_is_there_is_replaced_only_where_that_is_said(tmp_path: Path):
    there = tmp_path / "it"
    check_target(there, force=False)
    there.touch()

    with pytest.raises(AIStreamError, match="--force replaces it"):
        check_target(there, force=False)
    check_target(there, force=True)


def test_the_option_is_off_until_it_is_given():
    parser = argparse.ArgumentParser()
    add_force(parser)

    assert [parser.parse_args(given).force for given in ([], ["--force"])] == [
        False,
        True,
    ]
