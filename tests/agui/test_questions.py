from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.agui.questions import (
    OpenCall,
    Question,
    answer_to,
    read_arguments,
    read_questions,
    refuse_edit,
)
from aistream_nb.core.tool_spec import Deny, Proceed

PAY = OpenCall("p1", "pay", '{"amount":5}')
OTHER = OpenCall("p2", "pay", '{"amount":7}')


def interrupt(**fields: Any) -> dict[str, Any]:
    return {"id": "i1", "reason": "tool_call", **fields}


def one(**fields: Any) -> Question:
    given: dict[str, Any] = {"interrupts": (), "customs": (), "calls": (), **fields}
    (question,) = read_questions(**given)
    return question


# ---------------------------------------------------------------- reading


def test_an_interrupt_is_about_the_call_that_it_names():
    question = one(interrupts=[interrupt(toolCallId="p2")], calls=[PAY, OTHER])

    assert question.call == OTHER
    assert (question.name, question.arguments) == ("pay", {"amount": 7})
    assert question.is_known


def test_a_call_may_be_a_part_of_the_interrupts_id():
    question = one(
        interrupts=[interrupt(id="v1:tool_call:p2:uuid", reason="pay-approval")],
        calls=[PAY, OTHER],
    )

    assert question.call == OTHER
    assert question.is_known


def test_one_question_and_one_open_call_belong_together():
    asks = interrupt(reason="langgraph:interrupt")

    assert one(interrupts=[asks], calls=[PAY]).call == PAY
    assert one(interrupts=[asks], calls=[PAY, OTHER]).call is None
    assert one(interrupts=[interrupt(reason="acme:x")], calls=[PAY]).call is None
    assert one(interrupts=[asks]).call is None


def test_a_question_without_a_call_shows_what_the_server_says():
    raw = {"langgraph": {"raw": {"question": "Go on?", "n": 1}}}

    question = one(interrupts=[interrupt(reason="acme:ask", metadata=raw)])

    assert question.message == "Go on?"
    assert (question.name, question.arguments) == ("acme:ask", raw)
    assert not question.is_known


def test_an_interrupt_of_nonsense_is_read_as_far_as_it_goes():
    question = one(
        interrupts=[{"id": 7, "metadata": 1, "responseSchema": 2, "expiresAt": 3}]
    )

    assert (question.id, question.name) == ("7", "interrupt")
    assert (question.details, question.schema, question.expires_at) == ({}, {}, None)


def test_the_confirmation_beside_an_outcome_is_no_question():
    aside = OpenCall("x", "confirm_changes", "{}")

    assert one(interrupts=[interrupt(toolCallId="p1")], calls=[PAY, aside]).call == PAY
    assert (
        read_questions(interrupts=(), customs=(), calls=[aside], approvals=["*"]) == ()
    )


def test_custom_events_ask_where_there_is_no_outcome():
    custom = {"type": "CUSTOM", "name": "on_interrupt", "value": '{"question": "Go?"}'}
    plain = {**custom, "value": "just text", "rawEvent": {"id": "raw"}}

    first, second = read_questions(interrupts=(), customs=[custom, plain], calls=())

    assert (first.id, first.message, first.style) == (
        "on_interrupt_1",
        "Go?",
        "on-interrupt",
    )
    assert (second.id, second.arguments) == ("raw", {"value": "just text"})
    assert one(interrupts=[interrupt()], customs=[custom]).style == "outcome"


def test_a_pseudo_call_asks_about_the_original():
    arguments = (
        '{"originalFunctionCall":{"id":"p1"},"toolConfirmation":{"hint":"Approve?"}}'
    )
    asking = OpenCall("adk-1", "adk_request_confirmation", arguments)

    question = one(calls=[PAY, asking])

    assert (question.id, question.call, question.message) == ("adk-1", PAY, "Approve?")
    (entry,) = answer_to(question, Proceed()).resume
    assert entry == {
        "interruptId": "adk-1",
        "status": "resolved",
        "payload": {"confirmed": True},
    }
    nobody = answer_to(question, Deny(), answered=False)
    assert nobody.resume[0]["payload"] == {"confirmed": False}


def test_a_pseudo_call_of_nonsense_asks_about_itself():
    asking = OpenCall("adk-1", "adk_request_confirmation", "[]")

    assert one(calls=[asking]).call == asking


def test_a_silent_call_is_a_question_where_the_host_says_so():
    question = one(calls=[PAY], approvals=["p?y"])

    assert question.style == "pending-call"
    assert answer_to(question, Proceed()).tool_message == '{"accepted":true}'
    assert answer_to(question, Deny()).tool_message == '{"accepted":false}'
    assert answer_to(question, Proceed()).resume == ()
    assert read_questions(interrupts=(), customs=(), calls=[PAY], approvals=["x"]) == ()


def test_interrupts_that_want_a_client_tool_ask_no_person():
    wants = interrupt(reason="tanstack:client_tool_execution")

    assert read_questions(interrupts=[wants], customs=(), calls=()) == ()


def test_arguments_that_are_no_json_are_shown_as_none():
    question = one(
        interrupts=[interrupt(toolCallId="p1")], calls=[OpenCall("p1", "pay", "[")]
    )

    assert question.arguments == {}
    assert read_arguments("[1]") is None


# ---------------------------------------------------------------- answering


@pytest.mark.parametrize(
    ("schema", "yes", "no"),
    [
        ({}, {"approved": True}, {"approved": False, "reason": "why"}),
        ({"type": "boolean"}, True, False),
        (
            {"properties": {"accepted": {"type": "boolean"}}},
            {"accepted": True},
            {"accepted": False},
        ),
        (
            {
                "oneOf": [
                    {"properties": {"approved": {"const": True}}},
                    {"properties": {"approved": {"const": False}, "reason": {}}},
                    7,
                ]
            },
            {"approved": True},
            {"approved": False, "reason": "why"},
        ),
    ],
)
def test_the_schema_says_in_which_words(schema: dict[str, Any], yes: Any, no: Any):
    question = one(interrupts=[interrupt(responseSchema=schema)])

    approved = answer_to(question, Proceed())
    refused = answer_to(question, Deny(reason="why"))

    assert (approved.payload, approved.approved) == (yes, True)
    assert (refused.payload, refused.approved) == (no, False)
    assert refused.resume[0]["status"] == "resolved"


def test_nobody_answering_is_a_cancelled_entry_without_a_payload():
    answer = answer_to(one(interrupts=[interrupt()]), Deny(), answered=False)

    assert answer.resume == ({"interruptId": "i1", "status": "cancelled"},)
    assert not answer.approved


def test_an_edit_goes_where_the_schema_has_a_place_for_it():
    schema = {"properties": {"approved": {}, "editedArgs": {}}}
    question = one(
        interrupts=[interrupt(toolCallId="p1", responseSchema=schema)], calls=[PAY]
    )
    edit = Proceed(arguments={"amount": 3})

    assert refuse_edit(question, edit) is None
    assert answer_to(question, edit).payload == {
        "approved": True,
        "editedArgs": {"amount": 3},
    }


def test_an_edit_without_a_place_is_a_refusal():
    question = one(interrupts=[interrupt(toolCallId="p1")], calls=[PAY])
    silent = one(calls=[PAY], approvals=["*"])
    edit = Proceed(arguments={"amount": 3})

    assert isinstance(refuse_edit(question, edit), Deny)
    assert isinstance(refuse_edit(silent, edit), Deny)
    assert refuse_edit(question, Deny()) is None


def test_arguments_that_were_sent_back_unchanged_are_no_edit():
    question = one(interrupts=[interrupt(toolCallId="p1")], calls=[PAY])
    same = Proceed(arguments={"amount": 5.0})

    assert refuse_edit(question, same) is None
    assert answer_to(question, same).payload == {"approved": True}


def test_an_input_is_what_a_person_filled_in():
    schema = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
    question = one(
        interrupts=[interrupt(reason="input_required", responseSchema=schema)]
    )
    filled = Proceed(arguments={"name": "Ann"})

    assert refuse_edit(question, filled) is None
    assert answer_to(question, filled).payload == {"name": "Ann"}
    assert not answer_to(question, Proceed()).resolved


def test_an_input_that_needs_nothing_may_be_empty():
    question = one(interrupts=[interrupt(reason="input_required")])

    assert answer_to(question, Proceed()).payload == {}


def test_a_tanstack_question_is_answered_in_the_messages():
    question = one(
        interrupts=[interrupt(toolCallId="p1")], calls=[PAY], is_tanstack=True
    )

    assert question.style == "tanstack"
    assert answer_to(question, Proceed()).resume == ()
