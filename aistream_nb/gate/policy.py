"""What happens to a call before any person is asked: rules, then the ask policy.

The outcome is a :class:`Verdict`. A policy that fails, or answers what is no answer,
ends the turn: it never runs a tool.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from aistream_nb.core.tool_spec import Decision, Deny, GateRequest, Proceed, ToolSpec
from aistream_nb.errors import TurnError
from aistream_nb.gate.questions import Outcome, is_decision
from aistream_nb.gate.rules import Effect, Rule, first_match

__all__ = ["AskFunction", "AskPolicy", "Verdict", "judge", "may_destroy", "read_ask"]

AskFunction: TypeAlias = Callable[
    [GateRequest], Decision | Literal["ask"] | Awaitable[Decision | Literal["ask"]]
]
"""Answers itself with ``Proceed`` or ``Deny``, or says ``"ask"``: ask a person."""

AskPolicy: TypeAlias = Literal["always", "destructive", "never"] | AskFunction
"""When a person is asked about a call that no rule speaks of."""

_WORDS: Final = ("always", "destructive", "never")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Run it, do not run it, or ask; and whose word that is."""

    effect: Effect
    by: str
    why: str
    decision: Decision | None = None
    """What a function answered; the plain decision of the effect if it did not."""
    outcome: Outcome | None = None

    def as_decision(self) -> Decision:
        """What the turn is told when no person is asked."""
        if self.decision is not None:
            return self.decision
        return Proceed() if self.effect == "allow" else Deny(reason=self.why)


def read_ask(ask: AskPolicy) -> AskPolicy:
    """``ask``, if it is a policy.

    Raises:
        ValueError: It is none.
    """
    if callable(ask) or ask in _WORDS:
        return ask
    raise ValueError(
        f"ask={ask!r} is no policy; it is 'always', 'destructive', 'never' or a "
        "function of the request that returns Proceed, Deny or 'ask'"
    )


def may_destroy(tool: ToolSpec) -> bool:
    """Whether a tool has to be taken for destructive.

    Silence is read as MCP reads it: a tool that does not say ``read_only`` or
    ``destructive=False`` may destroy something.

    >>> from aistream_nb.core.tool_spec import ToolAnnotations
    >>> may_destroy(ToolSpec(name="f"))
    True
    >>> may_destroy(ToolSpec(name="f", annotations=ToolAnnotations(read_only=True)))
    False
    """
    hints = tool.annotations
    if hints.destructive is not None:
        return hints.destructive
    return not hints.read_only


async def judge(
    request: GateRequest,
    rules: Iterable[Rule],
    *,
    ask: AskPolicy,
    timeout: float | None,  # noqa: ASYNC109 running out is a verdict, not an exception
) -> Verdict:
    """The verdict of the rules, and of the ask policy where they are silent.

    Raises:
        TurnError: The ask function raised, or answered what is no answer.
    """
    rule = first_match(rules, request)
    if rule is not None:
        return Verdict(effect=rule.effect, by="rule", why=rule.reason or repr(rule))
    if callable(ask):
        return await _asked_function(ask, request, timeout)
    asks = ask == "always" or (ask == "destructive" and may_destroy(request.tool))
    return Verdict(
        effect="ask" if asks else "allow",
        by="policy",
        why=_policy_words(ask, request.tool),
    )


def _policy_words(ask: str, tool: ToolSpec) -> str:
    if ask != "destructive":
        return f"the gate {ask} asks"
    hints = tool.annotations
    if hints.destructive is not None:
        return f"the tool is {'' if hints.destructive else 'not '}destructive"
    return "the tool only reads" if hints.read_only else "the tool may be destructive"


async def _asked_function(
    ask: AskFunction,
    request: GateRequest,
    timeout: float | None,  # noqa: ASYNC109 as in judge
) -> Verdict:
    clock: asyncio.Timeout | None = None
    try:
        answer: Any = ask(request)
        if inspect.isawaitable(answer):
            async with asyncio.timeout(timeout) as clock:
                answer = await answer
    except Exception as error:
        if clock is not None and clock.expired():
            return Verdict(
                effect="deny",
                by="ask",
                why=f"the ask function did not answer within {timeout:g} seconds",
                outcome="timed-out",
            )
        raise _failure(request, f"raised {type(error).__name__}") from error
    return _verdict_of(answer, request)


def _verdict_of(answer: object, request: GateRequest) -> Verdict:
    if isinstance(answer, str) and answer == "ask":
        return Verdict(effect="ask", by="ask", why="the ask function wants a person")
    if isinstance(answer, (Proceed, Deny)) and is_decision(answer):
        why = answer.reason if isinstance(answer, Deny) else ""
        effect: Effect = "allow" if isinstance(answer, Proceed) else "deny"
        return Verdict(effect=effect, by="ask", why=why, decision=answer)
    raise _failure(
        request, f"answered with a {type(answer).__name__!r}: neither Proceed nor Deny"
    )


def _failure(request: GateRequest, words: str) -> TurnError:
    return TurnError(
        f"the gate's ask function {words}; tool {request.tool.name!r} did not run",
        tool_name=request.tool.name,
        tool_call_id=request.tool_call_id,
    )
