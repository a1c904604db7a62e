"""The book decides: snapshots in, commands out, without a loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from aistream_nb.core.invocation.call import Policy
from aistream_nb.core.invocation.calls import CallBook
from aistream_nb.core.invocation.commands import (
    CloseArguments,
    Deliver,
    Execute,
    Open,
    Stream,
    Tell,
)
from aistream_nb.core.invocation.events import Diagnostic, ToolResponse


class Outside:
    """Every tool can be called, and nobody knows whose a call is."""

    def __init__(self) -> None:
        self.reports: list[Diagnostic] = []

    def executable(self, tool_name: str) -> bool:
        return tool_name == "work"

    def ownership(self, part: Mapping[str, Any]) -> bool | None:
        return part.get("ours")

    def report(self, diagnostic: Diagnostic) -> None:
        self.reports.append(diagnostic)


def call(tool_call_id: str, text: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "tool-call",
        "toolCallId": tool_call_id,
        "toolName": "work",
        "argsText": text,
    } | fields


def shown(*parts: Any, running: bool = True, **fields: Any) -> dict[str, Any]:
    return {"messages": [{"content": list(parts)}], "isRunning": running} | fields


def book(**policy: Any) -> tuple[CallBook, Outside]:
    outside = Outside()
    made = CallBook(Policy(**policy), outside)
    assert made.receive(shown()) == []
    return made, outside


def names(commands: list[Any]) -> list[str]:
    return [type(command).__name__ for command in commands]


def test_a_whole_call_is_opened_streamed_closed_and_executed() -> None:
    made, _ = book()
    opened, streamed, closed, executed = made.receive(shown(call("c", '{"n":1}')))
    assert isinstance(opened, Open)
    assert isinstance(streamed, Stream)
    assert isinstance(closed, CloseArguments)
    assert isinstance(executed, Execute)
    assert streamed.text == '{"n":1}'
    assert executed.call.value == {"n": 1}
    assert executed.call is opened.call


def test_text_comes_before_its_end_and_the_end_before_the_answer() -> None:
    made, _ = book()
    commands = made.receive(shown(call("c", "", result=1)))
    assert names(commands) == ["Open", "Stream", "CloseArguments", "Deliver"]
    assert isinstance(commands[1], Stream)
    assert commands[1].text == "{}"
    assert isinstance(commands[3], Deliver)
    assert commands[3].response == ToolResponse(1)


def test_an_unchanged_snapshot_wants_nothing() -> None:
    made, _ = book()
    made.receive(shown(call("c", '{"n":1}')))
    assert made.receive(shown(call("c", '{"n":1}'))) == []


def test_calls_that_are_discarded_at_first_sight_stay_so() -> None:
    made, _ = book()
    commands = made.receive(shown(call("c", "{}"), discardedToolCallIds=["c"]))
    assert names(commands) == ["Open", "Stream", "CloseArguments"]
    assert made.receive(shown(call("c", "{}"), running=False)) == []
    assert made.ledger.of("c")[0].outcome == "discarded"


def test_ownership_is_asked_of_the_part() -> None:
    made, outside = book(execute_when="run_settled")
    assert "Execute" in names(made.receive(shown(call("c", "{}", ours=True))))
    assert "Execute" not in names(made.receive(shown(call("d", "{}", ours=False))))
    assert [report.code for report in outside.reports] == ["provider-owned"]
    assert "Execute" not in names(made.receive(shown(call("e", "{}"))))
    assert "Execute" in names(made.receive(shown(call("e", "{}"), running=False)))


class Hostile(Mapping[str, Any]):
    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def __getitem__(self, key: str) -> Any:
        if key in self.fields:
            return self.fields[key]
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)


def test_a_part_that_raises_is_reported_once_and_hides_no_other() -> None:
    made, outside = book()
    bad = Hostile({"type": "tool-call"})
    commands = made.receive(shown(bad, call("c", "{}")))
    assert names(commands) == ["Open", "Stream", "CloseArguments", "Execute"]
    assert made.receive(shown(bad, call("c", "{}"))) == []
    (report,) = outside.reports
    assert report.code == "malformed-call"
    assert isinstance(report.error, RuntimeError)


class Faceless:
    """Something that raises even when asked what it is."""

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride] -- hostile on purpose
        raise RuntimeError("nobody")


def test_a_snapshot_that_raises_when_it_is_looked_at_changes_nothing() -> None:
    made, outside = book()
    assert made.receive(Faceless()) == []
    (report,) = outside.reports
    assert report.code == "unreadable-snapshot"
    assert isinstance(report.error, RuntimeError)


def test_the_reports_about_malformed_calls_are_bounded() -> None:
    made, outside = book()
    made.receive(shown(*[call("c", "{}", toolCallId=None)] * 1200))
    assert len(outside.reports) == 1000


def test_a_vanished_restored_call_that_is_given_up_is_not_promoted() -> None:
    outside = Outside()
    made = CallBook(Policy(vanished_calls=1), outside)
    made.receive(shown(call("a", '{"n":'), call("b", '{"n":')))
    made.receive(shown())
    assert [report.code for report in outside.reports] == ["vanished"]
    commands = made.receive(shown(call("a", '{"n":1}'), call("b", '{"n":1}')))
    executed = [c.call.tool_call_id for c in commands if isinstance(c, Execute)]
    assert executed == ["b"]


def test_a_call_that_comes_back_as_history_is_not_counted_as_gone() -> None:
    made, _ = book()
    made.receive(shown(call("a", '{"n":')))
    made.receive(shown())
    commands = made.receive(shown(call("a", '{"n":1}'), isLoading=True))
    assert names(commands) == ["Tell"]
    assert isinstance(commands[0], Tell)
    assert "Execute" in names(made.receive(shown(call("a", '{"n":1}'))))


def test_a_reset_begins_an_epoch_and_keeps_what_was_decided() -> None:
    made, _ = book()
    made.receive(shown(call("a", "{}"), call("b", "{}", result=1)))
    dead = made.reset()
    assert {found.tool_call_id for found in dead} == {"a", "b"}
    assert made.epoch == 2
    made.receive(shown(call("a", "{}")))
    assert [row.epoch for row in made.ledger.of("a")] == [1, 2]
    assert made.reset() == []


@pytest.mark.parametrize("count", [2000])
def test_the_ledger_of_past_epochs_is_bounded(count: int) -> None:
    made, _ = book()
    made.receive(shown(*(call(f"c{n}", "{}") for n in range(count))))
    made.reset()
    assert len(made.ledger) == 1000


def test_a_text_that_is_the_same_as_the_diverged_one_is_told_once() -> None:
    made, outside = book()
    made.receive(shown(call("c", '{"n":1')))
    for _ in range(3):
        made.receive(shown(call("c", '{"m"')))
    assert [report.code for report in outside.reports] == ["args-regressed"]
    assert names(made.receive(shown(call("c", '{"n":1')))) == []
    made.receive(shown(call("c", '{"m"')))
    assert len(outside.reports) == 2


def test_e2_a_part_that_raises_when_it_grows_is_malformed_and_hides_no_other() -> None:
    class Fragile(Mapping[str, Any]):
        def __init__(self, fields: dict[str, Any], bad: str) -> None:
            self.fields, self.bad = fields, bad

        def __getitem__(self, key: str) -> Any:
            if key == self.bad:
                raise RuntimeError(key)
            return self.fields[key]

        def __iter__(self) -> Iterator[str]:
            return iter(self.fields)

        def __len__(self) -> int:
            return len(self.fields)

    made, outside = book()
    made.receive(shown(call("c", "{")))
    made.receive(shown(call("c", '{"n"')))
    fragile = Fragile(call("c", '{"n":'), "toolName")
    messages = [{"content": [fragile]}, {"content": [call("d", "{")]}]
    commands = made.receive({"messages": messages, "isRunning": True})
    assert names(commands) == ["Open", "Stream", "Tell"]
    assert [report.code for report in outside.reports] == ["malformed-call"]
    assert made.receive(shown(call("c", '{"n":1}')))


@pytest.mark.parametrize(("name", "codes"), [("other", []), (None, ["malformed-call"])])
def test_a_call_whose_name_changes_grows_and_one_without_a_name_does_not(
    name: object, codes: list[str]
) -> None:
    made, outside = book()
    made.receive(shown(call("c", "{")))
    commands = made.receive(shown(call("c", '{"n"', toolName=name)))
    assert [command.text for command in commands if isinstance(command, Stream)] == (
        [] if codes else ['"n"']
    )
    assert [report.code for report in outside.reports] == codes
