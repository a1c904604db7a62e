from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aistream_nb as ai
from aistream_nb.errors import AIStreamError
from aistream_nb.recording import Recording
from aistream_nb.testing import replay
from aistream_nb.testing.request_differences import (
    request_differences,
    sent_requests,
)
from aistream_nb.tools.travel import offline_tools

GOLDEN = Path(__file__).parents[1] / "golden"
VENDORS = ("anthropic", "openai", "xai", "gemini", "ollama")
every_vendor = pytest.mark.parametrize("vendor", VENDORS)


def asked(*bodies: Any, **header: Any) -> Recording:
    recording = Recording(clock=lambda: 0.0, header=header)
    for number, body in enumerate(bodies, start=1):
        recording.append_wire(number, request={"method": "POST", "body": body})
    return recording


def told(was: Any, now: Any, **options: Any) -> list[str]:
    given: dict[str, Any] = {"parameters": True, **options}
    return request_differences(asked(was), asked(now), **given)


def kept(vendor: str, story: str = "booked-after-529") -> Recording:
    return Recording.load(GOLDEN / vendor / f"{story}.jsonl")


# ------------------------------------------------------------ through a replay


@every_vendor
def test_what_did_not_change_is_asked_in_the_same_bytes(vendor: str):
    run = replay(kept(vendor), tools=offline_tools())

    assert run.differences == ()
    recorded, today = sent_requests(kept(vendor)), sent_requests(run.recording)
    assert [one.body for one in recorded] == [one.body for one in today]
    assert "round 1, attempt 2" in [one.title for one in recorded]


@every_vendor
def test_a_changed_prompt_is_told_with_round_and_path(vendor: str):
    run = replay(kept(vendor), tools=offline_tools(), system="Be brief.")

    (found,) = run.differences
    assert found.startswith("round 1, ")
    assert found.endswith(" differs\n" + found.partition(" differs\n")[2])
    assert "was: 'You are a travel desk assistant." in found
    assert "now: 'Be brief.'" in found
    with pytest.raises(AssertionError, match="round 1, "):
        run.check()


@every_vendor
def test_a_changed_schema_is_told_with_the_name_of_the_tool(vendor: str):
    @ai.tool(read_only=True, title="Weather forecast")
    def get_forecast(place: str, date: str, *, hourly: bool = False) -> object:
        """Daily weather forecast for a place on a date."""
        return offline_tools()[0]

    tools = [get_forecast, *offline_tools()[1:]]
    run = replay(kept(vendor, "denied"), tools=tools)

    (one,) = [found for found in run.differences if found.endswith('"boolean"}')]
    assert one.startswith("round 1, tools[")
    assert "[get_forecast]" in one
    assert ".properties.hourly is new" in one


@every_vendor
def test_a_continuation_that_is_put_together_otherwise_is_told(vendor: str):
    before = Recording(clock=lambda: 0.0, header=kept(vendor, "denied").header)
    for entry in kept(vendor, "denied").entries:
        value = entry.value
        if entry.event is not None:
            before.append(value)
        elif "request" in value and value["round"] == 2:
            before.append_wire(2, request=told_otherwise(value["request"]))
        elif "request" in value:
            before.append_wire(value["round"], request=value["request"])
        else:
            before.append_wire(value["round"], content=value["text"].encode())

    run = replay(before, tools=offline_tools())

    assert run.differences
    assert all(found.startswith("round 2, ") for found in run.differences)
    assert "the dog is seasick" in run.differences[0]


def told_otherwise(request: dict[str, Any]) -> dict[str, Any]:
    """As if an older version had put the denial into other words."""
    return eval(repr(request).replace("the dog is seasick", "a person said no"))  # noqa: S307 plain values


@every_vendor
def test_parameters_are_compared(vendor: str):
    run = replay(kept(vendor), tools=offline_tools(), max_tokens=77)

    (found,) = run.differences
    assert found.startswith("round 1, ")
    assert found.endswith("\n  now: 77")


def test_a_recording_that_does_not_tell_its_options_holds_all_the_same():
    path = Path(__file__).parents[1] / "recording" / "fixtures" / "format-1-chat.jsonl"
    assert "options" not in Recording.load(path).header

    assert replay(path, tools=offline_tools()).check()

    told = replay(path, tools=offline_tools(), thinking="low")
    assert told.check()
    other = replay(path, tools=offline_tools(), system="Be brief.")
    assert "system differs" in other.differences[0]
    assert "thinking is not sent" in str(
        replay(path, tools=offline_tools(), temperature=0).differences
    )


def test_a_recording_without_bodies_is_not_compared():
    before = asked({}, **kept("anthropic", "denied").header)

    assert request_differences(before, asked({"system": "x"}), parameters=True) == []


def test_a_changed_result_is_told_at_the_call_and_not_again_in_each_request():
    @ai.tool(read_only=True, title="Weather forecast")
    def get_forecast(place: str, date: str) -> str:
        """Daily weather forecast for a place on a date."""
        return "storm"

    tools = [get_forecast, *offline_tools()[1:]]
    run = replay(kept("anthropic"), tools=tools)

    assert [one for one in run.differences if "storm" in one] == [
        one for one in run.differences if one.startswith("call 1, get_forecast(")
    ]


@pytest.mark.parametrize("name", ["sysstem", "temprature", "Max_Rounds", "colour"])
def test_an_option_that_there_is_not_is_an_error_with_the_nearest_name(name: str):
    meant = {
        "sysstem": "system",
        "temprature": "temperature",
        "Max_Rounds": "max_rounds",
    }
    given: dict[str, Any] = {name: 1}

    with pytest.raises(AIStreamError) as raised:
        replay(kept("anthropic"), tools=[], **given)

    assert f"replay does not know {name!r}" in str(raised.value)
    assert "thinking" in str(raised.value)
    hint = f"Did you mean {meant.get(name)!r}?"
    assert (hint in str(raised.value)) == (name in meant)


def test_options_of_an_agent_are_no_options_of_events_alone():
    with pytest.raises(AIStreamError, match="Did you mean 'approvals'"):
        replay(Recording.of([], protocol="ag-ui"), aprovals=["x"])


# ------------------------------------------------------------ places in a body


def test_the_same_difference_is_told_once_however_often_it_is_sent():
    before = asked({"system": "a"}, {"system": "a"}, {"system": "a"})
    now = asked({"system": "b"}, {"system": "b"}, {"system": "c"})

    found = request_differences(before, now, parameters=True)

    assert [one.partition(" differs")[0] for one in found] == [
        "round 1, system",
        "round 3, system",
    ]


def test_a_request_more_or_less_is_told():
    one, two = asked({"n": 1}), asked({"n": 1}, {"n": 2})

    assert request_differences(one, two, parameters=True) == [
        "round 2: it is asked now, and was not"
    ]
    assert request_differences(two, one, parameters=True) == [
        "round 2: it was asked, and now it is not"
    ]


def test_behind_the_place_where_a_recording_was_cut_nothing_is_known():
    before = asked({"n": 1})
    before.append({"type": "RUN_STARTED"})

    assert request_differences(before, asked({"n": 1}, {}), parameters=True) == []


@pytest.mark.parametrize(
    ("was", "now", "place"),
    [
        ([1, 2, 3], [1, 3], "messages[1] is not sent any more\n  was: 2"),
        ([1, 3], [1, 2, 3], "messages[1] is new\n  now: 2"),
        ([1, 2, 3], [1, 5, 3], "messages[1] differs\n  was: 2\n  now: 5"),
        ([{"a": {"b": 1}}], [{"a": {"b": 2}}], "messages[0].a.b differs"),
        ([True], [1], "messages[0] differs\n  was: true\n  now: 1"),
        (["x"], [["x"]], 'messages[0] differs\n  was: x\n  now: ["x"]'),
        ([None], [0], "messages[0] differs\n  was: nothing\n  now: 0"),
    ],
)
def test_a_difference_is_told_by_its_place(was: Any, now: Any, place: str):
    (found,) = told({"messages": was}, {"messages": now})

    assert found.startswith(f"round 1, {place}")


def test_tools_are_told_by_their_names_and_their_order_counts():
    a, b = {"name": "a", "x": 1}, {"function": {"name": "b"}}

    assert told({"tools": [a, b]}, {"tools": [b, a]}) == [
        'round 1, the order of tools differs\n  was: ["a","b"]\n  now: ["b","a"]'
    ]
    (gone,) = told({"tools": [a, b]}, {"tools": [b]})
    assert gone.startswith("round 1, tools[a] is not sent any more")
    (other,) = told({"tools": [a, a]}, {"tools": [a, {**a, "x": 2}]})
    assert other.startswith("round 1, tools[1].x differs")


def test_ids_that_are_new_each_time_do_not_matter():
    was = {"threadId": "t-1", "messages": [{"id": "m-1"}, {"id": "m-2"}]}
    now = {"threadId": "t-9", "messages": [{"id": "m-8"}, {"id": "m-7"}]}

    assert told(was, now) == []
    now["messages"] = [{"id": "m-8"}, {"id": "m-8"}]
    assert len(told(was, now)) == 1


def test_a_long_list_of_differences_is_cut():
    was, now = ({str(n): m for n in range(40)} for m in (1, 2))

    found = told(was, now)

    assert len(found) == 13
    assert found[-1] == "round 1: and 28 more"


def test_lists_in_lists_are_not_looked_through_again_at_each_level():
    was: Any = 1
    now: Any = 2
    for _ in range(60):  # looked through thrice at each level: 3 ** 60 looks
        was, now = [was, 0], [now, 0]

    (found,) = told({"messages": was}, {"messages": now})

    path = "messages" + "[0]" * 60
    assert found == f"round 1, {path} differs\n  was: 1\n  now: 2"


def test_what_is_alike_at_both_ends_of_a_list_is_no_difference():
    was = {"messages": [{"a": "[redacted]"}, [1], {"b": [{"n": 1}]}, "end"]}
    now = {"messages": [{"a": "sesame"}, [1], "new", {"b": [{"n": 1}]}, "end"]}

    assert told(was, now) == ["round 1, messages[2] is new\n  now: new"]


def test_without_parameters_only_the_talk_is_compared():
    was, now = {"system": "a", "top_k": 1}, {"system": "b", "top_k": 2}

    (found,) = told(was, now, parameters=False)

    assert found.startswith("round 1, system differs")


# ------------------------------------------------------------ secrets


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("say [redacted] now", "say sesame-1234 now"),
        ("say [redacted] now", "say [redacted] now"),
        ("say sesame-1234 now", "say [redacted] now"),
        ("[redacted]", "sesame-1234"),
        ("a [redacted] b [redacted] c", "a sesame b 1234 c"),
    ],
)
def test_what_was_redacted_is_equal_to_what_stands_there_now(was: str, now: str):
    assert told({"system": was}, {"system": now}) == []


@pytest.mark.parametrize(
    "now", ["sing sesame-1234 now", "say sesame-1234", "say now", "say it"]
)
def test_a_text_that_held_a_secret_is_not_shown(now: str):
    (found,) = told({"system": "say [redacted] or [redacted] now"}, {"system": now})

    assert found == "round 1, system differs; it held a secret and is not shown"
