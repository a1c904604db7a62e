"""The tools of the embedded agent: a forecast, a ferry timetable, and a booking.

They answer from constants, so that a notebook reads the same every day. The first two
only read; the third one spends money and is marked destructive, so that a gate has
something to ask about. ``Chat("offline")`` is told of them by their names.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from aistream_nb.tools import Tool, tool

__all__ = ["book_ferry", "get_forecast", "list_departures", "offline_tools"]

_SAILINGS: Final[tuple[tuple[str, str, bool], ...]] = (
    ("08:30", "10:30", True),
    ("14:30", "16:30", True),
    ("20:00", "22:00", False),
)


@tool(title="Weather forecast", read_only=True)
def get_forecast(
    place: Annotated[str, Field(description="Town name")],
    date: Annotated[str, Field(description="ISO date")],
) -> dict[str, Any]:
    """Daily weather forecast for a place on a date."""
    return {
        "place": place,
        "date": date,
        "sky": "partly cloudy",
        "high_c": 14,
        "low_c": 9,
        "wind": "bura 35 km/h, easing after noon",
        "rain_mm": 0.4,
    }


@tool(title="Ferry timetable", read_only=True, open_world=True)
def list_departures(
    from_: str,
    to: str,
    date: str,
    *,
    pets: Annotated[
        bool, Field(description="Only sailings that take pets on deck")
    ] = False,
) -> dict[str, Any]:
    """Ferry departures for a route on a date."""
    # The timetable says of each sailing whether it takes pets; "pets" hides none, as
    # in the streams that were recorded.
    del date, pets
    return {
        "route": f"{from_}–{to}",  # noqa: RUF001 as timetables print a route
        "sailings": [
            {"dep": departs, "arr": arrives, "pets": takes_pets}
            for departs, arrives, takes_pets in _SAILINGS
        ],
        "last_return": "17:30",
    }


@tool(title="Book a ferry", destructive=True)
def book_ferry(
    route: Annotated[str, Field(description="Such as Split–Stari Grad")],  # noqa: RUF001 as above
    date: Annotated[str, Field(description="ISO date")],
    departure: Annotated[str, Field(description="Time of departure, HH:MM")],
    adults: Annotated[int, Field(ge=1)] = 1,
    pets: Annotated[int, Field(ge=0)] = 0,
) -> dict[str, Any]:
    """Book and pay seats on a ferry. This cannot be undone.

    Raises:
        ValueError: No ferry leaves then, or it takes no pets.
    """
    sailing = next((one for one in _SAILINGS if one[0] == departure), None)
    if sailing is None:
        times = ", ".join(departs for departs, _, _ in _SAILINGS)
        raise ValueError(f"no ferry leaves at {departure}; there are {times}")
    if pets and not sailing[2]:
        raise ValueError(f"the {departure} takes no pets")
    return {
        "reference": f"HV-{departure.replace(':', '')}",
        "route": route,
        "date": date,
        "departure": departure,
        "adults": adults,
        "pets": pets,
        "price_eur": round(6.2 * adults + 2.1 * pets, 2),
    }


def offline_tools() -> list[Tool[..., Any]]:
    """The tools that ``Chat("offline")`` knows how to use.

    >>> [one.spec.name for one in offline_tools()]
    ['get_forecast', 'list_departures', 'book_ferry']
    """
    return [get_forecast, list_departures, book_ferry]
