from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from chat_kit import offline, until

import aistream_nb as ai
from aistream_nb.chat import view as view_module
from aistream_nb.chat.view import ChatView
from aistream_nb.providers.offline import OFFLINE_BOOKING_PROMPT
from aistream_nb.widgets import display
from aistream_nb.widgets.kernel import KernelEnvironment
from aistream_nb.widgets.wire import (
    DecideAction,
    EditAction,
    PlayAction,
    ReadyAction,
    RetryAction,
    SendAction,
    StopAction,
)

WATCHED = KernelEnvironment(kind="ipykernel", frontend_comms=True, stdin_allowed=True)
UNWATCHED = KernelEnvironment(
    kind="ipykernel", frontend_comms=True, stdin_allowed=False
)


@pytest.fixture
def chat() -> Iterator[ai.Chat]:
    made = offline()
    yield made
    made._view.close()
    made._view.close()


def view_of(chat: ai.Chat) -> ChatView:
    return chat._view


def be_in(place: KernelEnvironment, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Pretend to be somewhere; the answer is what gets displayed."""
    shown: list[Any] = []
    monkeypatch.setattr(view_module, "environment", lambda: place)
    monkeypatch.setattr("aistream_nb.widgets.forms.environment", lambda: place)
    monkeypatch.setattr(display, "show", shown.append)
    return shown


def test_a_script_gets_no_widget(chat: ai.Chat):
    assert set(view_of(chat).mimebundle()) == {"text/plain", "text/html"}
    assert not view_of(chat).watched


def test_where_a_front_end_may_be_the_live_form_comes_along(
    chat: ai.Chat, monkeypatch: pytest.MonkeyPatch
):
    be_in(WATCHED, monkeypatch)

    forms = view_of(chat).mimebundle()

    assert "application/vnd.jupyter.widget-view+json" in forms
    assert view_of(chat).widget() is view_of(chat).widget()


async def test_a_question_shows_the_view_if_nobody_has(
    chat: ai.Chat, monkeypatch: pytest.MonkeyPatch
):
    shown = be_in(WATCHED, monkeypatch)
    monkeypatch.setattr(view_module, "audience", _nobody)

    assert await view_of(chat).audience() == "nobody"
    assert await view_of(chat).audience() == "nobody"

    assert len(shown) == 1


async def test_where_a_machine_runs_the_notebook_nothing_is_shown(
    chat: ai.Chat, monkeypatch: pytest.MonkeyPatch
):
    shown = be_in(UNWATCHED, monkeypatch)
    monkeypatch.setattr(view_module, "audience", _nobody)

    await view_of(chat).audience()

    assert shown == []


async def _nobody(*_arguments: object, **_options: object) -> str:
    return "nobody"


async def test_actions_of_a_page_reach_the_chat(chat: ai.Chat):
    act = view_of(chat)._act

    assert act(StopAction(id="1")) == "Nothing is running."
    assert "Nothing was asked" in act(RetryAction(id="2"))
    assert "no question" in act(EditAction(id="3", message="m", text="x"))
    assert act(PlayAction(id="4", playing=True)) == "A chat cannot do that."
    assert act(SendAction(id="5", text="call get_forecast {}")) == ""
    await until(lambda: chat.conversation.status == "finished")


DECISIONS = {
    "approve": ({"decision": "proceed"}, "complete", None),
    "edit": (
        {
            "decision": "proceed",
            "arguments": '{"route":"r","date":"d","departure":"14:30",'
            '"adults":2,"pets":0}',
        },
        "complete",
        "14:30",
    ),
    "deny": ({"decision": "deny", "reason": "no"}, "denied", None),
}


@pytest.mark.parametrize(
    ("fields", "status", "departure"), DECISIONS.values(), ids=DECISIONS
)
async def test_a_decision_of_a_page_reaches_the_gate(
    chat: ai.Chat, fields: dict[str, Any], status: str, departure: str | None
):
    async def somebody() -> None:
        return None

    view_of(chat).audience = somebody
    run = chat.start(OFFLINE_BOOKING_PROMPT)
    await until(lambda: bool(chat.waiting))
    call = chat.waiting[0]

    action = DecideAction(id="1", call=call.id, approval="a", nonce="n", **fields)
    assert view_of(chat)._act(action) == ""
    await run

    assert call.status == status
    edited = call.edited_arguments
    assert (edited and edited["departure"]) == departure


def test_a_cell_that_shows_the_live_view_is_known_from_the_next(
    chat: ai.Chat, monkeypatch: pytest.MonkeyPatch
):
    cells = [3]
    monkeypatch.setattr(view_module, "current_cell", lambda: cells[-1])
    view = view_of(chat)
    view.mimebundle()
    assert view.where_live() == ""  # what a script sees is no live view

    be_in(WATCHED, monkeypatch)
    view.mimebundle()

    assert view.where_live() == "above"
    cells.append(4)
    assert view.where_live() == ""  # no page says that it shows the view
    widget = view.widget()
    widget._see_page(ReadyAction(id="1", page="p", views=1))
    assert view.where_live() == "in the live view of cell [3]"
    widget._see_page(ReadyAction(id="2", page="p", views=0))
    assert view.where_live() == ""
