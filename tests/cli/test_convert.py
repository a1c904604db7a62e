from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from aistream_nb.cli import main
from aistream_nb.recording import Recording

KEPT = Path(__file__).parents[1] / "golden" / "openai" / "denied.jsonl"
NAMES = ["a.jsonl", "a.jsonl.gz", "a.sse", "a.json"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_says_the_format_and_the_file_can_be_read_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / name

    assert main(["convert", str(KEPT), str(out)]) == 0
    assert Recording.load(out).events == Recording.load(KEPT).events
    assert "events written as" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "inside"),
    [("a.md", "## You"), ("a.html", "<!doctype html>"), ("a.ipynb", '"nbformat": 4')],
)
def test_people_get_pages(name: str, inside: str, tmp_path: Path):
    out = tmp_path / name

    assert main(["convert", str(KEPT), str(out)]) == 0
    assert inside in out.read_text("utf-8")


@pytest.mark.parametrize("form", ["openai", "anthropic", "reference"])
def test_machines_get_json(form: str, capsys: pytest.CaptureFixture[str]):
    assert main(["convert", str(KEPT), "-", "--to", form]) == 0
    assert json.loads(capsys.readouterr().out)


def test_deltas_can_be_joined_and_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    torn = KEPT.read_bytes() + b'{"t":99,"e'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(torn)))

    assert main(["convert", "-", "-", "--to", "json", "--compact"]) == 0
    told = capsys.readouterr()
    assert len(json.loads(told.out)) < len(Recording.load(KEPT))
    assert "torn by a crash" in told.err


def test_a_file_that_is_there_is_replaced_only_where_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    own = tmp_path / "a.jsonl"
    own.write_bytes(KEPT.read_bytes())

    assert main(["convert", str(own), str(own), "--compact"]) == 2
    assert "--force replaces it" in capsys.readouterr().err
    assert own.read_bytes() == KEPT.read_bytes()
    assert main(["convert", str(own), str(own), "--compact", "--force"]) == 0
    assert len(Recording.load(own)) < len(Recording.load(KEPT))


def test_a_name_that_says_nothing_is_an_error(capsys: pytest.CaptureFixture[str]):
    assert main(["convert", str(KEPT), "out.bin"]) == 2
    assert "--to" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["out.md", "-"])
def test_a_summary_is_for_machines(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = target if target == "-" else str(tmp_path / target)

    words = ["convert", str(KEPT), out, "--to", "markdown", "--format", "json"]
    assert main(words) == 0

    told = capsys.readouterr()
    assert json.loads(told.err if target == "-" else told.out) == {
        "file": out,
        "format": "markdown",
        "events": len(Recording.load(KEPT)),
        "notices": [],
    }
