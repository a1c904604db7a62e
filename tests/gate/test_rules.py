from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.core.tool_spec import GateRequest, ToolSpec
from aistream_nb.gate.rules import Rule, first_match, read_rules


def call(name: str = "write", **arguments: Any) -> GateRequest:
    return GateRequest(tool=ToolSpec(name=name), arguments=arguments)


def test_a_rule_matches_by_a_glob_on_the_name():
    assert Rule.allow("read_*").matches(call("read_file"))
    assert not Rule.allow("read_*").matches(call("Read_file"))
    assert Rule.ask().matches(call("anything"))


def test_a_rule_matches_by_globs_on_all_its_arguments():
    rule = Rule.ask("*", path="/etc/*", mode="w*")
    assert rule.matches(call(path="/etc/passwd", mode="w+"))
    assert not rule.matches(call(path="/etc/passwd", mode="r"))


def test_an_argument_that_is_not_there_matches_nothing():
    assert not Rule.deny(path="*").matches(call())
    assert not Rule.deny(where={"a.b": "*"}).matches(call(a="text"))


def test_a_dotted_name_looks_inside():
    rule = Rule.deny(where={"options.path": "/etc/*"})
    assert rule.matches(call(options={"path": "/etc/passwd"}))
    assert rule.matches(call(**{"options.path": "/etc/passwd"}))


def test_values_that_are_no_text_are_compared_as_json():
    assert Rule.ask(force="true").matches(call(force=True))
    assert Rule.ask(depth="5").matches(call(depth=5.0))
    assert Rule.ask(odd="*").matches(call(odd=object()))


@pytest.mark.parametrize(
    ("path", "allowed", "denied"),
    [
        ("/tmp/notes", True, False),  # noqa: S108 only text
        ("/tmp/../etc/passwd", False, True),  # noqa: S108 only text
        ("/tmp/./notes", True, False),  # noqa: S108 only text
        ("//etc/passwd", False, True),
        ("\\etc\\passwd", False, True),
        ("/etc/passwd", False, True),
    ],
)
def test_a_path_is_judged_by_what_it_means(path, allowed, denied):
    assert Rule.allow(path="/tmp/*").matches(call(path=path)) is allowed  # noqa: S108 only text
    assert Rule.deny(path="/etc/*").matches(call(path=path)) is denied


def test_of_a_list_an_allow_needs_every_item_and_a_deny_one():
    paths = ["/tmp/a", "/etc/b"]  # noqa: S108 only text
    assert not Rule.allow(paths="/tmp/*").matches(call(paths=paths))  # noqa: S108 only text
    assert Rule.deny(paths="/etc/*").matches(call(paths=paths))
    assert not Rule.allow(paths="*").matches(call(paths=[]))


def test_the_first_rule_that_matches_decides():
    rules = read_rules(["allow read_*", "deny *"])
    assert first_match(rules, call("read_file")) is rules[0]
    assert first_match(rules, call("write")) is rules[1]
    assert first_match(rules[:1], call("write")) is None


@pytest.mark.parametrize(
    ("short", "rule"),
    [
        ("ask", Rule.ask()),
        ("deny rm*", Rule.deny("rm*")),
        ("ask * path=/etc/* mode=a=b", Rule.ask("*", path="/etc/*", mode="a=b")),
        (("allow",), Rule.allow()),
        (["ask", "*", {"path": "/etc/*"}], Rule.ask("*", path="/etc/*")),
        (("deny", "rm*", {}, "no"), Rule.deny("rm*", reason="no")),
        (Rule.ask("x"), Rule.ask("x")),
    ],
)
def test_short_forms_are_rules(short, rule):
    assert read_rules([short]) == (rule,)


@pytest.mark.parametrize(
    "wrong",
    ["", "maybe x", "ask a b", (), ("ask", "*", "path"), (1,), ("ask", 1), 3, None],
)
def test_what_is_no_rule_is_refused_at_once(wrong):
    with pytest.raises(ValueError, match="rule"):
        read_rules([wrong])


def test_a_pattern_that_is_no_text_is_refused():
    with pytest.raises(ValueError, match="patterns of a rule, and its reason, are"):
        Rule.ask("*", where={"depth": 5})  # pyright: ignore[reportArgumentType] the point of the test


@pytest.mark.parametrize("reason", [5, None, True])
def test_a_reason_that_is_no_text_is_refused(reason: Any):
    with pytest.raises(ValueError, match="patterns of a rule, and its reason, are"):
        Rule.deny("rm", reason=reason)


@pytest.mark.parametrize("short", ["deny rm path = /etc", ("deny", "")])
def test_a_rule_without_the_name_of_its_tool_or_argument_is_refused(short: Any):
    with pytest.raises(ValueError, match="rule"):
        read_rules([short])


def test_a_rule_shows_itself_as_it_is_written():
    assert repr(Rule.deny("rm*", path="/", reason="no")) == (
        "Rule.deny('rm*', path='/', reason='no')"
    )
