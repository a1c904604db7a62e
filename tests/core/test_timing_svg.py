from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from aistream_nb.core.run_timing import CallTiming, Moment, RunTiming
from aistream_nb.core.timing_svg import draw_timings

EVIL = '</text><script>alert(1)</script>"&'


def run_of(**fields: object) -> RunTiming:
    run = RunTiming(title=EVIL, length=4.0, ending="finished")
    run.moments = [Moment(0.5, "thinking"), Moment(0.501, "thinking")]
    run.moments += [Moment(0.6, "text"), Moment(2.9, "arguments")]
    run.calls = {
        "a": CallTiming(EVIL, 1.0, 1.1, 1.6, 1.7, 2.9, "done"),
        "b": CallTiming("book", 1.0, 1.2, 2.0, None, 2.1, "denied"),
        "c": CallTiming("pay", 1.0, None, None, 1.3, 3.9, "failed"),
        "d": CallTiming("wait", 1.0, 1.4),
        "e": CallTiming("work", 1.0, None, None, 2.0),
        "f": CallTiming("quick", 1.0, None, None, None, 1.2, "done"),
    }
    for name, value in fields.items():
        setattr(run, name, value)
    return run


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  # our own text


def test_the_picture_is_well_formed_and_holds_no_script():
    for alone in (False, True):
        svg = draw_timings([run_of(), run_of(ending="cancelled")], alone=alone)
        root = parsed(svg)
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        allowed = {"svg", "g", "text", "title", "line", "rect", "style"}
        assert names <= allowed
        assert "<script" not in svg
        assert not re.search(r"(href|src|url)\s*[=(]", svg)
        assert (root.get("class") == "aistream-alone") == alone


def test_it_says_what_people_look_for():
    text = "".join(parsed(draw_timings([run_of()])).itertext())

    for words in (
        "first token 500 ms",
        "ran 1.2 s",  # how long the first tool ran
        "denied",
        "ran 2.6 s, failed",
        "4 s",
        "waits for a decision",
        "tool failed",
        "silent 2.3 s",  # the longest silence
    ):
        assert words in text
    assert "4 s cut off" in "".join(
        parsed(draw_timings([run_of(ending="cut off")])).itertext()
    )


def test_tools_that_run_at_once_have_lanes_of_their_own():
    svg = draw_timings([run_of()])

    rows = set(re.findall(r'<rect x="[\d.]+" y="(\d\d+)"[^>]*fill="#3f9d6b"', svg))
    assert len(rows) == 2


def test_pieces_that_follow_close_are_one_bar():
    many = run_of(moments=[Moment(n / 1000, "text") for n in range(1000)], calls={})

    assert draw_timings([many]).count("<rect") < 5


@pytest.mark.parametrize("length", [0.0, 0.02, 3.0, 59.0, 5000.0])
def test_the_axis_has_a_few_ticks_at_any_length(length: float):
    svg = draw_timings([RunTiming(length=length)])

    assert 1 <= svg.count("<line") <= 9


def test_nothing_is_drawn_of_nothing():
    assert "<rect" not in draw_timings([])
