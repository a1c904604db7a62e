from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from aistream_nb.core.tool_spec import Deny, Proceed, ToolSpec
from aistream_nb.gate import ApprovalGate, Rule
from aistream_nb.gate.rules_check import check_rules


def spec(name: str, *arguments: str, **more: Any) -> ToolSpec:
    properties = {one: {"type": "string"} for one in arguments}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return ToolSpec(name=name, parameters={**schema, **more})


TOOLS = [spec("delete_file", "path", "options"), spec("now"), spec("plant", "season")]


@pytest.mark.parametrize(
    "rule",
    [
        Rule.deny("delete_file"),
        Rule.deny("delete_*", path="/etc/*", reason="not the system's files"),
        Rule.deny(where={"options.force": "true"}),
        Rule.ask("*", season="winter"),
        Rule.deny("rm*"),
        Rule.deny("r[mf]", raeson="the tools that it waits for are not here"),
    ],
)
def test_a_rule_that_fits_the_tools_is_not_spoken_of(rule: Rule):
    assert check_rules([rule], TOOLS) == []


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Rule.deny("delete_flie"), r"no tool that is here; did you mean 'delete_file'"),
        (Rule.deny("deleteFile"), "did you mean 'delete_file'"),
        (Rule.deny("delete_*", pathh="/etc/*"), "'pathh' that .* did you mean 'path'"),
        (Rule.deny(where={"option.force": "*"}), "did you mean 'options'"),
        (Rule.deny("now", raeson="not yet"), "reason='…' says why"),
        (Rule.deny(raeson="never"), "reason='…' says why"),
        (Rule.deny("now", tool="now"), r"has no keyword: Rule\.deny\('name'\)"),
        (Rule.deny("now", where={"where": "x"}), r"where=\{…\} holds globs"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_one_that_was_meant(rule: Rule, words: str):
    with pytest.raises(ValueError, match=words):
        check_rules([rule], TOOLS)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Rule.deny("rm"), "names no tool that is here (delete_file, now, plant)"),
        (Rule.ask("*", mode="w"), "no tool it matches has (options, path, season)"),
        (Rule.ask("now", mode="w"), "no tool it matches has (they have none)"),
    ],
)
def test_a_name_that_is_like_none_is_told_and_kept(rule: Rule, words: str):
    (remark,) = check_rules([rule], TOOLS)
    assert words in remark
    assert remark.endswith("it will not match")


def test_a_name_beside_the_one_that_it_is_nearly_is_meant():
    rules = [Rule.allow("get_user"), Rule.deny("get_users")]
    assert check_rules(rules, [spec("get_user"), spec("get_users")]) == []
    (remark,) = check_rules(rules, [spec("get_user")])
    assert remark.startswith("Rule.deny('get_users') names no tool that is here")
    with pytest.raises(ValueError, match="did you mean 'get_user'"):
        check_rules(rules[1:], [spec("get_user")])


def test_of_a_tool_that_takes_any_argument_only_a_slip_is_told():
    listed = spec("run", "path", additionalProperties=True)
    assert check_rules([Rule.ask("run", mode="w")], [listed]) == []
    assert check_rules([Rule.ask("run", where={"reason": "x"})], [listed]) == []
    with pytest.raises(ValueError, match="did you mean 'path'"):
        check_rules([Rule.ask("run", pathh="/etc/*")], [listed])


@pytest.mark.parametrize("parameters", [{}, {"properties": None}])
def test_of_a_tool_that_lists_no_arguments_nothing_is_known(parameters: dict[str, Any]):
    tool = ToolSpec(name="run", parameters=parameters)
    assert check_rules([Rule.ask("run", raeson="x")], [tool]) == []


def test_without_tools_nothing_can_be_wrong():
    assert check_rules([Rule.deny("rm", raeson="x")], []) == []


# ------------------------------------------------------------ rules that are dead


@pytest.mark.parametrize(
    "rules",
    [
        ["allow *", "deny rm*"],
        ["allow **", "deny rm path=/etc/*"],
        ["allow delete_*", "deny delete_file"],
        ["allow delete_*", "deny delete_f*"],
        ["deny rm?", "allow rm?"],
        ["ask rm path=/etc/*", "allow rm path=/etc/* mode=r"],
        ["allow read_*", "ask rm*", "deny rm"],
    ],
)
def test_a_rule_that_could_never_decide_is_refused(rules: Sequence[str]):
    with pytest.raises(ValueError, match="put the narrower rule first"):
        ApprovalGate(rules=rules)


@pytest.mark.parametrize(
    "rules",
    [
        ["deny rm*", "allow *"],
        ["allow rm", "deny rm*"],
        ["allow *", "allow read_*"],
        ["ask rm path=/etc/*", "allow rm path=/tmp/*"],
        ["ask rm path=/etc/*", "allow rm"],
        ["allow r?", "deny r*"],
        ["allow r?*", "deny rm*"],
        # Of a path with '..' the allow is not sure, and the deny is.
        ["allow rm path=/tmp/*", "deny rm path=/tmp/*"],
    ],
)
def test_a_rule_that_may_still_decide_is_taken(rules: Sequence[str]):
    assert len(repr(ApprovalGate(rules=rules))) > len("ApprovalGate()")


async def asked_of_a_function(request: object) -> Proceed | Deny:
    raise AssertionError(request)


@pytest.mark.parametrize("ask", ["always", asked_of_a_function])
def test_a_policy_that_rules_leave_nothing_to_decide_is_refused(ask: Any):
    with pytest.raises(ValueError, match=r"would never be used: Rule\.allow"):
        ApprovalGate(ask, rules=["deny rm", "allow *"])


@pytest.mark.parametrize(
    ("ask", "last"),
    [("destructive", "allow *"), ("always", "ask *"), ("never", "allow *")],
)
def test_the_default_policy_and_one_that_agrees_may_be_left_nothing(ask, last):
    assert repr(ApprovalGate(ask, rules=["deny rm", last])).startswith(
        f"ApprovalGate(ask={ask!r}, rules=[Rule.deny('rm'), Rule."
    )
