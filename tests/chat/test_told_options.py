from __future__ import annotations

import aistream_nb as ai
from aistream_nb.chat.told_options import TOLD_OPTIONS, read_options, tell_options
from aistream_nb.providers.base import OutputSchema
from aistream_nb.providers.messages import WebSearch
from aistream_nb.providers.turn_prepare import TurnOptions

SCHEMA = {"type": "object", "properties": {}}


def test_every_told_option_is_one_that_a_turn_takes():
    assert set(TOLD_OPTIONS) <= set(TurnOptions.__annotations__)


def test_options_come_back_as_they_were_told():
    told = tell_options(
        {
            "thinking": {"effort": "low"},
            "server_tools": [WebSearch(max_uses=3), "web_search"],
            "output_schema": OutputSchema(schema=SCHEMA, name="trip"),
            "api_key": "sk-not-to-be-told",
        }
    )

    assert "sk-not" not in repr(told)
    assert told["server_tools"] == [{"type": "web_search", "maxUses": 3}, "web_search"]
    assert read_options(told) == {
        **told,
        "output_schema": OutputSchema(schema=SCHEMA, name="trip"),
    }
    plain = read_options(tell_options({"output_schema": SCHEMA}))
    assert plain["output_schema"] == OutputSchema(schema=SCHEMA)


def test_what_is_told_of_in_a_strange_way_is_left_out():
    assert read_options(7) == {}
    strange = {"output_schema": {"schema": 1}, "server_tools": "web_search"}
    assert read_options(strange) == {}
    once = iter(["web_search"])
    assert tell_options({"server_tools": once})["server_tools"] is once


def test_a_recording_tells_of_the_options_and_of_no_key():
    chat = ai.Chat("openai:gpt-x", temperature=0.2, api_key="sk-not-to-be-told-at-all")

    assert chat.recording.header["options"] == {"temperature": 0.2}
    assert "sk-not" not in repr(chat.recording.header)
