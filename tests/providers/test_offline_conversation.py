from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.providers.offline_conversation import (
    Call,
    OfflineConversation,
    Result,
    Said,
    Vendor,
    read_request,
)

USER = "Ferry or not?"
DENIED = "look (callId=c2): tool execution denied: too late"

BODIES: dict[Vendor, dict[str, Any]] = {
    "anthropic": {
        "model": "m",
        "tools": [{"name": "look", "input_schema": {"type": "object"}}, {"type": "x"}],
        "messages": [
            {"role": "user", "content": USER},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c1", "name": "look", "input": {"a": 1}},
                    {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": '"fine"'},
                    {
                        "type": "tool_result",
                        "tool_use_id": "c2",
                        "content": [{"type": "text", "text": DENIED}],
                        "is_error": True,
                    },
                ],
            },
        ],
    },
    "openai": {
        "model": "m",
        "tools": [
            {"type": "function", "name": "look", "parameters": {"type": "object"}}
        ],
        "input": [
            {"role": "user", "content": USER},
            {"type": "reasoning", "summary": []},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "I look."}],
            },
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "look",
                "arguments": '{"a":1}',
            },
            {"type": "function_call", "call_id": "c2", "name": "look", "arguments": ""},
            {"type": "function_call_output", "call_id": "c1", "output": '"fine"'},
            {"type": "function_call_output", "call_id": "c2", "output": DENIED},
        ],
    },
    "gemini": {
        "model": "m",
        "tools": [
            {
                "function_declarations": [
                    {"name": "look", "parameters": {"type": "object"}}
                ]
            }
        ],
        "contents": [
            {"role": "user", "parts": [{"text": USER}]},
            {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True},
                    {"text": "I look."},
                    {"functionCall": {"id": "c1", "name": "look", "args": {"a": 1}}},
                    {"functionCall": {"id": "c2", "name": "look"}},
                    {"odd": 1},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "id": "c1",
                            "name": "look",
                            "response": {"content": '"fine"'},
                        }
                    },
                    {
                        "functionResponse": {
                            "id": "c2",
                            "name": "look",
                            "response": {"error": DENIED},
                        }
                    },
                ],
            },
        ],
    },
}
BODIES["xai"] = BODIES["openai"]


@pytest.mark.parametrize("vendor", BODIES)
def test_every_vendors_request_tells_the_same(vendor):
    conversation = read_request(vendor, BODIES[vendor])
    assert conversation.model == "m"
    assert conversation.tools == {"look": {"type": "object"}}
    assert conversation.asked == USER
    assert not conversation.is_follow_up
    (call, fine), (_, denied) = conversation.results
    assert call == Call("c1", "look", {"a": 1})
    assert (fine.value, fine.reason, fine.denied) == ("fine", None, False)
    assert (denied.reason, denied.denied, denied.name) == ("too late", True, "look")
    assert Said("assistant", "I look.") in conversation.items


def test_gemini_without_ids_goes_by_the_name():
    body = {
        "contents": [
            {"role": "model", "parts": [{"functionCall": {"name": "look"}}]},
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "name": "look",
                            "response": {"content": "broken", "error": True},
                        }
                    }
                ],
            },
            "odd",
        ]
    }
    ((_, result),) = read_request("gemini", body).results
    assert (result.reason, result.denied) == ("broken", False)


def test_a_changed_call_tells_its_value_and_its_change():
    result = Result("c", "look", '{"changedArguments":{"a":2},"result":[1]}')
    assert (result.value, result.changed_arguments) == ([1], {"a": 2})
    assert Result("c", "look", "plain").changed_arguments is None
    assert Result("c", "look", "plain").value == "plain"


def test_arguments_that_are_broken_count_as_none():
    body = {
        "input": [
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{"},
            {"type": "function_call", "call_id": "d", "name": "f", "arguments": "3"},
        ]
    }
    items = read_request("openai", body).items
    assert [one.arguments for one in items if isinstance(one, Call)] == [{}, {}]


@pytest.mark.parametrize("vendor", ["anthropic", "openai", "gemini"])
@pytest.mark.parametrize("body", [{}, {"messages": [], "input": 3, "contents": "x"}])
def test_a_body_of_another_shape_is_refused(vendor, body):
    with pytest.raises(ValueError, match="the request has no"):
        read_request(vendor, body)


def test_nobody_has_spoken_yet():
    conversation = OfflineConversation("xai", "", {}, (Said("assistant", "hi"),))
    assert conversation.asked == "hi"
    assert OfflineConversation("xai", "", {}, ()).asked == ""
    assert OfflineConversation("xai", "", {}, (Call("c", "f", {}),)).asked == ""
