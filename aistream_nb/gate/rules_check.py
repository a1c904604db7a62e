"""Rules that can never decide, found before any call comes.

A rule that never matches protects nothing, and nobody notices. What is wrong with it
can be known at two moments:

1. When a gate is made: an earlier rule leaves it nothing to decide, or the rules leave
   nothing to the ask policy (:func:`refuse_dead_rules`).
2. When tools meet a gate: it names a tool or an argument that is not there
   (:func:`check_rules`). A name that is nearly one of those there is refused, unless
   another rule has that one. Any other is only told, because a gate may serve other
   chats too, and ``get_users`` is no slip beside ``get_user``.

A pattern with wildcards that matches no tool is neither: it is there for tools to come.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from aistream_nb.core.spelling import nearest
from aistream_nb.core.tool_spec import ToolSpec
from aistream_nb.core.values import is_mapping
from aistream_nb.gate.rules import Effect, Rule

__all__ = ["check_rules", "refuse_dead_rules"]

_WILDCARDS: Final = frozenset("*?[")

_KEYWORDS: Final[Mapping[str, str]] = {
    "reason": "reason='…' says why",
    "where": "where={…} holds globs for arguments",
    "tool": "the tool's name comes first and has no keyword: Rule.deny('name')",
}
"""What people mean by a name that no tool has as an argument."""


_EFFECTS: Final[Mapping[str, Effect]] = {"always": "ask", "never": "allow"}
"""The effect of a rule that says of every call what a policy says."""


def refuse_dead_rules(
    rules: Sequence[Rule], *, ask: str | Callable[..., Any], default: str
) -> None:
    """Refuse rules that leave each other, or the ask policy, nothing to decide.

    A policy that is the ``default`` may be left nothing, as nobody need have chosen it,
    and so may one that says what the rules say.

    Raises:
        ValueError: Something that was asked for would never happen.
    """
    for at, later in enumerate(rules):
        for earlier in rules[:at]:
            if earlier.effect != later.effect and _covers(earlier, later):
                raise ValueError(
                    f"{later!r} would never decide: {earlier!r} stands before it and "
                    "speaks of all the same calls; put the narrower rule first"
                )
    everything = next((rule for rule in rules if _is_for_everything(rule)), None)
    words, same = ("the ask function", None)
    if isinstance(ask, str):
        words, same = f"ask={ask!r}", _EFFECTS.get(ask)
    if everything is not None and everything.effect != same and ask != default:
        raise ValueError(
            f"{words} would never be used: {everything!r} speaks of every call; leave "
            "one of the two out"
        )


def check_rules(rules: Iterable[Rule], tools: Sequence[ToolSpec]) -> list[str]:
    """What to say of rules that will match none of these tools' calls.

    Raises:
        ValueError: A rule misspells a tool or an argument.

    >>> check_rules([Rule.deny("rm")], [ToolSpec(name="rm")])
    []
    >>> check_rules([Rule.deny("delete_flie")], [ToolSpec(name="delete_file")])
    Traceback (most recent call last):
    ValueError: Rule.deny('delete_flie') names no tool that is here; did you mean
    'delete_file'?
    """
    rules = list(rules)
    named = {rule.tool for rule in rules}
    remarks = [_remark(rule, tools, named) for rule in rules] if tools else []
    return [remark for remark in remarks if remark is not None]


def _covers(earlier: Rule, later: Rule) -> bool:
    """Whether every call that the later rule matches has met the earlier one."""
    if not earlier.arguments.items() <= later.arguments.items():
        return False
    # An allow is careful about paths and lists, so its globs match less than a deny's.
    if earlier.arguments and earlier.effect == "allow":
        return False
    return _covers_name(earlier.tool, later.tool)


def _covers_name(glob: str, other: str) -> bool:
    if glob == other or not _WILDCARDS & {*other}:
        return glob == other or fnmatchcase(other, glob)
    start = glob.rstrip("*")
    return start != glob and not _WILDCARDS & {*start} and other.startswith(start)


def _is_for_everything(rule: Rule) -> bool:
    return not rule.arguments and not rule.tool.strip("*")


def _remark(
    rule: Rule, tools: Sequence[ToolSpec], named: Collection[str]
) -> str | None:
    meant = [tool for tool in tools if fnmatchcase(tool.name, rule.tool)]
    if meant:
        remarks = (_argument_remark(rule, name, meant) for name in rule.arguments)
        return next((remark for remark in remarks if remark is not None), None)
    if _WILDCARDS & {*rule.tool}:
        return None
    names = [tool.name for tool in tools]
    words = f"{rule!r} names no tool that is here"
    close = nearest(rule.tool, names)
    if close is not None and close not in named:
        raise ValueError(f"{words}; did you mean {close!r}?")
    return f"{words} ({', '.join(names)}); it will not match"


def _argument_remark(rule: Rule, name: str, tools: Sequence[ToolSpec]) -> str | None:
    listed = [_listed(tool) for tool in tools]
    known = sorted({one for names, _ in listed for one in names})
    head = name.partition(".")[0]
    takes_others = any(others for _, others in listed)
    if {name, head} & {*known} or (takes_others and not known):
        return None
    words = f"{rule!r} names an argument {name!r} that no tool it matches has"
    close = nearest(head, [*known, *_KEYWORDS])
    if close is not None and (close != name or not takes_others):
        hint = _KEYWORDS.get(close) if close not in known else None
        raise ValueError(f"{words}; {hint or f'did you mean {close!r}?'}")
    if takes_others:
        return None
    return f"{words} ({', '.join(known) or 'they have none'}); it will not match"


def _listed(tool: ToolSpec) -> tuple[list[str], bool]:
    """The arguments that a tool lists, and whether it takes others too."""
    properties: object = tool.parameters.get("properties")
    names = [*properties] if is_mapping(properties) else []
    return names, tool.parameters.get("additionalProperties") is not False
