from __future__ import annotations

from pathlib import Path

from aistream_nb import Chat
from aistream_nb.providers.offline import OFFLINE_PROMPT
from aistream_nb.recording import Recording

GOLDEN = Path(__file__).parents[1] / "golden"


def test_a_kept_recording_shows_the_same_chart_each_time(tmp_path: Path):
    recording = Recording.load(GOLDEN / "anthropic" / "booked-after-529.jsonl")
    one, other = recording.timing_chart(), recording.timing_chart()

    assert one._repr_html_() == other._repr_html_()
    assert repr(one) == "<timing chart of 1 run>"
    assert [call.name for call in one.runs[0].calls.values()] == [
        "get_forecast",
        "list_departures",
        "book_ferry",
    ]
    saved = one.save(tmp_path / "chart.svg").read_text("utf-8")
    assert saved.startswith("<svg")
    assert "prefers-color-scheme:dark" in saved


def test_without_times_there_is_no_chart():
    chart = Recording.of([{"type": "RUN_STARTED"}]).timing_chart()

    assert not chart
    assert "no times" in chart._repr_html_()


async def test_a_chat_has_the_chart_of_its_recording():
    chat = Chat("offline", pace=0.01)
    await chat.send(OFFLINE_PROMPT)

    assert "get_forecast" in chat.timing_chart().to_svg()
