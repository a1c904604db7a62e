"""The ledger of a chat: did it run twice, and why did it not run?"""

from __future__ import annotations

from agui_kit import (
    AGUIServer,
    Charts,
    allow,
    answer,
    call,
    finished,
    somebody,
    started,
    until,
)
from chat_kit import offline

import aistream_nb as ai
from aistream_nb.chat.ledger import ChatLedger
from aistream_nb.conversation import Conversation
from aistream_nb.core.invocation.ledger import Ledger, LedgerRow
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT


async def test_a_provider_s_calls_are_told_with_what_was_decided():
    chat = offline()
    assert repr(chat.ledger) == "No tool was called."

    await chat.send(OFFLINE_BOOKING_PROMPT)

    assert [row.tool_name for row in chat.ledger][-1] == "book_ferry"
    assert [row.runs for row in chat.ledger] == [1, 1, 0]
    last = chat.ledger.rows[-1]
    assert last.why_not_run.startswith("the gate denied it: nobody was watching")
    assert chat.ledger.of(last.tool_call_id) == (last,)
    assert len(chat.ledger) == len(chat.ledger.value) == 3
    forms = chat.ledger._repr_mimebundle_()
    assert forms["text/plain"] == repr(chat.ledger)
    assert forms["text/html"].startswith("<table")


async def test_edited_arguments_that_do_not_fit_are_no_run():
    gate = ai.ApprovalGate()
    chat = offline(gate=gate)
    chat._view.audience = somebody  # a person watches
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))

    chat.approve(arguments={"departure": []})
    await run

    last = chat.ledger.rows[-1]
    assert (last.runs, last.why_not_run) == (0, "the changed arguments do not fit")


async def test_what_was_saved_is_history():
    chat = offline()
    await chat.send(OFFLINE_BOOKING_PROMPT)

    again = ai.Chat.restore(chat.recording, pace=0)

    assert {row.outcome for row in again.ledger} == {"recorded"}
    assert {row.runs for row in again.ledger} == {0}
    assert [row.ran_before for row in again.ledger] == [1, 1, 0]
    caption, *lines = repr(again.ledger).splitlines()
    assert caption == "3 calls, 0 ran here, 2 in the recording, none ran twice."
    assert [line.partition(": ")[2] for line in lines] == [
        "ran once, in the recording (history)",
        "ran once, in the recording (history)",
        "did not run: it was answered in history (history)",
    ]
    assert "ran 1x in the recording" not in str(again.ledger.rows[2])
    assert (
        str(again.ledger.rows[0])
        .partition(" (")[0]
        .endswith("it was answered in history; it ran 1x in the recording")
    )


async def test_a_server_s_calls_are_the_tracker_s_and_the_table_follows_them():
    charts = Charts()
    charts.go_on.clear()
    show = call("c1", "show_chart", '{"kind": "bar"}')
    server = AGUIServer([started(), *show, finished("c1")], answer("There."))
    chat = server.chat(tools=[charts.tool()], gate=allow)
    widget = chat.ledger.widget()
    assert chat.ledger.widget() is widget

    run = chat.start("Show me")
    await charts.reached.wait()
    await until(lambda: widget.lines != [])
    assert [row.outcome for row in chat.ledger] == ["executing"]
    charts.go_on.set()
    await run
    said = "asked, approved, ran, answered"
    await until(lambda: widget.lines[0]["decisions"] == said)

    assert widget.caption == "1 call, 1 ran, none ran twice."
    await chat.aclose()
    chat.ledger.changed()
    chat.ledger.close()


def test_the_static_forms_hold_no_secret():
    row = LedgerRow(1, "c1", "hunter2", ("invoke",), "settled", 1, "")
    ledger = ChatLedger(
        lambda: Ledger((row,)),
        Conversation(),
        hide=lambda text: text.replace("hunter2", "***"),
    )

    forms = ledger._repr_mimebundle_()

    assert "hunter2" not in forms["text/plain"] + forms["text/html"]
