from __future__ import annotations

import asyncio
import io
import os
from pathlib import Path

import pytest

from aistream_nb.cli.prompt import read_line


def standard_input(monkeypatch: pytest.MonkeyPatch, descriptor: int) -> io.TextIOBase:
    stream = os.fdopen(descriptor, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stream)
    return stream


@pytest.mark.skipif(os.name != "posix", reason="a loop of Unix")
async def test_a_line_is_read_when_it_is_typed_and_the_loop_is_free_until_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    theirs, ours = os.pipe()
    with standard_input(monkeypatch, theirs):
        asked = asyncio.ensure_future(read_line("Well? "))  # noqa: TID251 looked at below
        await asyncio.sleep(0)
        assert not asked.done()
        os.write(ours, "jå\n".encode())
        os.close(ours)

        assert await asked == "jå"
        with pytest.raises(EOFError):
            await read_line("And? ")
    assert capsys.readouterr().out == "Well? And? "


@pytest.mark.skipif(os.name != "posix", reason="a loop of Unix")
async def test_who_gives_up_waits_for_no_line(monkeypatch: pytest.MonkeyPatch):
    theirs, ours = os.pipe()
    with standard_input(monkeypatch, theirs):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await read_line("Well? ")
        os.write(ours, b"late\n")
        os.close(ours)
        assert await read_line("") == "late"


async def test_a_file_and_what_is_no_file_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "said").write_text("yes\n")
    with (tmp_path / "said").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert await read_line("") == "yes"
    monkeypatch.setattr("sys.stdin", io.StringIO("no"))
    assert await read_line("") == "no"
