"""How two conversations differ, in sentences that name the call.

First the calls: their order, then each one's arguments, decision, status and result.
Then the messages. The events are compared beside this, line by line
(:mod:`aistream_nb.recording.difference`); a sentence says what a line means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from aistream_nb.conversation import Conversation, ToolCallModel
from aistream_nb.core.values import Event
from aistream_nb.testing.words import parting, short, words

__all__ = ["changed_results", "conversation_differences", "folded"]

_FACTS: Final[Mapping[str, str]] = {
    "arguments": "text of the arguments",
    "edited_arguments": "edit of the arguments",
    "decision": "decision",
    "decided_by": "decider",
    "reason": "reason",
    "status": "status",
    "result": "result",
}
"""What is compared of a call, and its word."""


def folded(events: Sequence[Event]) -> Conversation:
    """The conversation that the events make."""
    conversation = Conversation()
    conversation.receive_all(events)
    return conversation


def conversation_differences(before: Conversation, now: Conversation) -> list[str]:
    """Each difference as a sentence, with what was and what is.

    >>> called = [
    ...     {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "add"},
    ...     {"type": "TOOL_CALL_END", "toolCallId": "c"},
    ... ]
    >>> conversation_differences(folded(called), folded([]))[0]
    'call 1, add(): it was made, and now it is not'
    """
    return [
        *_tools(before, now),
        *_calls(before, now),
        *_messages(before, now),
        *_endings(before, now),
    ]


# ---------------------------------------------------------------- tools


def _tools(before: Conversation, now: Conversation) -> Iterator[str]:
    """What a model is told of the tools that it called."""
    called = [_name(call) for call in before.tool_calls.values()]
    for name in dict.fromkeys(called):
        was, is_now = before.read_tool(name), now.read_tool(name)
        if was and not is_now:
            yield f"the tool {name} is not offered any more"
            continue
        for member in was:
            if was[member] != is_now.get(member):
                yield (
                    f"the tool {name}: its {member} {_differs(member)}\n"
                    f"  was: {short(words(was[member]))}\n"
                    f"  now: {short(words(is_now.get(member)))}"
                )


def _differs(noun: str) -> str:
    return "differ" if noun.endswith("s") else "differs"


# ---------------------------------------------------------------- calls


def _calls(before: Conversation, now: Conversation) -> Iterator[str]:
    old, new = list(before.tool_calls.values()), list(now.tool_calls.values())
    names, later = [_name(call) for call in old], [_name(call) for call in new]
    if names != later and sorted(names) == sorted(later):
        yield (
            "the calls come in another order\n"
            f"  was: {', '.join(names)}\n  now: {', '.join(later)}"
        )
    for step in SequenceMatcher(None, names, later, autojunk=False).get_opcodes():
        tag, first, last, start, end = step
        if tag == "equal":
            for at in range(last - first):
                yield from _call(first + at, old[first + at], new[start + at])
            continue
        for at in range(first, last):
            yield f"{_title(at, old[at])}: it was made, and now it is not"
        for at in range(start, end):
            yield f"{_title(at, new[at])}: it is made now, and was not"


def _name(call: ToolCallModel) -> str:
    return str(call.name)


def _title(at: int, call: ToolCallModel) -> str:
    given = call.args
    told = ", ".join(f"{k}={words(v)}" for k, v in _pairs(given))
    return f"call {at + 1}, {call.name}({short(told)})"


def _pairs(given: Any) -> list[tuple[str, Any]]:
    return list(given.items()) if isinstance(given, dict) else []  # pyright: ignore[reportUnknownArgumentType] - JSON


def _call(at: int, old: ToolCallModel, new: ToolCallModel) -> Iterator[str]:
    for fact, word in _FACTS.items():
        was, is_now = getattr(old, fact), getattr(new, fact)
        if was != is_now:
            yield (
                f"{_title(at, old)}: the {word} differs\n"
                f"  was: {short(words(was))}\n  now: {short(words(is_now))}"
            )


def changed_results(before: Conversation, now: Conversation) -> list[tuple[str, str]]:
    """What calls of both came to, before and now, where that is not the same."""
    calls = zip(before.tool_calls.values(), now.tool_calls.values(), strict=False)
    pairs = [(words(old.result), words(new.result)) for old, new in calls]
    return [pair for pair in pairs if pair[0] != pair[1]]


# ---------------------------------------------------------------- messages


def _messages(before: Conversation, now: Conversation) -> Iterator[str]:
    old = [(m.role, str(m.text), str(m.thinking)) for m in before.messages]
    new = [(m.role, str(m.text), str(m.thinking)) for m in now.messages]
    for at, (was, is_now) in enumerate(zip(old, new, strict=False)):
        for part, word in ((1, "text"), (2, "thinking")):
            if was[part] != is_now[part]:
                yield (
                    f"message {at + 1} ({was[0]}): the {word} differs\n"
                    + parting(was[part], is_now[part])
                )
        if was[0] != is_now[0]:
            yield f"message {at + 1}: it was of the {was[0]}, now of the {is_now[0]}"
    for at in range(len(new), len(old)):
        yield f"message {at + 1} ({old[at][0]}) is missing: {short(old[at][1])}"
    for at in range(len(old), len(new)):
        yield f"message {at + 1} ({new[at][0]}) is new: {short(new[at][1])}"


def _endings(before: Conversation, now: Conversation) -> Iterator[str]:
    was, is_now = _ending(before), _ending(now)
    if was != is_now:
        yield f"the last run ends differently\n  was: {was}\n  now: {is_now}"


def _ending(conversation: Conversation) -> str:
    return f"{conversation.status} {short(conversation.error)}".strip()
