"""AG-UI against its cases: order, messages, patches, frames, reports, recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cases
import pytest
from join_agui import apply_events, apply_patch, check_order, read_sse

from aistream_nb.core.normalise.normaliser import Normaliser
from aistream_nb.core.ordering.report import OrderingReport, check_ordering
from aistream_nb.core.ordering.validate import AG_UI_VALIDATE
from aistream_nb.core.thread.reducer import ThreadReducer
from aistream_nb.core.wire.frames import AGUIFrames
from aistream_nb.core.wire.proto import ProtoFrames
from aistream_nb.core.wire.reader import EventReader

RECORDINGS = cases.root() / "agui" / "recordings"


def verdict(case: dict[str, Any], profile: Any = "client") -> dict[str, Any]:
    found = check_order(case, profile)
    return {key: found[key] for key in ("ok", "failing_index", "rule")}


def check_verdict(case: dict[str, Any]) -> None:
    expect = case["expect"]
    wanted = {key: expect[key] for key in ("ok", "failing_index", "rule")}
    assert verdict(case) == wanted
    built = apply_events(case)
    left = {"pending_tool_call_ids": [], "pending_interrupts": []}
    said = {"outcome": None, "run_error": None}
    for key in ("messages", "state", "ended", *said, *left):
        assert built[key] == expect.get(key, {**said, **left}.get(key)), key


@cases.parametrize("agui/cases")
def test_a_case_is_judged_and_built_as_the_official_client_does(case: dict[str, Any]):
    check_verdict(case)


@cases.parametrize("agui/random.jsonl")
def test_a_random_stream_is_judged_and_built_as_the_official_client_does(
    case: dict[str, Any],
):
    check_verdict(case)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case["name"], marks=pytest.mark.cases("agui/cases (spec)")
        )
        for case in cases.load("agui/cases")
        if "spec" in case
    ],
)
def test_the_prose_is_kept_where_it_differs_from_the_client(case: dict[str, Any]):
    found = check_order(case, "spec")
    assert (found["ok"], found["rule"]) == (case["spec"]["ok"], case["spec"]["rule"])


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case["name"], marks=pytest.mark.cases("agui/cases (spec)")
        )
        for case in cases.load("agui/cases")
        if "spec" not in case
    ],
)
def test_the_prose_agrees_with_the_client_everywhere_else(case: dict[str, Any]):
    found, expect = check_order(case, "spec"), case["expect"]
    assert (found["ok"], found["rule"]) == (expect["ok"], expect["rule"])


@cases.parametrize("agui/cases")
def test_what_the_client_refuses_is_refused_by_every_profile(case: dict[str, Any]):
    for profile in ("spec", "teach"):
        found = check_order(case, profile)["violations"]
        fatal = next((v for v in found if v["level"] == "fatal"), None)
        if case["expect"]["ok"]:
            assert fatal is None
        else:
            assert fatal is not None
            assert fatal["rule"] == case["expect"]["rule"]
            assert fatal["index"] == case["expect"]["failing_index"]


@cases.parametrize("agui/random.jsonl")
def test_the_other_checker_finds_nothing_that_is_not_found_here_random(
    case: dict[str, Any],
):
    check_the_other_checker(case)


@cases.parametrize("agui/cases")
def test_the_other_checker_finds_nothing_that_is_not_found_here(case: dict[str, Any]):
    check_the_other_checker(case)


def check_the_other_checker(case: dict[str, Any]) -> None:
    found = check_order(case, "teach")
    rules = {violation["rule"] for violation in found["violations"]}
    for name in (case.get("ag_ui_validate") or {}).get("rules", ()):
        ours = AG_UI_VALIDATE[name]
        assert not found["ok"] or rules & {*ours.rules} or ours.difference, name


@cases.parametrize("agui/patch.jsonl")
def test_a_patch_does_what_the_reference_does(case: dict[str, Any]):
    result = apply_patch(case["base"], case["patch"])
    assert result == {"state": case["state"], "failed": case["failed"]}


@cases.parametrize("agui/reports.json")
def test_a_reported_bug_gets_its_verdict_and_no_other(case: dict[str, Any]):
    client = case["client_1_0_0"]
    assert verdict(case) == {k: client[k] for k in ("ok", "failing_index", "rule")}
    assert apply_events(case)["messages"] == client["messages"]
    wanted = case["verdict"]
    found = [
        v for v in check_order(case, "teach")["violations"] if v["level"] != "info"
    ]
    if wanted["level"] == "ok":
        assert found == []
        return
    assert (found[0]["rule"], found[0]["index"]) == (wanted["rule"], wanted["index"])
    assert (found[0]["level"] == "warning") == (wanted["level"] == "warning")
    assert [v["level"] for v in found[1:]] in ([], ["warning"])


@cases.parametrize("agui/sse.json")
def test_a_body_is_read_as_it_should_be(case: dict[str, Any]):
    body, want = case["body"].encode(), case["want"]
    answer = {key: case[key] for key in ("status", "content_type") if key in case}
    every_byte = list(range(1, len(body)))
    for splits in (None, every_byte, every_byte[::7]):
        found = read_sse(body, splits, **answer)
        assert found["ok"] == want["ok"]
        assert found["rule"] == want.get("rule")
        assert found.get("warnings", []) == ([want["warn"]] if "warn" in want else [])
        if want["ok"] and case["client_1_0_0"]["ok"]:
            assert found["delivered"] == case["client_1_0_0"]["delivered"]
            assert found["messages"] == case["client_1_0_0"].get("messages", [])
    if want.get("dialect_ok"):
        assert read_sse(body, skip_done=True, **answer)["ok"]


# ---------------------------------------------------------------- recordings


def verdicts() -> dict[str, str]:
    path = RECORDINGS / "VERDICTS.txt"
    if not path.exists():
        return {}
    lines = path.read_text("utf-8").splitlines()
    return dict(
        line.split(": client ", 1) for line in lines if not line.startswith(" ")
    )


def each_recording(said: Any = lambda _name: True) -> pytest.MarkDecorator:
    names = [name for name in verdicts() if said(name)]
    return pytest.mark.parametrize(
        ("name"),
        [
            pytest.param(name, id=name, marks=pytest.mark.cases("agui/recordings"))
            for name in names
        ],
    )


def body_of(name: str) -> bytes:
    return (RECORDINGS / f"{name}.sse").read_bytes()


def request_of(name: str) -> dict[str, Any]:
    path = RECORDINGS / f"{name}.request.json"
    return json.loads(path.read_text("utf-8")).get("request") or {}


def events_of(name: str) -> list[dict[str, Any]]:
    frames = AGUIFrames()
    read = (*frames.receive(body_of(name)), *frames.close())
    return [dict(frame.event) for frame in read if frame.event is not None]


def replayed(name: str, events: list[Any] | None = None) -> ThreadReducer:
    request = request_of(name)
    reducer = ThreadReducer(
        messages=request.get("messages") or (), state=request.get("state")
    )
    reader = EventReader()
    for event in events_of(name) if events is None else events:
        for explicit in reader.receive(event).events:
            reducer.receive(explicit)
    return reducer


@each_recording()
def test_a_recording_is_judged_as_the_official_client_did(name: str):
    words = verdicts()[name].split(" | ")[0].split()
    report = check_ordering(events_of(name), profile="client")
    if words[0] == "FAIL":
        first = report.violations[0]
        assert (first.rule, f"@{first.index}") == (words[1], words[2])
    else:
        assert report.violations == ()


@each_recording(lambda name: verdicts()[name].startswith("ok"))
def test_a_legal_recording_replays_to_what_the_server_meant(name: str):
    said = verdicts()[name].split(" warns=")[0].split(" | ")[0]
    reducer = replayed(name)
    pending = reducer.pending_tool_call_ids
    interrupts = [interrupt["id"] for interrupt in reducer.pending_interrupts]
    assert said == (
        f"ok ended={reducer.ended} outcome={reducer.outcome} "
        f"pend={pending} int={interrupts}"
    )


@each_recording(lambda name: not name.startswith("tanstack"))
def test_a_recording_in_ag_ui_1_0_passes_the_normaliser_untouched(name: str):
    events = events_of(name)
    normaliser = Normaliser()
    made = [one for event in events for one in normaliser.receive(event)]
    assert all(one.event is event for one, event in zip(made, events, strict=True))
    assert normaliser.close() == ()
    assert normaliser.dialect == "official"


@each_recording(lambda name: name.startswith("tanstack"))
def test_a_recording_of_an_older_dialect_becomes_legal(name: str):
    report = check_ordering(body_of(name), profile="client", dialect="tanstack")
    assert report.violations == ()


@each_recording(lambda name: name.startswith("tanstack-0.5-"))
def test_what_was_translated_is_told_with_its_place(name: str):
    report = check_ordering(body_of(name), profile="teach", dialect="tanstack")
    told = [v for v in report.violations if v.level == "dialect"]
    assert told
    assert {v.rule for v in told} == {"dialect.translated"}
    assert report.ok


def read_in_pieces(body: bytes, size: int) -> OrderingReport:
    frames = AGUIFrames()
    read = [
        frame
        for start in range(0, len(body), size)
        for frame in frames.receive(body[start : start + size])
    ]
    events = [f.event for f in (*read, *frames.close()) if f.event is not None]
    return check_ordering(events, profile="teach")


@each_recording(lambda name: name.endswith(("-tool", "-thinking", "-1", "-error")))
def test_a_recording_reads_the_same_whole_and_byte_by_byte(name: str):
    body = body_of(name)
    assert read_in_pieces(body, 1) == read_in_pieces(body, len(body))


def test_the_binary_sample_is_read_as_the_events_that_it_was_made_of():
    body = RECORDINGS / "proto-sample.bin"
    if body.exists():
        said = json.loads((RECORDINGS / "proto-sample.json").read_text("utf-8"))
        content = body.read_bytes()
        for place in range(len(content)):
            frames = ProtoFrames()
            pieces = (content[:place], content[place:])
            read = [frame for piece in pieces for frame in frames.receive(piece)]
            assert [frame.event for frame in read] == said["events"]
            assert frames.close() == ()
        report = check_ordering(body.read_bytes(), content_type=said["content_type"])
        assert report.violations == ()


# What the servers do that is not as it should be, and the rule that says so. What is
# not here cannot be seen in a stream: which call a server ran, that it ignored a
# resume list, and how it broke off its HTTP body.
DEVIATIONS = {
    "pydantic-ai-interleaved": {"tool.args_unopened"},
    "pydantic-ai-sealed": {"reasoning.encrypted_unknown"},
    "pydantic-ai-approval-2-noresume": {
        "input.interrupt_uncovered",
        "interrupt.reported_success",
    },
    "pydantic-ai-badargs": {"tool.args_not_json"},
    "ag-ui-langgraph-interrupt-approve-1": {
        "tool.args_only_in_snapshot",
        "interrupt.call_not_named",
        "interrupt.own_convention",
        "run.version_missing",
    },
    "ag-ui-langgraph-tool": {
        "tool.args_not_json",
        "tool.result_id_is_call_id",
        "snapshot.rekeyed_message",
        "run.version_missing",
    },
    "ag-ui-langgraph-interleaved": {"tool.args_not_json"},
    "ag-ui-langgraph-approval-1-ask": {
        "interrupt.own_convention",
        "interrupt.reported_success",
    },
    "ag-ui-langgraph-approval-2-resume": {
        "tool.replayed_from_history",
        "tool.result_id_is_call_id",
        "snapshot.rekeyed_message",
    },
    "ag-ui-langgraph-twopay-1": {"interrupt.call_not_named"},
    "ag-ui-langgraph-twopay-2-partial": {"tool.replayed_from_history"},
    "agent-framework-approval-approve-1": {
        "interrupt.own_convention",
        "run.version_missing",
    },
    "agent-framework-approval-approve-2": {"snapshot.rekeyed_message"},
    "agent-framework-approval-cancel-2": {"interrupt.call_unanswered"},
    "agno-approval-approve-1": {"tool.left_unanswered", "run.version_missing"},
    "agno-approval-approve-2": {
        "tool.replayed_from_history",
        "tool.duplicate_result",
        "tool.result_id_is_call_id",
    },
    "agno-tool": {"tool.result_id_is_call_id"},
    "llama-index-tool": {
        "tool.left_unanswered",
        "snapshot.rekeyed_message",
        "event.timestamp_unit",
    },
    "strands-approval-approve-1": {"interrupt.call_not_named"},
    "strands-frontend-1": {"run.pending_list_missing"},
    "adk-approval2-approve-1": {
        "interrupt.own_convention",
        "interrupt.reported_success",
    },
    "adk-thinking": {"message.repeated"},
    "crewai-error": {"schema.unknown_member"},
    "tanstack-0.58-tool": {"run.after_finished", "run.id_mismatch"},
    "tanstack-0.5-tool": {
        "schema.malformed",
        "schema.unknown_member",
        "run.after_finished",
    },
}


def waiting_before(name: str) -> list[dict[str, Any]]:
    """What the run before this one left for a person to decide."""
    order = sorted(verdicts())
    before = order[order.index(name) - 1] if order.index(name) else name
    stem, number = name.split("-2", maxsplit=1)[0], "-2" in name
    candidates = [n for n in order if number and n.startswith(f"{stem}-1")] or [before]
    return replayed(candidates[0]).pending_interrupts if number else []


@each_recording(lambda name: name in DEVIATIONS)
def test_every_deviation_of_a_real_server_is_reported(name: str):
    report = check_ordering(
        events_of(name),
        profile="teach",
        run_input=request_of(name),
        interrupts=waiting_before(name),
    )
    missing = DEVIATIONS[name] - {violation.rule for violation in report.violations}
    assert not missing, report


def test_every_deviation_that_is_listed_has_its_recording():
    if Path(RECORDINGS).exists() and cases.root() == cases.BUILT_IN:
        assert set(DEVIATIONS) <= set(verdicts())
