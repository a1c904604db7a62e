"""The stream processor against its cases.

Level *core* and *edge* must agree in everything. Level *defect* and *crash* must do
better, as the case says. Of the newer reference (``cases_latest``) we take what the
specification judges worth taking (section 16); what we do not take is listed, member
by member, in ``deviations.toml``. Random cases are compared unless they touch a
defect; then they must only end well.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import cases
import harness
import pytest
from join_processor import is_generated_id, make_processor

Case = dict[str, Any]

_DEVIATIONS = tomllib.loads(
    (Path(__file__).parent / "deviations.toml").read_text("utf-8")
)
_WRONG_LEVELS = ("defect", "crash")
_JUDGED_LEVELS = ("core", "edge")

_WRITTEN = cases.load("processor/cases")
_RANDOM = cases.load("processor/random.jsonl")


def _defects() -> frozenset[str]:
    """The quirks that the written cases call defects."""
    known = [*_WRITTEN, *_built_in()]
    wrong = {q for c in known if c["level"] in _WRONG_LEVELS for q in _quirks(c)}
    return frozenset(wrong - {q for c in known if _is_judged(c) for q in _quirks(c)})


def _built_in() -> Iterable[Case]:
    return harness.load(str(cases.BUILT_IN / "processor/cases"))


def _quirks(case: Case) -> list[str]:
    return case.get("quirks") or []


def _is_judged(case: Case) -> bool:
    return case["level"] in _JUDGED_LEVELS


def _touches_defect(case: Case) -> bool:
    return not _DEFECTS.isdisjoint(_quirks(case))


_DEFECTS = _defects()


def _each(
    found: Iterable[Case], folder: str, keep: Callable[[Case], bool]
) -> pytest.MarkDecorator:
    params = [
        pytest.param(case, id=case["name"], marks=pytest.mark.cases(folder))
        for case in found
        if keep(case)
    ]
    return pytest.mark.parametrize("case", params)


def _deviation(folder: str, case: Case) -> dict[str, Any]:
    return _DEVIATIONS.get(folder, {}).get(case["name"], {})


def _skip_if_listed(folder: str, case: Case) -> None:
    deviation = _deviation(folder, case)
    if deviation and "members" not in deviation:
        pytest.skip(deviation["reason"])  # each stands in deviations.toml


def _run(case: Case, **options: Any) -> dict[str, Any]:
    asked = {**case, "options": {**(case.get("options") or {}), **options}}
    return harness.run(asked, make_processor, is_generated_id=is_generated_id)


@_each(_WRITTEN, "processor/cases", _is_judged)
def test_a_core_or_edge_case_agrees(case: Case):
    _skip_if_listed("processor/cases", case)
    assert not harness.check(case, make_processor, is_generated_id=is_generated_id)


@_each(_RANDOM, "processor/random.jsonl", lambda case: not _touches_defect(case))
def test_a_random_case_without_a_defect_agrees(case: Case):
    _skip_if_listed("processor/random.jsonl", case)
    assert not harness.check(case, make_processor, is_generated_id=is_generated_id)


@_each(_RANDOM, "processor/random.jsonl (touches a defect)", _touches_defect)
def test_a_random_case_with_a_defect_ends_well(case: Case):
    got = _run(case)
    provoked = [t["step"] for t in case["expect"].get("throws", [])]
    assert [t["step"] for t in got.get("throws", [])] == provoked


@_each(
    _WRITTEN, "processor/cases (better)", lambda case: case["level"] in _WRONG_LEVELS
)
def test_a_defect_of_the_reference_is_done_better(case: Case):
    _skip_if_listed("processor/cases", case)
    got = _run(case)
    for member, wanted in case["better"].items():
        judge = _JUDGES.get(member)
        assert judge is None or judge(got, wanted), (member, wanted, got)


def _judge_parts(got: Case, wanted: list[Any] | None) -> bool:
    found = [message["parts"] for message in got["messages"]]
    if wanted is None:
        return True
    return len(found) == len(wanted) and all(
        want is None or harness.same(want, have)
        for want, have in zip(wanted, found, strict=True)
    )


def _judge_some_members(member: str) -> Callable[[Case, Case], bool]:
    def judge(got: Case, wanted: Case) -> bool:
        return all(harness.same(v, got[member].get(k)) for k, v in wanted.items())

    return judge


def _judge_returns(got: Case, wanted: Case) -> bool:
    """Null in a list means that nothing is asked of that item."""
    for step, want in wanted.items():
        have = got["returns"][step]
        if not isinstance(want, list) or len(want) != len(have):
            return False
        pairs = zip(want, have, strict=True)
        if not all(w is None or harness.same(w, h) for w, h in pairs):
            return False
    return True


def _judge_error(got: Case, wanted: str) -> bool:
    told = [call[1]["message"] for call in got["callbacks"] if call[0] == "onError"]
    return wanted in told


def _judge_fires(got: Case, wanted: list[Any]) -> bool:
    return all(
        any(harness.same(want, have) for have in got["callbacks"]) for want in wanted
    )


def _texts(messages: list[Any]) -> list[str]:
    parts = [part for message in messages for part in message["parts"]]
    return [part["content"] for part in parts if part["type"] == "text"]


_JUDGES: dict[str, Callable[[Case, Any], bool]] = {
    "parts": _judge_parts,
    "texts": lambda got, wanted: _texts(got["messages"]) == wanted,
    "roles": lambda got, wanted: [m["role"] for m in got["messages"]] == wanted,
    "result": _judge_some_members("result"),
    "state": _judge_some_members("state"),
    "returns": _judge_returns,
    "areAllToolsComplete": lambda got, want: got["areAllToolsComplete"] is want,
    "onError": _judge_error,
    "fires": _judge_fires,
    "throws": lambda got, wanted: got.get("throws", []) == wanted,
}


@cases.parametrize("processor/cases_latest")
def test_what_we_take_of_the_newer_reference_agrees(case: Case):
    _skip_if_listed("processor/cases_latest", case)
    left_out = _deviation("processor/cases_latest", case).get("members", [])
    got = _without_done(_run(case, latest=True))
    wanted = _without_done(case["expect"])
    for member in wanted:
        if member not in left_out and member != "warnings":
            assert harness.same(wanted[member], got.get(member)), member


def _without_done(value: Any) -> Any:
    """Without ``state.done``: when a stream is over is told by ``finalize`` alone.

    The newer reference also ends it with the last RUN_FINISHED, which the
    specification wants for long-lived subscriptions only (section 16, row 14).
    """
    if isinstance(value, dict):
        return {k: _without_done(v) for k, v in value.items() if k != "done"}
    return [_without_done(v) for v in value] if isinstance(value, list) else value


def _listed_members() -> Iterable[tuple[str, str]]:
    listed = _DEVIATIONS.get("processor/cases_latest", {})
    return [(name, m) for name in listed for m in listed[name].get("members", [])]


@pytest.mark.parametrize(("name", "member"), _listed_members())
def test_a_listed_deviation_still_deviates(name: str, member: str):
    """A member that agrees by now has no place in the list."""
    for case in cases.load("processor/cases_latest"):
        if case["name"] == name:
            got = _without_done(_run(case, latest=True))
            wanted = _without_done(case["expect"])
            assert not harness.same(wanted[member], got.get(member))


def test_the_reference_is_not_left_out_of_more_than_five_edge_cases():
    assert len(_DEVIATIONS.get("processor/cases", {})) <= 5


def test_a_case_does_not_modify_what_the_caller_handed_in():
    """The case ``host-initial-messages-mutated``, whose better result is silence."""
    case = next(
        (c for c in _WRITTEN if c["name"] == "host-initial-messages-mutated"), None
    )
    if case is None:
        pytest.skip("AISTREAM_CASES names a folder that lacks this case")
    before = repr(case)
    _run(case)
    assert repr(case) == before
