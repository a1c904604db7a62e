from __future__ import annotations

import pytest
from ag_ui.core import RunAgentInput

from aistream_nb.agui.run_input import build_run_input, tool_on_the_wire
from aistream_nb.core.tool_spec import ToolAnnotations, ToolSpec
from aistream_nb.errors import AIStreamError

IDS = {"threadId": "t", "runId": "r"}


def test_a_request_is_what_the_official_model_reads():
    body = build_run_input(
        IDS,
        messages=[{"id": "u", "role": "user", "content": "Hi"}],
        tools=[ToolSpec(name="f", description="F.")],
        state={"n": 1},
        resume=[{"interruptId": "i", "status": "cancelled"}],
        extra={"context": [{"description": "d", "value": "v"}]},
    )

    read = RunAgentInput.model_validate(body)

    assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == body


def test_what_the_model_does_not_know_is_sent_all_the_same():
    message = {"id": "u", "role": "user", "content": "Hi", "parts": [1]}

    assert build_run_input(IDS, messages=[message])["messages"] == [message]


def test_activities_stay_at_home():
    activity = {"id": "a", "role": "activity", "activityType": "x", "content": {}}

    assert build_run_input(IDS, messages=[activity])["messages"] == []


def test_the_hints_about_a_tool_stay_at_home():
    spec = ToolSpec(name="f", annotations=ToolAnnotations(read_only=True))

    assert set(tool_on_the_wire(spec)) == {"name", "description", "parameters"}


def test_a_refusal_says_where_and_quotes_nothing():
    message = {"id": "u", "role": "wizard", "content": "my secret"}

    with pytest.raises(AIStreamError, match=r"messages\.0") as caught:
        build_run_input(IDS, messages=[message])

    assert "my secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_state_of_null_is_an_empty_one():
    assert build_run_input(IDS, messages=[], state=None)["state"] == {}
