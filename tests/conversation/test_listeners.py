from __future__ import annotations

import asyncio
import logging

import pytest
from traitlets import Unicode

from aistream_nb.conversation.listeners import Observed, Shield


class Thing(Observed):
    word = Unicode("")


def explode(_change: object) -> None:
    raise ValueError("what a model said")


def test_what_an_observer_raises_ends_there(caplog):
    heard: list[str] = []
    thing = Thing()
    thing.observe(explode, "word")
    thing.observe(lambda change: heard.append(change["new"]), "word")

    for word in "abc":
        thing.word = word

    assert heard == ["a", "b", "c"]
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1
    assert "explode" in told[0]
    assert "ValueError at test_listeners.py:" in told[0]
    assert "what a model said" not in told[0]


def test_an_observer_is_taken_off_as_it_was_put_on():
    heard: list[str] = []

    def note(change: dict[str, str]) -> None:
        heard.append(change["new"])

    thing = Thing()
    thing.observe(note)
    thing.observe(note)
    thing.word = "one"
    thing.unobserve(note)
    thing.word = "two"
    assert heard == ["one"]


def test_a_cancellation_of_the_listeners_own_is_a_failure(caplog):
    def read_a_cancelled_future() -> None:
        raise asyncio.CancelledError

    Shield(read_a_cancelled_future)()
    assert "CancelledError" in caplog.text


def test_the_stop_of_a_person_passes_through():
    def press() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Shield(press)()


def test_each_kind_of_failure_is_told_once(caplog):
    kinds = iter([ValueError, ValueError, KeyError])

    class Listener:
        def __call__(self) -> None:
            raise next(kinds)

    shield = Shield(Listener())
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            shield()
    assert [record.args[0:2] for record in caplog.records if record.args] == [
        ("Listener", "ValueError"),
        ("Listener", "KeyError"),
    ]


def test_shields_of_one_listener_are_alike():
    assert Shield(explode) == Shield(explode)
    assert hash(Shield(explode)) == hash(explode)
    assert Shield(explode) != Shield(print)
