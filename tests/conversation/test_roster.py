from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import given, strategies as st

from aistream_nb.conversation import Conversation, MessageModel
from aistream_nb.conversation.roster import Roster


class Desk:
    """Messages that come, go and move; and who asked for which of their ids."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.asked: list[int] = []
        source = Conversation()
        self.roster = Roster(lambda name: MessageModel(source, name), self.ids)

    def ids(self, start: int) -> Sequence[str]:
        self.asked.append(start)
        return self.order[start:]

    def become(self, order: Sequence[str]) -> bool:
        before, self.order = self.order, list(order)
        changed = [name for name in order if name not in before]
        changed += [name for name in before if name not in order]
        return self.roster.follow(changed)


def test_a_message_behind_all_others_is_added_without_a_look_at_them():
    desk = Desk()
    desk.become(["a"])
    desk.become(["a", "b"])
    desk.asked.clear()

    assert desk.become(["a", "b", "c", "d"])

    assert desk.asked == [2]
    assert desk.roster.ids == ("a", "b", "c", "d")
    assert [model.id for model in desk.roster.models] == ["a", "b", "c", "d"]


def test_a_model_that_is_still_there_stays_the_same_object():
    desk = Desk()
    desk.become(["a", "b"])
    first, second = desk.roster.models

    assert desk.become(["b", "c"])

    assert desk.roster.models[0] is second
    assert desk.roster.get("a") is None
    assert first not in desk.roster.models


def test_the_same_order_again_is_no_other_order():
    desk = Desk()
    desk.become(["a", "b"])
    before = desk.roster.models

    assert not desk.become(["a", "b"])

    assert desk.roster.models == before


def test_an_id_that_two_messages_share_has_one_model():
    desk = Desk()
    desk.become(["a", "a", "b"])

    assert desk.become(["a", "a", "b", "c"])

    assert desk.roster.ids == ("a", "b", "c")


names = st.lists(st.sampled_from("abcdef"), unique=True)
moves: tuple[Callable[[list[str], list[str]], list[str]], ...] = (
    lambda now, more: now + [name for name in more if name not in now],
    lambda now, more: [name for name in now if name not in more],
    lambda now, more: more + [name for name in now if name not in more],
)


@given(st.lists(st.tuples(st.sampled_from(moves), names), max_size=12))
def test_whatever_comes_and_goes_the_order_is_that_of_the_messages(
    story: list[tuple[Callable[[list[str], list[str]], list[str]], list[str]]],
):
    desk = Desk()
    for move, more in story:
        kept = [name for name in desk.order if name in move(desk.order, more)]
        order = move(desk.order, more)
        if [name for name in order if name in kept] != kept:
            continue  # whoever moves messages calls set
        desk.become(order)
        assert list(desk.roster.ids) == order
        assert [model.id for model in desk.roster.models] == order


def test_an_event_hears_of_a_new_message_once():
    conversation = Conversation()
    heard: list[int] = []
    conversation.observe(lambda change: heard.append(len(change["new"])), "messages")

    for number in range(3):
        conversation.receive({"type": "TEXT_MESSAGE_START", "messageId": f"m{number}"})
        for _ in range(2):
            conversation.receive(
                {
                    "type": "TEXT_MESSAGE_CONTENT",
                    "messageId": f"m{number}",
                    "delta": "hi",
                }
            )

    assert heard == [1, 2, 3]
