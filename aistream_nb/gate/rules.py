"""Rules: allow, ask or deny a call by globs on its tool's name and its arguments.

The first rule that matches decides. The matching is careful on the side of safety:

1. A path is compared as it is written *and* with its ``..`` resolved. An ``allow``
   needs both to match, an ``ask`` or a ``deny`` needs one.
2. Of a list, an ``allow`` needs every item to match, an ``ask`` or a ``deny`` one.
3. An argument that is not there matches no pattern, not even ``*``.

Nothing here waits or asks anybody; that is :mod:`aistream_nb.gate.approval`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from aistream_nb.core.json_text import UnencodableError, encode_json
from aistream_nb.core.tool_spec import GateRequest
from aistream_nb.core.values import ABSENT, is_array, is_mapping

__all__ = ["Effect", "Rule", "RuleLike", "first_match", "read_rules"]

Effect: TypeAlias = Literal["allow", "ask", "deny"]
"""What a rule does to the calls that it matches."""

_EFFECTS: Final = frozenset(get_args(Effect))


def _no_patterns() -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a gate's policy.

    >>> Rule.deny("rm*", path="/etc/*", reason="not the system's files")
    Rule.deny('rm*', path='/etc/*', reason="not the system's files")
    """

    effect: Effect
    tool: str = "*"
    arguments: Mapping[str, str] = field(default_factory=_no_patterns)
    """A glob for each argument that matters; ``options.path`` looks inside."""
    reason: str = ""
    """What the model and the log are told."""

    def __post_init__(self) -> None:
        if self.effect not in _EFFECTS:
            raise ValueError(f"a rule says allow, ask or deny, and not {self.effect!r}")
        texts: list[Any] = [self.tool, *self.arguments.values(), self.reason]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError(
                f"the patterns of a rule, and its reason, are text: {self!r}"
            )
        if not all([self.tool, *self.arguments]):
            raise ValueError(f"a rule names its tool and its arguments: {self!r}")

    @classmethod
    def allow(
        cls,
        tool: str = "*",
        /,
        *,
        where: Mapping[str, str] | None = None,
        reason: str = "",
        **arguments: str,
    ) -> Rule:
        """Run such calls without a question.

        Args:
            tool: A glob on the tool's name.
            where: Globs for arguments whose names are no keywords.
            reason: Why, for the log.
            **arguments: A glob for each argument that matters.
        """
        return cls("allow", tool, {**(where or {}), **arguments}, reason)

    @classmethod
    def ask(
        cls,
        tool: str = "*",
        /,
        *,
        where: Mapping[str, str] | None = None,
        reason: str = "",
        **arguments: str,
    ) -> Rule:
        """Put such calls to a person; the arguments are those of :meth:`allow`."""
        return cls("ask", tool, {**(where or {}), **arguments}, reason)

    @classmethod
    def deny(
        cls,
        tool: str = "*",
        /,
        *,
        where: Mapping[str, str] | None = None,
        reason: str = "",
        **arguments: str,
    ) -> Rule:
        """Never run such calls; the arguments are those of :meth:`allow`."""
        return cls("deny", tool, {**(where or {}), **arguments}, reason)

    def matches(self, request: GateRequest) -> bool:
        """Whether the rule speaks of this call.

        >>> from aistream_nb.core.tool_spec import ToolSpec
        >>> call = GateRequest(
        ...     tool=ToolSpec(name="read"), arguments={"path": "/tmp/../etc/passwd"}
        ... )
        >>> Rule.allow(path="/tmp/*").matches(call)
        False
        >>> Rule.deny(path="/etc/*").matches(call)
        True
        """
        if not fnmatchcase(request.tool.name, self.tool):
            return False
        every = all if self.effect == "allow" else any
        return all(
            _value_matches(_looked_up(request.arguments, name), glob, every)
            for name, glob in self.arguments.items()
        )

    def __repr__(self) -> str:
        told = [repr(self.tool)]
        told += [f"{name}={glob!r}" for name, glob in self.arguments.items()]
        told += [f"reason={self.reason!r}"] if self.reason else []
        return f"Rule.{self.effect}({', '.join(told)})"


RuleLike: TypeAlias = Rule | str | Sequence[Any]
"""A rule, or a short form: ``"ask rm* path=/etc/*"``, ``("deny", "rm*")``,
``("ask", "*", {"path": "/etc/*"}, "why")``."""


def read_rules(rules: Iterable[RuleLike]) -> tuple[Rule, ...]:
    """The rules, with the short forms read.

    Raises:
        ValueError: One of them is no rule.

    >>> read_rules(["allow read_*", ("ask", "*", {"path": "/etc/*"})])
    (Rule.allow('read_*'), Rule.ask('*', path='/etc/*'))
    """
    return tuple(_read_rule(rule) for rule in rules)


def _read_rule(rule: RuleLike) -> Rule:
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str):
        effect, *rest = rule.split() or [""]
        globs = [word for word in rest if "=" not in word]
        pairs = dict(word.split("=", 1) for word in rest if "=" in word)
        if len(globs) <= 1:
            return Rule(cast("Effect", effect), *globs, arguments=pairs)
    elif (
        is_array(rule)
        and 1 <= len(rule) <= len(fields(Rule))
        and all(is_mapping(third) for third in rule[2:3])
    ):
        return Rule(*rule)
    raise ValueError(
        f"{rule!r} is no rule; write Rule.ask('tool*', argument='glob'), "
        "'ask tool* argument=glob' or ('ask', 'tool*', {'argument': 'glob'})"
    )


def first_match(rules: Iterable[Rule], request: GateRequest) -> Rule | None:
    """The first rule that speaks of this call."""
    return next((rule for rule in rules if rule.matches(request)), None)


def _looked_up(arguments: Mapping[str, Any], name: str) -> object:
    """An argument by its name, or by a dotted path into nested objects."""
    if name in arguments:
        return arguments[name]
    head, dot, rest = name.partition(".")
    inside = arguments.get(head)
    return _looked_up(inside, rest) if dot and is_mapping(inside) else ABSENT


def _value_matches(
    value: object, glob: str, every: Callable[[Iterable[bool]], bool]
) -> bool:
    if value is ABSENT:
        return False
    if is_array(value):
        return bool(value) and every(
            _value_matches(item, glob, every) for item in value
        )
    return every(fnmatchcase(form, glob) for form in _forms(value))


def _forms(value: object) -> list[str]:
    """The text of a value, and of a path also the path that it means."""
    if not isinstance(value, str):
        try:
            return [encode_json(value)]
        except UnencodableError:
            return [""]
    slashed = value.replace("\\", "/")
    if "/" not in slashed:
        return [value]
    # POSIX keeps two leading slashes apart; for a rule they are one.
    return [value, posixpath.normpath(slashed).replace("//", "/", 1)]
