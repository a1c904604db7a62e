"""One call: what is kept, and what is forgotten."""

from __future__ import annotations

from aistream_nb.core.invocation.call import Call, Policy
from aistream_nb.core.invocation.machines import Input, Move, Standing


def test_a_forgotten_call_keeps_its_id_and_where_it_stands() -> None:
    call = Call(1, "c", "work", Standing())
    call.args.receive('{"n":1')
    call.observed = "other"
    call.standing.move(Move.DISCARD)
    call.forget()
    assert (call.args.tracked, call.observed, call.answer) == ("", None, None)
    assert call.standing.input is Input.COMPLETE
    row = call.row
    assert (row.epoch, row.tool_call_id, row.tool_name) == (1, "c", "work")
    assert row.why_not_run == "it was discarded"


def test_calls_are_compared_by_identity() -> None:
    assert Call(1, "c", "work", Standing()) != Call(1, "c", "work", Standing())


def test_a_policy_runs_as_soon_as_it_can_and_asks_nobody() -> None:
    policy = Policy()
    assert (policy.execute_when, policy.on_divergence) == ("args_complete", None)
    assert not policy.gated
    assert not policy.assistant_only
