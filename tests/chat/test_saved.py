"""What a recording holds of a conversation; more of it is in test_restore.py."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.chat import Chat
from aistream_nb.chat.run_log import SavedCall, ending_of, text_of
from aistream_nb.chat.saved import SavedConversation, origin_of
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording

IDS = {"threadId": "t", "runId": "r"}


def started(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RUN_STARTED", **IDS, "input": {**IDS, "messages": list(messages)}}


QUESTION = {"id": "q", "role": "user", "content": "Hi"}


def test_a_recording_says_who_spoke_where_and_under_which_ids():
    saved = SavedConversation(
        Recording.of([started(QUESTION)], agent="ollama:m", system="Be brief.")
    )

    assert (saved.agent, saved.system) == ("ollama:m", "Be brief.")
    assert saved.agent_or_raise() == "ollama:m"
    assert saved.thread_id == "t"
    assert saved.ids == {"t", "r", "q"}
    assert saved.last_number == 0
    assert saved.torn_run == (started(QUESTION),)


def test_what_it_does_not_say_is_none():
    saved = SavedConversation(Recording.of([]))

    assert (saved.agent, saved.system, saved.thread_id) == (None, None, None)
    assert saved.torn_run == ()
    with pytest.raises(AIStreamError, match=r"agent=…"):
        saved.agent_or_raise()


def test_a_run_that_ended_is_not_torn():
    finished = {"type": "RUN_FINISHED", **IDS}

    assert SavedConversation(Recording.of([started(), finished])).torn_run == ()


@pytest.mark.parametrize(
    ("last", "ending"),
    [
        ({"type": "RUN_FINISHED"}, "finished"),
        ({"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}, "cancelled"),
        ({"type": "RUN_ERROR"}, "failed"),
        ({"type": "TEXT_MESSAGE_END"}, "cut off"),
    ],
)
def test_how_a_run_ended(last: dict[str, Any], ending: str):
    assert ending_of([started(), last]) == ending


def test_of_a_call_it_says_what_is_known_and_nothing_more():
    assert SavedCall(id="c").why_open.startswith("not run")
    assert "not known" in SavedCall(id="c", began=True).why_open


def test_a_result_in_the_next_run_s_input_answers_its_call():
    call = {"toolCallId": "c", "toolCallName": "look"}
    said = {"id": "a", "role": "tool", "toolCallId": "c", "content": "no", "error": "x"}
    saved = SavedConversation(
        Recording.of(
            [
                started(QUESTION),
                {"type": "TOOL_CALL_START", **call},
                {"type": "TOOL_CALL_END", **call},
                {"type": "RUN_FINISHED", **IDS},
                started(said),
            ]
        )
    )

    found = saved.calls["c"]
    assert (found.name, found.content, found.is_error) == ("look", "no", True)


def test_texts_come_in_parts_or_not():
    assert text_of("Hi") == "Hi"
    assert text_of([{"type": "text", "text": "Hi"}, "x", {"type": "image"}]) == "Hi"
    assert text_of(None) == ""


def test_what_is_signed_for_one_is_for_nobody_else():
    assert origin_of({"agent": "anthropic:m", "provider": "anthropic"}) == "anthropic"
    assert origin_of({"agent": "offline", "provider": "anthropic"}) != "anthropic"


def test_the_options_of_the_agent_are_as_they_were():
    provider = Recording.of([], options={"temperature": 0.2})
    server = Recording.of([], protocol="ag-ui", approvals=["pay*"])
    bare = Recording.of([], protocol="ag-ui", approvals=[])

    assert SavedConversation(provider).options == {"temperature": 0.2}
    assert SavedConversation(server).options == {"approvals": ["pay*"]}
    assert SavedConversation(bare).options == {}


async def test_a_restored_chat_asks_with_the_options_that_were_set():
    saved = Recording.of(
        [], agent="ollama:m", system="Be brief.", options={"temperature": 0.2}
    )

    again = Chat.restore(saved)
    other = Chat.restore(saved, system="Be kind.", temperature=0.7)

    assert again.recording.header["options"] == {"temperature": 0.2}
    assert again.recording.header["system"] == "Be brief."
    assert other.recording.header["options"] == {"temperature": 0.7}
    assert other.recording.header["system"] == "Be kind."
    at = Recording.of(
        [], agent="http://127.0.0.1:1/a", protocol="ag-ui", approvals=["p"]
    )
    assert Chat.restore(at).recording.header["approvals"] == ["p"]
