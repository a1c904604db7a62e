"""Requests to Gemini, for what the cases and the comparison do not show."""

from __future__ import annotations

from typing import Any

import pytest
from turn_kit import FakeTool, body_of

from aistream_nb.errors import TurnError
from aistream_nb.providers.gemini_request import clean_schema


def test_gemini_refuses_unknown_keywords_but_not_properties_of_that_name():
    schema = {
        "$schema": "x",
        "type": "object",
        "properties": {
            "additionalProperties": {"type": ["null", "string"]},
            "list": {"type": "array", "items": {"additionalProperties": True}},
            "many": {"type": ["string", "integer", "null"]},
        },
        "anyOf": [{"$schema": "y", "properties": True}],
    }
    assert clean_schema(schema) == {
        "type": "object",
        "properties": {
            "additionalProperties": {"type": "string", "nullable": True},
            "list": {"type": "array", "items": {}},
            "many": {"type": ["string", "integer", "null"]},
        },
        "anyOf": [{"properties": True}],
    }


def test_gemini_gets_one_kind_of_tools_unless_told_to_combine():
    def tools(policy: str) -> dict[str, Any]:
        options = {"server_tools": ["web_search"], "tool_conflict_policy": policy}
        return body_of("gemini", FakeTool(), **options)

    def names(body: dict[str, Any]) -> list[str]:
        return [name for tool in body["tools"] for name in tool]

    assert names(tools("drop-server-tools")) == ["function_declarations"]
    assert names(tools("prefer-server-tools")) == ["google_search"]
    both = tools("combine")
    assert names(both) == ["google_search", "function_declarations"]
    assert both["toolConfig"] == {"includeServerSideToolInvocations": True}
    with pytest.raises(
        TurnError, match=r"cannot combine server tool\(s\) \[web_search"
    ):
        tools("fail")
