from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from aistream_nb.core.redaction import REDACTED, Redactor
from aistream_nb.recording.request_bodies import Grown
from aistream_nb.recording.request_intake import RequestIntake

SECRET = "hunter2!-and-more"  # noqa: S105 made up


class Counted(Redactor):
    """Counts the texts that it looks through."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def redact_text(self, text: str) -> str:
        self.texts.append(text)
        return super().redact_text(text)


def talk(*said: str, **more: Any) -> dict[str, Any]:
    return {"body": {"messages": [{"say": one} for one in said], **more}}


def test_what_was_looked_through_is_shared_and_not_looked_through_again():
    redactor = Counted()
    intake = RequestIntake(redactor)
    first = intake.live(1, talk("a", "b", system="s", tools=[{"name": "t"}]))
    redactor.texts.clear()
    second = intake.live(2, talk("a", "b", "c", system="s", tools=[{"name": "t"}]))

    assert redactor.texts == ["c", "s"]
    assert second["body"]["tools"] is first["body"]["tools"]
    assert second["body"]["messages"].own == [{"say": "c"}]
    assert second["body"]["messages"].before is first["body"]["messages"]


def test_a_message_that_is_changed_where_it_stands_is_noticed():
    intake = RequestIntake(Redactor())
    message: dict[str, Any] = {"say": "a", "cache_control": 1}
    first = intake.live(1, {"body": {"messages": [message]}})
    del message["cache_control"]
    second = intake.live(2, {"body": {"messages": [message, {"say": "b"}]}})

    assert first["body"]["messages"] == [{"say": "a", "cache_control": 1}]
    assert second["body"]["messages"] == [{"say": "a"}, {"say": "b"}]


def test_a_secret_that_is_learned_later_is_taken_out_from_then_on():
    redactor = Redactor()
    intake = RequestIntake(redactor)
    intake.live(1, talk("a", SECRET, "b", system=SECRET))
    redactor.learn(SECRET)
    second = intake.live(2, talk("a", SECRET, "b", "c", system=SECRET))
    third = intake.live(3, talk("a", SECRET, "b", "c", "d", system=SECRET))

    for kept in (second, third):
        assert SECRET not in repr(kept)
        assert kept["body"]["messages"].whole()[1] == {"say": REDACTED}
        assert kept["body"]["system"] == REDACTED
    assert third["body"]["messages"].own == [{"say": "d"}]


def test_items_in_which_a_secret_stood_are_shared_too():
    intake = RequestIntake(Redactor([SECRET]))
    first = intake.live(1, talk(SECRET))
    second = intake.live(2, talk(SECRET))
    assert second["body"]["messages"] is first["body"]["messages"]


def test_a_list_that_became_shorter_is_the_start_of_the_former():
    intake = RequestIntake(Redactor())
    intake.live(1, talk("a", "b"))
    assert intake.live(2, talk("a"))["body"]["messages"] == [{"say": "a"}]
    assert intake.live(3, talk("b"))["body"]["messages"] == [{"say": "b"}]


def test_lists_under_a_secret_name_are_hidden_whatever_was_before():
    intake = RequestIntake(Redactor())
    assert intake.live(1, {"body": {"token": ["a"]}})["body"]["token"] == [REDACTED]
    second = intake.live(2, {"body": {"token": ["a", "b"]}})
    assert second["body"]["token"] == [REDACTED, REDACTED]


def test_a_body_that_is_no_object_is_kept_and_compared_with_nothing():
    intake = RequestIntake(Redactor())
    first = intake.live(1, talk("a"))
    assert intake.live(2, {"body": "text"}) == {"body": "text"}
    assert intake.live(2, {"url": "u"}) == {"url": "u"}
    third = intake.live(3, talk("a"))
    assert third["body"]["messages"] is first["body"]["messages"]


def test_a_body_that_raises_when_it_is_looked_into_is_kept_somehow():
    class Sulking(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise RuntimeError

        def __iter__(self) -> Iterator[str]:
            raise RuntimeError

        def __len__(self) -> int:
            return 1

    kept = RequestIntake(Redactor()).live(1, {"url": "u", "body": Sulking()})
    assert kept["url"] == "u"
    assert "Sulking" in kept["body"]


def test_a_body_that_raises_once_is_kept_whole():
    class Moody(dict[str, Any]):
        calls = 0

        def items(self) -> Any:
            self.calls += 1
            if self.calls == 1:
                raise RuntimeError
            return super().items()

    kept = RequestIntake(Redactor()).live(1, {"body": Moody(a=1)})
    assert kept == {"body": {"a": 1}}


def repeated(number: object, told: object, new: object) -> dict[str, Any]:
    wire = {"round": number, "request": {"url": "u", "body": new}}
    return {**wire, "as_before": told}


def test_a_request_of_a_file_is_built_again():
    intake = RequestIntake(Redactor([SECRET]))
    first = intake.loaded({"round": 1, "request": talk("a", SECRET)})
    told = {"round": 1, "body": {"messages": 2}}
    wire = repeated(2, told, {"messages": [{"say": SECRET}]})
    second = intake.loaded({**wire, "extra": 1})

    body = second["request"]["body"]
    assert isinstance(body["messages"], Grown)
    assert body["messages"].before is first["request"]["body"]["messages"]
    assert body["messages"].own == [{"say": REDACTED}]
    assert second["extra"] == 1
    assert "as_before" not in second
    assert intake.notices == []


@pytest.mark.parametrize(
    "told",
    [
        None,
        "all",
        {},
        {"round": 1},
        {"round": True, "body": {"messages": 1}},
        {"round": 3, "body": {"messages": 1}},
        {"round": 1, "body": {"messages": 9}},
        {"round": 1, "body": {"messages": {"messages": 1}}},
    ],
)
def test_a_request_that_does_not_fit_is_kept_without_its_body(told: object):
    intake = RequestIntake(Redactor())
    intake.loaded({"round": 1, "request": talk("a")})
    wire = repeated(2, told, {"messages": ["new"]})
    kept = intake.loaded(wire)

    lost = {"as_before": told, "body": {"messages": ["new"]}}
    assert kept == {"round": 2, "request": {"url": "u"}, "unreadable": lost}
    # What builds on it is lost as well, and never built on an older one.
    again = intake.loaded(repeated(3, {"round": 2, "body": {"messages": 1}}, {}))
    old = intake.loaded(repeated(4, {"round": 1, "body": {"messages": 1}}, {}))
    assert "unreadable" in again
    assert "unreadable" in old
    (notice,) = intake.notices
    assert notice.startswith("requests without their bodies: 3 (round 2, 3, 4)")


def test_one_that_repeats_but_asks_nothing_is_kept_as_it_is_and_told():
    intake = RequestIntake(Redactor())
    wire = {"round": 1, "request": "text", "as_before": {"round": 0}}
    assert intake.loaded(wire) == wire
    assert len(intake.notices) == 1
    assert intake.loaded({"round": 2, "text": "x"}) == {"round": 2, "text": "x"}


def test_only_the_first_of_many_losses_are_named():
    intake = RequestIntake(Redactor())
    for at in range(9):
        intake.loaded(repeated(at, {}, {}))
    (notice,) = intake.notices
    assert "9 (round 0, 1, 2, 3, 4, …)" in notice


def test_it_goes_on_after_what_is_kept_already():
    intake = RequestIntake(Redactor())
    wire: dict[str, Any] = {"round": 4, "request": talk("a")}
    intake.go_on_after(wire)
    intake.go_on_after({"round": 4, "text": "x"})
    kept = intake.live(5, talk("a", "b"))
    assert kept["body"]["messages"].before is wire["request"]["body"]["messages"]
