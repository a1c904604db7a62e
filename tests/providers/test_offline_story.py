from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.json_text import encode_json
from aistream_nb.providers.offline_conversation import (
    Call,
    Item,
    OfflineConversation,
    Result,
    Said,
)
from aistream_nb.providers.offline_story import Script, choose_script, story

LOOK_UPS = ("get_forecast", "list_departures")
ALL = (*LOOK_UPS, "book_ferry")


def chosen(*items: Item, tools: tuple[str, ...] = ALL) -> Script:
    offered: dict[str, dict[str, Any]] = {name: {} for name in tools}
    return choose_script(OfflineConversation("anthropic", "m", offered, items))


def user(text: str) -> Said:
    return Said("user", text)


def called(name: str, result: object, **arguments: Any) -> tuple[Call, Result]:
    text = result if isinstance(result, str) else encode_json(result)
    return Call(name, name, arguments), Result(name, name, text)


def recorded(name: str) -> tuple[Call, Result]:
    return called(name, story()["recorded_results"][name])


def denied(name: str, reason: str) -> tuple[Call, Result]:
    return called(name, f"{name} (callId={name}): tool execution denied: {reason}")


def failed(name: str, reason: str) -> tuple[Call, Result]:
    return called(name, f"{name}: {reason}")


FORECAST, DEPARTURES = recorded("get_forecast"), recorded("list_departures")
QUESTION = user("Ferry to Hvar?")
ORDER = user("Please book it if the weather is good.")
AGAIN = (QUESTION, *FORECAST, *DEPARTURES, Said("assistant", "Take the ferry."))


def names(script: Script) -> list[str]:
    return [call.name for call in script.calls]


def test_the_first_question_looks_twice_as_recorded():
    script = chosen(QUESTION)
    assert script.recorded == "turn-1"
    assert names(script) == list(LOOK_UPS)


def test_the_recorded_results_lead_to_the_recorded_answer():
    script = chosen(QUESTION, *FORECAST, *DEPARTURES, tools=LOOK_UPS)
    assert script.recorded == "turn-2"


def test_another_result_leads_to_another_answer():
    storm = called("get_forecast", {**story()["recorded_results"]["get_forecast"]})
    changed = called(
        "get_forecast", {**story()["recorded_results"]["get_forecast"], "sky": "storm"}
    )
    script = chosen(QUESTION, *storm, *DEPARTURES, tools=LOOK_UPS)
    assert script.recorded == "turn-2"
    script = chosen(QUESTION, *changed, *DEPARTURES, tools=LOOK_UPS)
    assert script.recorded is None
    assert "storm" in script.text


def test_with_a_booking_tool_the_answer_offers_to_book():
    script = chosen(QUESTION, *FORECAST, *DEPARTURES)
    assert "Shall I book the 08:30 for you?" in script.text
    assert not script.calls


def test_a_result_in_a_form_of_its_own_is_passed_on():
    script = chosen(QUESTION, *called("get_forecast", "sunny"), tools=LOOK_UPS)
    assert "get_forecast says: sunny" in script.text
    odd = called("list_departures", {"sailings": [3, {"pets": True}], "route": "r"})
    assert "list_departures says: {" in chosen(QUESTION, *odd, tools=LOOK_UPS).text


def test_a_denied_look_up_is_spoken_of_with_the_reason():
    script = chosen(QUESTION, *denied("get_forecast", "no weather!"), *DEPARTURES)
    assert "“no weather!”" in script.text
    assert "half of the facts" in script.text
    silent = chosen(QUESTION, *denied("get_forecast", ""), *DEPARTURES)
    assert "because it was declined" in silent.text


def test_a_failed_look_up_is_spoken_of():
    script = chosen(QUESTION, *failed("get_forecast", "no network"))
    assert "the look-up failed (no network)" in script.text
    assert "cannot advise" in script.text


def test_edited_arguments_of_a_look_up_are_noticed():
    value = {
        "changedArguments": {"place": "Vis", "date": "2026-12-06"},
        "result": story()["recorded_results"]["get_forecast"],
    }
    edited = called("get_forecast", value, place="Hvar", date="2026-12-06")
    script = chosen(QUESTION, *edited, *DEPARTURES)
    assert "You changed the question before it ran: place is Vis instead of Hvar." in (
        script.text
    )


def test_an_order_looks_first_and_books_then():
    assert names(chosen(ORDER)) == list(LOOK_UPS)
    script = chosen(ORDER, *FORECAST, *DEPARTURES)
    assert names(script) == ["book_ferry"]
    assert script.calls[0].arguments["departure"] == "08:30"


def test_an_order_without_the_facts_books_nothing():
    script = chosen(ORDER, *denied("get_forecast", "no"), *DEPARTURES)
    assert not script.calls


def test_the_first_boat_that_takes_pets_is_booked():
    table = {"sailings": [{"dep": "07:00", "pets": False}, {"dep": "09:00", "pets": 1}]}
    script = chosen(ORDER, *FORECAST, *called("list_departures", table))
    assert script.calls[0].arguments["departure"] == "09:00"
    none = called("list_departures", {"sailings": []})
    script = chosen(ORDER, *FORECAST, *none)
    assert script.calls[0].arguments["departure"] == "08:30"


def test_a_later_order_books_at_once_and_at_the_time_that_is_named():
    script = chosen(*AGAIN, user("Yes, book the 14:30."))
    assert script.calls[0].arguments["departure"] == "14:30"
    assert names(chosen(user("Book it."), tools=("book_ferry",))) == ["book_ferry"]


BOOKING = {
    "reference": "HV-1",
    "route": "r",
    "date": "d",
    "departure": "08:30",
    "adults": 2,
    "pets": 1,
    "price_eur": 14.5,
}


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (called("book_ferry", BOOKING), "Your reference is **HV-1**."),
        (
            called(
                "book_ferry",
                {"changedArguments": {"departure": "14:30"}, "result": BOOKING},
                departure="08:30",
            ),
            "departure is 14:30 instead of 08:30",
        ),
        (called("book_ferry", "done"), "The desk says: done"),
        (denied("book_ferry", "too dear"), "“too dear”"),
        (denied("book_ferry", ""), "because the booking was declined"),
        (failed("book_ferry", "sold out"), "did not go through: sold out"),
    ],
)
def test_every_end_of_a_booking_has_its_answer(outcome, words):
    script = chosen(ORDER, *FORECAST, *DEPARTURES, *outcome)
    assert words in script.text
    assert not script.calls


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ("And the weather in Split?", ["get_forecast"]),
        ("Any later boat?", ["list_departures"]),
        ("Boats and rain on Sunday?", list(LOOK_UPS)),
        ("Who are you?", []),
    ],
)
def test_a_later_question_is_answered_for_what_it_asks(asked, calls):
    script = chosen(*AGAIN, user(asked))
    assert names(script) == calls
    assert script.recorded is None
    if "Split" in asked:
        assert script.calls[0].arguments["place"] == "Split"
    if not calls:
        assert "embedded agent" in script.text


def test_without_travel_tools_there_is_only_talk():
    for tools in ((), ("delete_file",)):
        script = chosen(QUESTION, tools=tools)
        assert script.name == "no_tools"
        assert not script.calls


@pytest.mark.parametrize(
    ("asked", "arguments"),
    [
        ('call delete_file {"path": "x"}', {"path": "x"}),
        ("Please run `delete_file` now", {}),
        ("use delete_file {broken}", {}),
        ("use delete_file [1]", {}),
    ],
)
def test_any_tool_can_be_called_by_name(asked, arguments):
    script = chosen(user(asked), tools=("delete_file",))
    assert [(one.name, one.arguments) for one in script.calls] == [
        ("delete_file", arguments)
    ]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (called("delete_file", {"ok": True}), 'delete_file says: {"ok":true}'),
        (denied("delete_file", "mine"), "did not run delete_file"),
        (failed("delete_file", "no such file"), "failed: no such file"),
    ],
)
def test_the_end_of_a_named_call_is_told(outcome, words):
    asked = user("call delete_file")
    script = chosen(asked, *outcome, tools=("delete_file",))
    assert words in script.text
