from __future__ import annotations

from typing import Any

from aistream_nb.core.thread.messages import ThreadMessages


def holder(message_id: str, *calls: str) -> dict[str, Any]:
    function = {"name": "f", "arguments": ""}
    made = [{"id": i, "type": "function", "function": function} for i in calls]
    return {"id": message_id, "role": "assistant", "toolCalls": made}


def test_the_first_of_several_is_found_before_and_after_others_are_added():
    thread = ThreadMessages([holder("m1", "c1"), holder("m1", "c1")])
    for _ in range(2):
        first = thread.find("m1")
        found = thread.find_call("c1")
        assert first is not None
        assert found is not None
        assert found[0] is first
        thread.append(holder("m1", "c1"))


def test_a_call_that_is_added_is_found_and_never_hides_an_earlier_one():
    thread = ThreadMessages([holder("m1", "c1")])
    message = thread.find("m1")
    assert message is not None
    call = {"id": "c2"}
    thread.add_call(message, call)
    assert thread.find_call("c2") == (message, call)
    thread.add_call(message, {"id": "c2", "again": True})
    assert thread.find_call("c2") == (message, call)


def test_what_is_appended_before_anybody_looked_is_found():
    thread = ThreadMessages()
    made = thread.append({"id": "m1", "role": "user", "content": ""})
    assert thread.find("m1") is made
    assert thread.find("m2") is None


def test_unanswered_calls_are_those_without_a_tool_message():
    thread = ThreadMessages([holder("m1", "c1", "c2")])
    thread.add_result({"id": "t1", "role": "tool", "toolCallId": "c1", "content": ""})
    assert thread.unanswered_calls() == ["c2"]
    assert thread.results_of("c1") == ["t1"]
