from __future__ import annotations

import pytest

from aistream_nb.chat.ids import counted_ids, untaken_ids
from aistream_nb.errors import AIStreamError


def test_ids_count_by_kind():
    new_id = counted_ids()

    assert [new_id(kind) for kind in ("msg", "run", "msg")] == [
        "msg_1",
        "run_1",
        "msg_2",
    ]


def test_threads_of_two_chats_differ_unless_they_are_named():
    assert counted_ids()("thread") != counted_ids()("thread")
    assert counted_ids("t")("thread") == "t"


def test_a_factory_that_gives_only_taken_ids_is_told_so():
    new_id = untaken_ids(lambda kind: kind, {"msg"})

    assert new_id("run") == "run"
    with pytest.raises(AIStreamError, match="no new id for 'msg'"):
        new_id("msg")
