from __future__ import annotations

from aistream_nb.chat.ids import counted_ids


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
