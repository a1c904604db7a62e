"""What a chat finds wrong with its gate before anything is said."""

from __future__ import annotations

import pytest

import aistream_nb as ai


def test_a_misspelt_rule_is_refused_where_the_chat_is_made():
    for rule, meant in (
        (ai.Rule.deny("book_fery"), "book_ferry"),
        (ai.Rule.deny("book_ferry", raeson="too dear"), "reason="),
    ):
        with pytest.raises(ValueError, match=meant):
            ai.Chat("offline", gate=ai.ApprovalGate(rules=[rule]))


def test_a_rule_for_a_tool_of_another_chat_is_told():
    gate = ai.ApprovalGate(rules=[ai.Rule.deny("wipe_disk")])
    with pytest.warns(UserWarning, match="wipe_disk") as told:
        ai.Chat("offline", gate=gate)
    assert told[0].filename == __file__


def wipe_disks() -> str:
    """Nothing is left."""
    return "done"


def test_of_a_server_that_has_tools_of_its_own_nothing_is_known():
    gate = ai.ApprovalGate(rules=[ai.Rule.deny("wipe_disk")])
    server = ai.Chat("http://127.0.0.1:9/agent", tools=[wipe_disks], gate=gate)
    assert server.gate is gate
