from __future__ import annotations

import gzip
import os

import pytest

from aistream_nb.errors import RecordingError
from aistream_nb.recording.journal import Journal, write_whole


def test_each_line_is_in_the_file_before_the_next(tmp_path):
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.write('{"é":1}')
    assert path.read_text(encoding="utf-8") == '{"é":1}\n'
    journal.write("{}")
    journal.close()
    journal.close()
    assert path.read_text(encoding="utf-8") == '{"é":1}\n{}\n'


def test_a_compressed_file_is_complete_once_closed(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    for line in ("1", "2"):
        journal = Journal(path)
        journal.write(line)
        journal.close()
    assert gzip.decompress(path.read_bytes()) == b"1\n2\n"


def test_a_file_that_cannot_be_opened_is_told(tmp_path):
    with pytest.raises(
        RecordingError, match="cannot be written: No such file"
    ) as caught:
        Journal(tmp_path / "missing" / "a.jsonl")
    assert caught.value.path.endswith("a.jsonl")


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    journal = Journal(tmp_path / "a.jsonl")
    os.close(journal._descriptor)
    # The number is free now; take it by something that cannot be written.
    taken = os.open(tmp_path / "a.jsonl", os.O_RDONLY)
    with pytest.raises(RecordingError, match="cannot be written"):
        journal.write("x")
    journal._close.detach()
    os.close(taken)


def test_a_whole_file_appears_in_one_step(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("old", encoding="utf-8")
    write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]


def test_the_same_text_compresses_to_the_same_bytes(tmp_path):
    one, two = tmp_path / "1.gz", tmp_path / "2.gz"
    write_whole(one, "text")
    write_whole(two, "text")
    assert one.read_bytes() == two.read_bytes()


def test_a_failed_whole_file_leaves_nothing_behind(tmp_path):
    (tmp_path / "a.jsonl").mkdir()
    with pytest.raises(RecordingError, match="cannot be written"):
        write_whole(tmp_path / "a.jsonl", "text")
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]
