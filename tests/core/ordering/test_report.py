from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rules import STARTED, event, run

NASTY = "<script>alert(1)</script>&\"'"
BAD = run(event("TEXT_MESSAGE_END", messageId=NASTY))


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.encode())[0]  # noqa: S314  # we wrote it ourselves


def test_a_clean_report_is_one_line():
    report = check_ordering(run())
    assert report.ok
    assert report.first is None
    assert repr(report) == "2 events in order (spec): nothing found"
    assert "nothing found" in report._repr_html_()
    assert "<table" not in report._repr_html_()


def test_the_text_counts_levels_and_lists_violations():
    report = check_ordering(BAD)
    lines = repr(report).splitlines()
    assert lines[0] == "3 events out of order (spec): 1 fatal"
    assert lines[1].startswith("  event 1: fatal text.end_unopened: ")
    assert report.first is report.violations[0]


def test_one_event_is_one_event():
    report = check_ordering([event("RUN_ERROR", message="gone")])
    assert repr(report) == "1 event in order (spec): nothing found"


def test_the_html_is_escaped_and_has_no_script():
    page = check_ordering(BAD)._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<style" not in page


def test_the_html_marks_what_may_be_a_consequence_and_the_stream_as_a_whole():
    broken = (STARTED, event("TEXT_MESSAGE_END", messageId="m1"))
    page = check_ordering(broken)._repr_html_()
    assert "may follow from an earlier one" in page
    assert "opacity" not in page  # unexplained, and less to read by
    assert ">stream</td>" in page  # and no empty box for an event that is none
    assert "<code></code>" not in page


def test_the_json_holds_all_of_it():
    report = check_ordering(BAD)
    told = json.loads(report.to_json())
    assert told["ok"] is False
    assert told["events"] == 3
    assert told["profile"] == "spec"
    assert told["violations"][0]["rule"] == "text.end_unopened"
    assert told["violations"][0]["ids"] == [NASTY]


def test_the_junit_file_is_xml_with_one_case_a_violation():
    broken = check_ordering(
        run(event("TEXT_MESSAGE_END", messageId=f"{NASTY}\n\x01\ud800")),
        profile="teach",
    )
    suite = parsed(broken.to_junit(name="a<b"))
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == (
        "a<b",
        "1",
        "1",
    )
    failure = suite[0][0]
    assert failure.get("type") == "text.end_unopened"


def test_remarks_are_passed_cases_of_the_junit_file():
    remarked = check_ordering(
        run(event("CUSTOM", name="ping", value=1)), profile="teach"
    )
    suite = parsed(remarked.to_junit())
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    clean = parsed(check_ordering(run()).to_junit())
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")


def test_bytes_of_any_kind_are_read_as_server_sent_events():
    body = b'data: {"type":"RUN_ERROR","message":"gone"}\n\n'
    for given in (body, bytearray(body), memoryview(body)):
        assert check_ordering(given).count == 1


class Recorded:
    events = (event("RUN_ERROR", message="gone"),)


def test_a_recording_and_text_are_read_too():
    line = '{"type":"RUN_ERROR","message":"gone"}'
    for given in (
        Recorded(),
        f"{line}\n\n",
        f"data: {line}\n\n",
        f": hello\n\ndata:{line}",
    ):
        report = check_ordering(given)
        assert (report.ok, report.count) == (True, 1)


@pytest.mark.parametrize("given", ["tidy.jsonl", Path("tidy.jsonl"), 7, None, {}])
def test_what_is_no_stream_says_who_opens_files(given: object):
    with pytest.raises(TypeError, match=r"Recording\.load"):
        check_ordering(given)


def test_after_a_bad_status_the_body_is_not_read():
    report = check_ordering(b"data: {oops}\n\n", status=500)
    assert [v.rule for v in report.violations] == ["http.status"]


def test_a_done_frame_is_skipped_in_the_dialect_that_has_it():
    body = b'data: {"type":"RUN_ERROR","message":"gone"}\n\ndata: [DONE]\n\n'
    assert not check_ordering(body).ok
    assert check_ordering(body, dialect="tanstack").ok


def test_an_event_keeps_its_place_behind_a_bad_frame():
    body = b'data: {oops}\n\ndata: {"type":"RUN_FINISHED"}\n\n'
    places = [(v.rule, v.index) for v in check_ordering(body).violations]
    assert places[:2] == [("frame.bad_json", 0), ("schema.malformed", 1)]
