"""What an AG-UI server asks a person, in whichever of its ways, and how to answer.

AG-UI 1.0 has one way: the interrupts in the outcome of RUN_FINISHED, answered by
``resume`` in the next request. Servers have five more (AG-UI, section 13). All are
read here into a :class:`Question`, and an :class:`Answer` knows what to send.

Rules that a change must keep. Every open interrupt gets one entry. A refusal is an
answer (``resolved`` with ``approved: false``); ``cancelled`` means that nobody
answered. Edited arguments that the server has no place for are never dropped in
silence: the answer becomes a refusal. Pure: nothing is sent and nobody is asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, TypeAlias

from aistream_nb.core.json_equal import equivalent_json
from aistream_nb.core.json_text import encode_json, parse_json
from aistream_nb.core.tool_spec import Decision, Deny, Proceed
from aistream_nb.core.values import Event, is_array, is_mapping

__all__ = [
    "CLIENT_TOOL_REASONS",
    "Answer",
    "OpenCall",
    "Question",
    "Style",
    "answer_to",
    "read_arguments",
    "read_questions",
    "refuse_edit",
]

Style: TypeAlias = Literal[
    "outcome", "on-interrupt", "pseudo-call", "pending-call", "tanstack"
]
"""The way in which it was asked, which is the way in which it is answered."""

CLIENT_TOOL_REASONS: Final = frozenset(
    {"tanstack:client_tool_execution", "client_tool_input"}
)
"""Interrupts that ask for a client tool and for no person."""

_KNOWN_REASONS: Final = frozenset(
    {
        "tool_call",
        "confirmation",
        "input_required",
        "approval_required",
        "langgraph:interrupt",
    }
)
_ADK_CALL: Final = "adk_request_confirmation"
_ASIDE: Final = frozenset({_ADK_CALL, "confirm_changes"})
"""Calls that no tool has: they only put a question."""
_YES_WORDS: Final = ("approved", "accepted", "confirmed")
_INPUT: Final = "input_required"


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that a run left without a result."""

    id: str
    name: str
    arguments: str
    """As JSON text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One thing that a server wants to know."""

    id: str
    style: Style
    reason: str = ""
    message: str = ""
    call: OpenCall | None = None
    """The call that it is about, if it is about one."""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What else the server says of it; shown where there is no call to show."""
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The JSON Schema of the answer; empty if the server gave none."""
    expires_at: str | None = None
    wire: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The interrupt, or the event, as it came."""

    @property
    def is_known(self) -> bool:
        """Whether a yes or a no makes sense: it is about a call, or a known reason."""
        return self.call is not None or self.reason in _KNOWN_REASONS

    @property
    def name(self) -> str:
        """The tool that it is about, or the reason, for rules and for people."""
        return self.call.name if self.call is not None else self.reason or "interrupt"

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What a person sees and may edit."""
        if self.call is not None and self.reason != _INPUT:
            return read_arguments(self.call.arguments) or {}
        return self.details


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the server is told."""

    question: Question
    resolved: bool
    payload: Any = None

    @property
    def resume(self) -> tuple[Mapping[str, Any], ...]:
        """The entry of ``resume``, where the question is answered by one."""
        if self.question.style in {"pending-call", "tanstack"}:
            return ()
        entry = {"interruptId": self.question.id}
        if not self.resolved:
            return ({**entry, "status": "cancelled"},)
        return ({**entry, "status": "resolved", "payload": self.payload},)

    @property
    def approved(self) -> bool:
        """Whether it was a yes."""
        given = self.payload
        words = (
            [given.get(word) for word in _YES_WORDS] if is_mapping(given) else [given]
        )
        return self.resolved and True in words

    @property
    def tool_message(self) -> str | None:
        """The content of the tool message that is the answer, where it is one."""
        if self.question.style != "pending-call":
            return None
        return encode_json({"accepted": self.approved})


def read_questions(
    *,
    interrupts: Iterable[Mapping[str, Any]],
    customs: Sequence[Event],
    calls: Sequence[OpenCall],
    approvals: Sequence[str] = (),
    is_tanstack: bool = False,
) -> tuple[Question, ...]:
    """Everything that a finished run asks a person.

    Args:
        interrupts: Those of its outcome.
        customs: Its CUSTOM events.
        calls: The calls that it left without a result, those of client tools aside.
        approvals: Patterns for the names of calls that wait for a yes in silence.
        is_tanstack: Whether the server speaks the 0.5 dialect of TanStack AI.
    """
    style: Style = "tanstack" if is_tanstack else "outcome"
    official = tuple(
        _of_interrupt(one, calls, style=style)
        for one in interrupts
        if one.get("reason") not in CLIENT_TOOL_REASONS
    )
    if official:
        return _paired(official, calls)
    return (
        *_paired(tuple(_of_customs(customs)), calls),
        *_of_adk(calls),
        *(
            Question(id=call.id, style="pending-call", reason="tool_call", call=call)
            for call in calls
            if call.name not in _ASIDE
            and any(fnmatchcase(call.name, pattern) for pattern in approvals)
        ),
    )


def answer_to(
    question: Question, decision: Decision, *, answered: bool = True
) -> Answer:
    """The answer that a decision stands for.

    Args:
        question: What was asked.
        decision: What the gate says.
        answered: Whether somebody decided; ``False`` if nobody was there to.
    """
    if isinstance(decision, Deny):
        if not answered and question.style == "outcome":
            return Answer(question=question, resolved=False)
        return Answer(
            question=question, resolved=True, payload=_refusal(question, decision)
        )
    payload = _consent(question, decision)
    return Answer(question=question, resolved=payload is not None, payload=payload)


def refuse_edit(question: Question, decision: Decision) -> Deny | None:
    """What edited arguments come to where the server has no place for them."""
    if question.reason == _INPUT or _edited(question, decision) is None:
        return None
    if question.style in {"outcome", "tanstack"} and "editedArgs" in _names(
        question.schema
    ):
        return None
    return Deny(
        reason="this server takes no edited arguments: approve them as they are"
    )


def read_arguments(text: str) -> Mapping[str, Any] | None:
    """The arguments of a call; ``None`` if the text is no JSON object.

    >>> read_arguments(""), read_arguments('{"a": 1}'), read_arguments('{"a":')
    ({}, {'a': 1}, None)
    """
    if not text.strip():
        return {}
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if is_mapping(value) else None


# ---------------------------------------------------------------- reading


def _of_interrupt(
    wire: Mapping[str, Any], calls: Sequence[OpenCall], *, style: Style
) -> Question:
    details = wire.get("metadata")
    schema = wire.get("responseSchema")
    expires = wire.get("expiresAt")
    return Question(
        id=str(wire.get("id")),
        style=style,
        reason=str(wire.get("reason") or ""),
        message=_message_of(wire),
        call=_call_of(wire, calls),
        details=details if is_mapping(details) else {},
        schema=schema if is_mapping(schema) else {},
        expires_at=expires if isinstance(expires, str) else None,
        wire=wire,
    )


def _call_of(wire: Mapping[str, Any], calls: Sequence[OpenCall]) -> OpenCall | None:
    """The call that an interrupt names, or that is a part of its id (Strands)."""
    named = wire.get("toolCallId")
    parts = set(str(wire.get("id")).split(":"))
    return next(
        (one for one in calls if one.id == named or (not named and one.id in parts)),
        None,
    )


def _paired(
    questions: tuple[Question, ...], calls: Sequence[OpenCall]
) -> tuple[Question, ...]:
    """One question that names no call, and one call that waits, belong together.

    Then rules for that tool hold, and its card says what is asked. Of several calls
    nobody can tell which one is meant (LangGraph).
    """
    waiting = [call for call in calls if call.name not in _ASIDE]
    if len(questions) != 1 or len(waiting) != 1:
        return questions
    question = questions[0]
    if question.call is not None or question.reason not in _KNOWN_REASONS:
        return questions
    return (replace(question, call=waiting[0]),)


def _message_of(wire: Mapping[str, Any]) -> str:
    """What a person is told: the message, or the first question in the details."""
    said = wire.get("message")
    if isinstance(said, str) and said:
        return said
    found: Iterator[str] = _questions_in(wire.get("metadata"))
    return next(found, "")


def _questions_in(value: object) -> Iterator[str]:
    if not is_mapping(value):
        return
    for name in ("question", "message"):
        if isinstance(value.get(name), str):
            yield value[name]
    for member in value.values():
        yield from _questions_in(member)


def _of_customs(customs: Iterable[Event]) -> Iterator[Question]:
    asked = [event for event in customs if event.get("name") == "on_interrupt"]
    for number, event in enumerate(asked, 1):
        raw, value = event.get("rawEvent"), _parsed(event.get("value"))
        ident = raw.get("id") if is_mapping(raw) else None
        details: Mapping[str, Any] = value if is_mapping(value) else {"value": value}
        yield Question(
            id=ident if isinstance(ident, str) else f"on_interrupt_{number}",
            style="on-interrupt",
            reason="langgraph:interrupt",
            message=next(_questions_in(details), ""),
            details=details,
            wire=event,
        )


def _parsed(value: object) -> object:
    try:
        return parse_json(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _of_adk(calls: Sequence[OpenCall]) -> Iterator[Question]:
    for asking in calls:
        if asking.name != _ADK_CALL:
            continue
        arguments = read_arguments(asking.arguments) or {}
        original = arguments.get("originalFunctionCall")
        about = original.get("id") if is_mapping(original) else None
        hint = arguments.get("toolConfirmation")
        said = hint.get("hint") if is_mapping(hint) else None
        yield Question(
            id=asking.id,
            style="pseudo-call",
            reason="tool_call",
            message=said if isinstance(said, str) else "",
            call=next((call for call in calls if call.id == about), asking),
            schema={"properties": {"confirmed": {"type": "boolean"}}},
            wire=arguments,
        )


# ---------------------------------------------------------------- answering


def _consent(question: Question, decision: Proceed) -> Any:
    """The payload of a yes; ``None`` if there is none that would do."""
    if question.reason == _INPUT:
        given = dict(decision.arguments or {})
        required = question.schema.get("required")
        missing = set(required if is_array(required) else ()) - given.keys()
        return None if missing else given
    if question.schema.get("type") == "boolean":
        return True
    payload: dict[str, Any] = {_yes_word(question): True}
    edited = _edited(question, decision)
    if edited is not None:
        payload["editedArgs"] = dict(edited)
    return payload


def _edited(question: Question, decision: Decision) -> Mapping[str, Any] | None:
    """The arguments that a person made of those that were asked about."""
    if not isinstance(decision, Proceed) or decision.arguments is None:
        return None
    was, now = encode_json(question.arguments), encode_json(decision.arguments)
    return None if equivalent_json(was, now) else decision.arguments


def _refusal(question: Question, decision: Deny) -> Any:
    if question.schema.get("type") == "boolean":
        return False
    payload: dict[str, Any] = {_yes_word(question): False}
    names = _names(question.schema)
    if decision.reason and (not names or "reason" in names):
        payload["reason"] = decision.reason
    return payload


def _yes_word(question: Question) -> str:
    names = _names(question.schema)
    return next((word for word in _YES_WORDS if word in names), _YES_WORDS[0])


def _names(schema: object) -> frozenset[str]:
    """The members that an answer may have, in any branch of its schema."""
    if not is_mapping(schema):
        return frozenset()
    properties = schema.get("properties")
    found = set(properties if is_mapping(properties) else ())
    for word in ("oneOf", "anyOf", "allOf"):
        branches = schema.get(word)
        for branch in branches if is_array(branches) else ():
            found |= _names(branch)
    return frozenset(found)
