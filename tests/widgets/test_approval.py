"""A decision counts once, for the question it was shown with, if it fits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aistream_nb.core.tool_spec import ToolAnnotations
from aistream_nb.widgets.approval import ApprovalDesk
from aistream_nb.widgets.wire import DecideAction

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "deep": {"items": {"type": "integer"}}},
    "required": ["path"],
}


def call(**members: Any) -> Any:
    fields = {
        "id": "c",
        "name": "delete_file",
        "arguments": '{"path": "x"}',
        "status": "awaiting-approval",
        "approval_id": "a",
        "annotations": {"destructiveHint": True, "title": "Delete"},
        "parameters": SCHEMA,
        **members,
    }
    return SimpleNamespace(**fields)


class Desk(ApprovalDesk):
    def __init__(self, **members: Any) -> None:
        self.call = call(**members)
        self.conversation: Any = SimpleNamespace(tool_calls={"c": self.call})
        super().__init__(self.conversation, hint="wait", new_nonce=lambda: "n")


def decide(**members: Any) -> DecideAction:
    fields: dict[str, Any] = {
        "id": "1",
        "call": "c",
        "approval": "a",
        "nonce": "n",
        "decision": "proceed",
        **members,
    }
    return DecideAction(**fields)


def test_a_waiting_call_is_shown_with_what_a_person_needs() -> None:
    view = Desk().view(call())
    assert view.title == "Delete"
    assert view.approval is not None
    assert view.approval.words == ("may be impossible to undo",)
    assert view.approval.danger
    assert view.approval.json_schema == SCHEMA
    assert (view.approval.hint, view.approval.scope) == ("wait", "in this chat")


def test_a_call_that_does_not_wait_has_no_approval() -> None:
    assert Desk().view(call(status="complete", result="x")).approval is None


@pytest.mark.parametrize(
    ("annotations", "title"),
    [
        (ToolAnnotations(title="T"), "T"),
        ({"title": 3}, ""),
        (ToolAnnotations(), ""),
        (None, ""),
    ],
)
def test_titles_come_from_either_form_of_annotations(
    annotations: Any, title: str
) -> None:
    assert Desk().view(call(annotations=annotations)).title == title


def test_a_fitting_decision_counts() -> None:
    desk = Desk()
    assert desk.check(decide()) == ""
    assert desk.check(decide(decision="deny", arguments="nonsense")) == ""


def test_it_counts_once_unless_it_was_refused_after_all() -> None:
    desk = Desk()
    desk.decided(decide())
    assert "a moment ago" in desk.check(decide(id="2"))
    desk.reopen(decide())
    assert desk.check(decide(id="3")) == ""


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"call": "x"}, "no such tool call"),
        ({"approval": "b"}, "out of date"),
        ({"nonce": "m"}, "out of date"),
        ({"nonce": "é"}, "out of date"),
        ({"arguments": "{"}, "not JSON"),
        ({"arguments": "[]"}, "one JSON object"),
        ({"arguments": "{}"}, "do not fit at the top"),
        ({"arguments": '{"path": 1}'}, "do not fit at ['path']"),
        ({"arguments": '{"path": "x", "deep": ["y"]}'}, "['deep'][0]"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(
    members: dict[str, str], words: str
) -> None:
    assert words in Desk().check(decide(**members))


def test_edited_arguments_that_fit_are_accepted() -> None:
    assert Desk().check(decide(arguments='{"path": "y"}')) == ""


@pytest.mark.parametrize("schema", [None, {"type": "no such type"}])
def test_without_a_usable_schema_the_tool_itself_judges(schema: Any) -> None:
    assert Desk(parameters=schema).check(decide(arguments='{"any": 1}')) == ""


@pytest.mark.parametrize(
    ("status", "by", "words"),
    [
        ("denied", "you", "Already denied by you."),
        ("complete", "policy", "Already approved by policy."),
        ("aborted", "", "Already stopped."),
    ],
)
def test_who_was_first_is_told(status: str, by: str, words: str) -> None:
    assert Desk(status=status, decided_by=by).check(decide()) == words


def test_a_call_without_an_approval_id_is_asked_about_by_its_own() -> None:
    desk = Desk(approval_id="")
    view = desk.view(desk.call)
    assert view.approval is not None
    assert view.approval.id == "c"
    assert desk.check(decide(approval="c")) == ""


def test_nonces_are_hard_to_guess() -> None:
    conversation: Any = SimpleNamespace(tool_calls={})
    desk = ApprovalDesk(conversation)
    first, second = desk.view(call()).approval, desk.view(call(id="d")).approval
    assert first is not None
    assert second is not None
    assert len(first.nonce) == 16
    assert first.nonce != second.nonce
    assert desk.view(call()).approval == first
