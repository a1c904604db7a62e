from __future__ import annotations

import json

import pytest

from aistream_nb.core.json_text import encode_json
from aistream_nb.providers.offline_story import story
from aistream_nb.tools.travel import book_ferry, get_forecast, list_departures


async def test_the_tools_answer_as_they_did_when_the_streams_were_recorded():
    kept = story()["recorded_results"]
    asked = {"place": "Hvar", "date": "2026-12-06"}
    forecast = await get_forecast.execute(asked)
    assert forecast == kept["get_forecast"]
    asked = {"from": "Split", "to": "Stari Grad", "date": "2026-12-06", "pets": True}
    departures = await list_departures.execute(asked)
    assert json.loads(encode_json(departures)) == kept["list_departures"]


def test_a_booking_has_a_reference_and_a_price():
    booked = book_ferry("Split-Stari Grad", "2026-12-06", "14:30", adults=2, pets=1)
    assert (booked["reference"], booked["price_eur"]) == ("HV-1430", 14.5)


@pytest.mark.parametrize(
    ("departure", "words"),
    [("09:00", "there are 08:30, 14:30, 20:00"), ("20:00", "takes no pets")],
)
def test_a_boat_that_does_not_fit_is_refused(departure, words):
    with pytest.raises(ValueError, match=words):
        book_ferry("Split-Stari Grad", "2026-12-06", departure, pets=1)


def test_only_the_booking_may_destroy_something():
    assert get_forecast.spec.annotations.read_only
    assert list_departures.spec.annotations.read_only
    assert book_ferry.spec.annotations.destructive
