"""What the embedded agent says and does next: a function of the conversation.

One story for all vendors: a Saturday on Hvar. Its words are in ``streams/story.json``,
its turns are chosen here by what the person asked, which tools are offered and what
became of the calls. A denied call, edited arguments and a failing tool each lead to
a next turn that speaks of them. Where the conversation is the one that was recorded
the recorded stream is named, and it is played byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from aistream_nb.core.json_text import encode_json, parse_json
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.providers.offline_conversation import (
    Call,
    OfflineConversation,
    Result,
)

__all__ = ["PlannedCall", "Script", "choose_script", "story"]

_LOOK_UPS: Final = ("get_forecast", "list_departures")
_BOOKING: Final = "book_ferry"
_DEMO_TOOLS: Final = frozenset({*_LOOK_UPS, _BOOKING})
_DATE: Final = "2026-12-06"
_ROUTE: Final = "Split–Stari Grad"  # noqa: RUF001 as timetables print a route
_MORNING: Final = "08:30"

_WANTS_BOOKING: Final = re.compile(r"\b(?:book|reserve|ticket|buy)", re.IGNORECASE)
_WANTS_WEATHER: Final = re.compile(
    r"\b(?:forecast|weather|rain|wind|sunny|warm|cold)", re.IGNORECASE
)
_WANTS_FERRY: Final = re.compile(
    r"\b(?:ferry|ferries|boat|sail|departure|timetable)", re.IGNORECASE
)
_TIME: Final = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_CALL: Final = re.compile(
    r"\b(?:call|run|use)\s+[`'\"]?(\w[\w-]*)[`'\"]?(.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that the agent will make."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One turn of the agent."""

    name: str
    thinking: str
    text: str
    calls: tuple[PlannedCall, ...] = ()
    recorded: str | None = None
    """The recorded stream that says exactly this, if there is one."""


@cache
def story() -> Mapping[str, Any]:
    """The words of the story, by the names of its turns."""
    place = files("aistream_nb.providers").joinpath("streams", "story.json")
    return json.loads(place.read_text(encoding="utf-8"))


def choose_script(conversation: OfflineConversation) -> Script:
    """The agent's next turn."""
    if conversation.results:
        return _after_results(conversation)
    named = _named_call(conversation)
    if named is not None:
        return _script("call", calls=(named,), tool=named.name)
    if not _DEMO_TOOLS & conversation.tools.keys():
        return _script("no_tools")
    return _opening(conversation)


def _script(
    name: str,
    *,
    calls: tuple[PlannedCall, ...] = (),
    recorded: str | None = None,
    **words: object,
) -> Script:
    turn: Mapping[str, str] = story()[name]
    return Script(
        name=name,
        thinking=turn["thinking"].format_map(words),
        text=turn["text"].format_map(words),
        calls=calls,
        recorded=recorded,
    )


# ------------------------------------------------------------- a person has spoken


def _named_call(conversation: OfflineConversation) -> PlannedCall | None:
    """``call delete_file {"path": "x"}``: any offered tool can be tried by name."""
    match = _CALL.search(conversation.asked)
    if match is None or match[1] not in conversation.tools:
        return None
    start, end = match[2].find("{"), match[2].rfind("}")
    try:
        arguments = parse_json(match[2][start : end + 1]) if start >= 0 else {}
    except ValueError:
        arguments = {}
    return PlannedCall(match[1], arguments if is_mapping(arguments) else {})


def _opening(conversation: OfflineConversation) -> Script:
    offered = [name for name in _LOOK_UPS if name in conversation.tools]
    asked, again = conversation.asked, conversation.is_follow_up
    if _WANTS_BOOKING.search(asked) and _BOOKING in conversation.tools:
        if conversation.earlier_results or not offered:
            return _booking(conversation)
    elif again:
        offered = _asked_for(asked, offered)
    if not offered:
        return _script("small_talk")
    calls = tuple(_look_up(name, asked, again=again) for name in offered)
    if len(calls) == len(_LOOK_UPS):
        return _script("look", calls=calls, recorded=None if again else "turn-1")
    return _script("look_at_some", calls=calls)


def _asked_for(asked: str, offered: list[str]) -> list[str]:
    """What a later question is about; nothing when it is about something else."""
    wanted = {
        "get_forecast": _WANTS_WEATHER.search(asked),
        "list_departures": _WANTS_FERRY.search(asked),
    }
    return [name for name in offered if wanted[name]]


def _look_up(name: str, asked: str, *, again: bool) -> PlannedCall:
    if name == "get_forecast":
        place = "Split" if again and "split" in asked.lower() else "Hvar"
        return PlannedCall(name, {"place": place, "date": _DATE})
    return PlannedCall(
        name, {"from": "Split", "to": "Stari Grad", "date": _DATE, "pets": True}
    )


def _booking(conversation: OfflineConversation) -> Script:
    time = _TIME.search(conversation.asked)
    departure = f"{int(time[1]):02}:{time[2]}" if time else _departure(conversation)
    call = PlannedCall(
        _BOOKING,
        {
            "route": _ROUTE,
            "date": _DATE,
            "departure": departure,
            "adults": 2,
            "pets": 1,
        },
    )
    return _script("book", calls=(call,), departure=departure)


def _departure(conversation: OfflineConversation) -> str:
    """The first boat that takes pets, as far as the timetable was read."""
    for call, result in reversed(conversation.earlier_results):
        if call.name == "list_departures" and result.reason is None:
            return _first_with_pets(result.value) or _MORNING
    return _MORNING


def _first_with_pets(timetable: object) -> str | None:
    sailings = timetable.get("sailings") if is_mapping(timetable) else None
    if not is_array(sailings):
        return None
    for sailing in sailings:
        if is_mapping(sailing) and sailing.get("pets") and "dep" in sailing:
            return str(sailing["dep"])
    return None


# ------------------------------------------------------------- tools have answered


def _after_results(conversation: OfflineConversation) -> Script:
    results = conversation.results
    call, result = results[-1]
    if call.name == _BOOKING:
        return _after_booking(call, result)
    if call.name not in _DEMO_TOOLS:
        return _after_named_call(call, result)
    failed = [one for _, one in results if one.reason is not None]
    wants = _WANTS_BOOKING.search(conversation.asked)
    if wants and not failed and _BOOKING in conversation.tools:
        return _booking(conversation)
    return _advice(conversation)


def _after_named_call(call: Call, result: Result) -> Script:
    if result.reason is None:
        return _script("called", tool=call.name, result=_told(result.value))
    name = "called_denied" if result.denied else "called_failed"
    return _script(name, tool=call.name, reason=result.reason)


def _after_booking(call: Call, result: Result) -> Script:
    if result.reason is not None:
        if not result.denied:
            return _script("booking_failed", reason=result.reason)
        name = "not_booked" if result.reason else "not_booked_silently"
        return _script(name, reason=result.reason)
    changes = _changes(call, result)
    edited = story()["booked_edited"].format(changes=changes) if changes else ""
    value = result.value
    needed = ("reference", "route", "date", "departure", "adults", "pets", "price_eur")
    if is_mapping(value) and all(name in value for name in needed):
        return _script("booked", edited=edited, **{key: value[key] for key in needed})
    return _script("booked_other", edited=edited, result=_told(value))


def _changes(call: Call, result: Result) -> str:
    """How what the tool was given differs from what the agent had asked for."""
    given = result.changed_arguments or {}
    return ", ".join(
        f"{name} is {_told(value)} instead of {_told(call.arguments.get(name))}"
        for name, value in given.items()
        if value != call.arguments.get(name)
    )


def _told(value: object) -> str:
    return value if isinstance(value, str) else encode_json(value)


def _advice(conversation: OfflineConversation) -> Script:
    results = conversation.results
    good = [result for _, result in results if result.reason is None]
    departure = _departure(conversation)
    offers = _BOOKING in conversation.tools
    if conversation.recorded and not offers and _is_as_recorded(results):
        return Script(name="advice", thinking="", text="", recorded="turn-2")
    words = story()
    grade = "good" if len(good) == len(results) else "half" if good else "none"
    facts = "\n".join(_fact(call, result) for call, result in results)
    plan = words[f"plan_{grade}"].format(departure=departure)
    if offers and grade == "good":
        plan += words["offer"].format(departure=departure)
    return _script("advice", verdict=words[f"verdict_{grade}"], facts=facts, plan=plan)


def _is_as_recorded(results: tuple[tuple[Call, Result], ...]) -> bool:
    """Whether the tools answered what they answered when the stream was recorded."""
    kept: Mapping[str, Any] = story()["recorded_results"]
    return {call.name: result.value for call, result in results} == kept


def _fact(call: Call, result: Result) -> str:
    words = story()
    if result.reason is not None:
        kind = "fact_failed"
        if result.denied:
            kind = "fact_denied" if result.reason else "fact_denied_silently"
        return words[kind].format(tool=call.name, reason=result.reason)
    line = _fact_words(call, result.value)
    changes = _changes(call, result)
    return (
        f"{line}\n{words['fact_edited'].format(changes=changes)}" if changes else line
    )


def _fact_words(call: Call, value: object) -> str:
    members: dict[str, Any] = dict(value) if is_mapping(value) else {}
    members["departure"] = _first_with_pets(value)
    template = "forecast" if call.name == "get_forecast" else "departures"
    try:
        return story()[f"fact_{template}"].format_map(members)
    except KeyError:
        # The tool is the reader's own and answers in its own form.
        return story()["fact_other"].format(tool=call.name, result=_told(value))
