from __future__ import annotations

from aistream_nb.core.messages import ToolCallPart, UIMessage
from aistream_nb.core.processor.drafts import CallDraft, GrowingText
from aistream_nb.core.processor.message import MessageDraft
from aistream_nb.core.processor.transcript import Transcript


def user(message_id: str, *parts: ToolCallPart) -> UIMessage:
    return UIMessage(id=message_id, role="user", parts=parts)


def draft(message_id: str) -> MessageDraft:
    return MessageDraft(id=message_id, role="assistant")


def call(call_id: str) -> CallDraft:
    return CallDraft(id=call_id, name="f", arguments=GrowingText())


def test_a_snapshot_is_the_same_until_something_changes():
    transcript = Transcript([user("a"), user("b")])
    before = transcript.snapshot()
    assert transcript.snapshot() is before
    added = draft("c")
    transcript.append(added)
    after = transcript.snapshot()
    assert [message.id for message in after] == ["a", "b", "c"]
    assert after[0] is before[0]
    transcript.touch(added)
    assert transcript.snapshot()[2] is not after[2]
    assert len(transcript) == 3


def test_changes_are_in_the_order_in_which_they_came():
    transcript = Transcript([user("a"), user("b")])
    transcript.append(draft("c"))
    first = transcript.find("a")
    assert first is not None
    transcript.touch(first)
    transcript.touch(first)
    assert transcript.take_changes() == ("c", "a")
    assert transcript.take_changes() == ()


def test_a_renamed_message_is_found_under_its_new_name():
    transcript = Transcript([user("a")])
    message = transcript.find("a")
    assert message is not None
    transcript.rename(message, "b")
    assert transcript.find("a") is None
    assert transcript.holds(message)
    assert transcript.take_changes() == ("a", "b")


def test_a_removed_message_is_gone():
    transcript = Transcript([user("a"), user("b")])
    message = transcript.find("a")
    assert message is not None
    transcript.remove(message)
    assert not transcript.holds(message)
    assert [each.id for each in transcript] == ["b"]
    assert transcript.take_changes() == ("a",)


def test_replacing_keeps_what_did_not_change():
    transcript = Transcript([user("a"), user("b")])
    kept = transcript.find("b")
    _, second = transcript.snapshot()
    transcript.replace([user("c"), second])
    assert transcript.find("b") is kept
    assert transcript.snapshot()[1] is second
    assert set(transcript.take_changes()) == {"a", "c"}


def test_owners_are_known_whatever_happened_since():
    asked = ToolCallPart(id="x", name="f")
    transcript = Transcript([user("a", asked), user("b", asked)])
    assert [owner.id for owner in transcript.owners("x")] == ["a", "b"]
    assert transcript.owners("y") == ()
    added = draft("c")
    transcript.append(added)
    transcript.add_call(added, call("y"))
    transcript.add_call(added, call("x"))
    assert [owner.id for owner in transcript.owners("y")] == ["c"]
    transcript.extend([user("d", asked)])
    assert [owner.id for owner in transcript.owners("x")] == ["a", "b", "c", "d"]
    transcript.remove(added)
    assert transcript.owners("y") == ()


def test_a_message_that_stands_twice_owns_its_calls_once():
    twice = user("a", ToolCallPart(id="x", name="f"))
    transcript = Transcript()
    transcript.replace([twice])
    transcript.replace([twice, twice])
    assert len(transcript) == 2
    assert len(transcript.owners("x")) == 1


def test_owners_come_in_the_order_of_the_list_however_they_got_the_call():
    asked = ToolCallPart(id="x", name="f")
    transcript = Transcript([user("a"), user("b", asked), user("c", asked)])
    assert len(transcript.owners("x")) == 2
    first = transcript.find("a")
    assert first is not None
    transcript.add_call(first, call("x"))
    assert [owner.id for owner in transcript.owners("x")] == ["a", "b", "c"]


def test_a_message_outside_the_list_owns_nothing():
    transcript = Transcript([user("a")])
    assert transcript.owners("x") == ()
    stray = draft("s")
    transcript.add_call(stray, call("x"))
    assert transcript.owners("x") == ()


def test_calls_come_with_their_messages():
    transcript = Transcript([user("a", ToolCallPart(id="x", name="f"))])
    ((message, found),) = transcript.calls("x")
    assert (message.id, found.id) == ("a", "x")
