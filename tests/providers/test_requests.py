"""Requests, member by member, for what the cases do not show."""

from __future__ import annotations

import pytest
from turn_kit import Answer, Server, body_of, play

from aistream_nb.providers.base import OutputSchema

SEARCH = {
    "type": "web_search",
    "allowedDomains": ["a.example"],
    "blockedDomains": ["b.example"],
    "maxUses": 2,
    "enableImageUnderstanding": True,
}
IMAGE = {"mimeType": "image/png", "base64": "AAAA", "detail": "low"}
SEEN = [{"role": "user", "content": "What?", "attachments": [IMAGE]}]
URL = "data:image/png;base64,AAAA"
OPEN_SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def test_images_are_put_into_each_providers_words():
    assert body_of("anthropic", messages=SEEN)["messages"][0]["content"] == [
        {"type": "text", "text": "What?"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        },
    ]
    assert body_of("openai", messages=SEEN)["input"][-1]["content"] == [
        {"type": "input_text", "text": "What?"},
        {"type": "input_image", "image_url": URL, "detail": "low"},
    ]
    assert body_of("gemini", messages=SEEN)["contents"][0]["parts"] == [
        {"text": "What?"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
    ]


def test_a_search_is_put_into_each_providers_words():
    searching = {"server_tools": [SEARCH]}
    assert body_of("anthropic", **searching)["tools"] == [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": 2,
            "allowed_domains": ["a.example"],
            "blocked_domains": ["b.example"],
        }
    ]
    allowed = {"allowed_domains": ["a.example"]}
    assert body_of("openai", **searching)["tools"] == [
        {
            "type": "web_search",
            "filters": {**allowed, "blocked_domains": ["b.example"]},
        }
    ]
    assert body_of("xai", **searching)["tools"] == [
        {
            "type": "web_search",
            "filters": {**allowed, "excluded_domains": ["b.example"]},
            "enable_image_understanding": True,
        }
    ]
    assert body_of("openai", server_tools=["web_search"])["tools"] == [
        {"type": "web_search"}
    ]
    assert body_of("gemini", **searching)["tools"] == [{"google_search": {}}]


@pytest.mark.parametrize(
    ("provider", "model", "thinking", "expected"),
    [
        ("anthropic", "claude-sonnet-4-5", "none", {"thinking": None}),
        (
            "anthropic",
            "claude-sonnet-4-5",
            "minimal",
            {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
        (
            "anthropic",
            "claude-sonnet-5-20260101",
            "minimal",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
        ),
        (
            "anthropic",
            "claude-opus-5",
            {"effort": "max", "show": True},
            {"thinking": {"type": "adaptive", "display": "summarized"}},
        ),
        (
            "openai",
            "gpt-5.5",
            {"effort": "low", "show": True},
            {"reasoning": {"effort": "low", "summary": "auto"}},
        ),
        (
            "openai",
            "gpt-5.5",
            {"effort": "none", "show": True},
            {"reasoning": {"effort": "none"}},
        ),
        (
            "gemini",
            "gemini-3.5-flash",
            {"effort": "none", "show": True},
            {
                "generationConfig": {
                    "thinkingConfig": {"thinkingBudget": 0, "includeThoughts": True}
                }
            },
        ),
        (
            "gemini",
            "gemini-3.5-flash",
            {"providers": [{"provider": "google", "config": {"thinkingBudget": 5}}]},
            {"generationConfig": {"thinkingConfig": {"thinkingBudget": 5}}},
        ),
        ("groq", "llama", "high", {"reasoning_effort": None, "reasoning": None}),
    ],
)
def test_thinking_is_put_into_each_providers_words(provider, model, thinking, expected):
    body = body_of(provider, model=model, thinking=thinking)
    assert {name: body.get(name) for name in expected} == expected


def test_a_limit_is_put_into_each_providers_words():
    assert body_of("anthropic", max_tokens=9)["max_tokens"] == 9
    assert body_of("openai", max_tokens=9)["max_output_tokens"] == 9
    assert body_of("gemini", max_tokens=9)["generationConfig"] == {"maxOutputTokens": 9}


def test_a_schema_for_the_answer_is_put_into_each_providers_words():
    wanted = {"output_schema": OPEN_SCHEMA}
    assert body_of("anthropic", **wanted)["output_config"] == {
        "format": {"type": "json_schema", "schema": OPEN_SCHEMA}
    }
    assert body_of("openai", **wanted)["text"]["format"] == {
        "type": "json_schema",
        "name": "answer",
        "schema": OPEN_SCHEMA,
        "strict": False,
    }
    assert body_of("gemini", **wanted)["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseJsonSchema": OPEN_SCHEMA,
    }


def test_an_effort_and_a_schema_share_their_place():
    body = body_of(
        "anthropic",
        model="claude-opus-5",
        thinking="low",
        output_schema=OutputSchema(schema=OPEN_SCHEMA),
    )
    assert set(body["output_config"]) == {"effort", "format"}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"type": "string"}, True),
        (OPEN_SCHEMA, False),
        ({**OPEN_SCHEMA, "additionalProperties": False, "required": ["a"]}, True),
        ({**OPEN_SCHEMA, "additionalProperties": False}, False),
        ({"anyOf": [OPEN_SCHEMA, {"type": "null"}]}, False),
    ],
)
def test_strictness_is_asked_for_where_the_schema_allows_it(schema, strict):
    assert OutputSchema(schema=schema).strict is strict


def test_members_of_ones_own_are_sent():
    body = body_of("anthropic", extra_body={"metadata": {"user_id": "u"}})
    assert body["metadata"] == {"user_id": "u"}


async def test_headers_of_ones_own_are_sent_and_kept_secret():
    server = Server(Answer(b"no: own-secret-1", status=400))
    own = {"x-gateway-key": "own-secret-1"}
    _, failure = await play(server, headers=own)
    sent = server.requests[0].headers
    assert (sent["x-gateway-key"], sent["x-api-key"]) == ("own-secret-1", "test-key")
    assert "own-secret-1" not in str(failure)


def test_a_tail_is_guarded_and_kept():
    junk = [7, None, {"role": "tool"}, {"role": "user", "parts": [{"text": "x"}]}]
    assert body_of("gemini", continuation_messages=junk)["contents"][1:] == [
        {"role": "user", "parts": [{"text": "x"}]}
    ]
    kept = body_of("openai", continuation_messages=[7, {"any": 1}])["input"]
    assert kept[-1] == {"any": 1}
