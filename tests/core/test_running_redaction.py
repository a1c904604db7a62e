from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, strategies as st

from aistream_nb.core import running_redaction
from aistream_nb.core.redaction import KEY_SHAPES, REDACTED, Redactor
from aistream_nb.core.running_redaction import RunningRedactor

SECRET = "correct/horse+battery=="  # noqa: S105 made up
KNOWN = Redactor([SECRET, "hunter2!", "hunting-season"])


def run(pieces: Iterable[str], redactor: Redactor = KNOWN) -> str:
    running = RunningRedactor(redactor)
    told = [running.receive(piece) for piece in pieces]
    return "".join([*told, running.close()])


def splits(text: str) -> Iterable[Sequence[str]]:
    """One piece, every cut in two, and letter by letter."""
    yield [text]
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))
    yield list(text)


@pytest.mark.parametrize(
    "text",
    [
        f"the word is {SECRET}, keep it",
        f"{SECRET}",
        f"corr corre {SECRET}{SECRET} correct/horse",
        "hunthunter2!",
        "hunter2! and hunting-season and hunter",
    ],
)
def test_a_known_secret_is_taken_out_wherever_it_is_cut(text: str):
    for pieces in splits(text):
        told = run(pieces)
        for secret in KNOWN.known:
            assert secret[3:] not in told
        assert REDACTED in told


@pytest.mark.parametrize(
    "key",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "AIzaSyAbcdefghijklmnopqrstuvwxyz0123456",
        "github_pat_abcdefghijklmnopqrst",
        "xoxb-1234567890-abc",
        "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl",
    ],
)
def test_what_looks_like_a_key_is_taken_out_wherever_it_is_cut(key: str):
    for pieces in splits(f"my key is {key}. Keep it"):
        told = run(pieces)
        assert not KEY_SHAPES.search(told)
        assert key[10:] not in told
        assert told.endswith(f"{REDACTED}. Keep it")
        assert told.startswith("my key is ")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"password": "abc", "n": 1}', '{"password": "#", "n": 1}'),
        ('{"password": "a\\"b\\\\", "n": 1}', '{"password": "#", "n": 1}'),
        ('{"apiKey":"a", "token":"b"}', '{"apiKey":"#", "token":"#"}'),
        ('{"password": "", "n": 1}', '{"password": "", "n": 1}'),
        (r'"{\"token\": \"a\\\"b\\\\c\"}" x', r'"{\"token\": \"#\"}" x'),
        (r'"{\"token\": \"a\nb\"}" x', r'"{\"token\": \"#\"}" x'),
        ('{"password": "abc', '{"password": "#'),
        ('{"password": "abc\\', '{"password": "#'),
        ('{"password": "', '{"password": "'),
    ],
)
def test_the_value_of_a_secret_name_is_taken_out_wherever_it_is_cut(
    text: str, left: str
):
    for pieces in splits(text):
        assert run(pieces).replace(REDACTED, "#") == left


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn, hf_hub",
        "hunt",
        "hunter2",
        "We fly to ASIA",
        "eyJust a word",
        "[redacted",
    ],
)
def test_what_only_begins_like_a_secret_comes_out_as_it_went_in(text: str):
    for pieces in splits(text):
        assert run(pieces, Redactor(["hunter2!-and-much-more"])) == text


words = st.lists(
    st.sampled_from(
        [*'aehnrtu -_.\\"{}:,', "hunt", "er2", "corr", "sk-", "eyJ", "key", "hf_"]
    ),
    max_size=40,
)


@given(pieces=words)
def test_no_text_is_lost_and_no_secret_comes_out(pieces: list[str]):
    text = "".join(pieces)
    told = run(pieces)

    assert told == run([told])
    for secret in KNOWN.known:
        assert secret[3:] not in told
    whole = KNOWN.redact_text(text)
    if REDACTED not in whole and REDACTED not in told:
        assert told == text


def test_more_than_half_of_a_secret_is_one_where_the_text_ends():
    assert run(["it is correct/horse+"]) == f"it is {REDACTED}"
    assert run(["it is correct"]) == "it is correct"
    assert run(["it is", " correct"]) == "it is correct"


def test_what_is_learned_on_the_way_is_known():
    redactor = Redactor()
    running = RunningRedactor(redactor)
    assert running.receive("say ope") == "say ope"

    redactor.learn("open-sesame")

    assert running.receive("n-sesame!") == f"{REDACTED}!"


def test_a_secret_is_spelt_as_its_text_is():
    running = RunningRedactor(
        Redactor(["größte"]), spell=lambda text: text.encode().decode("latin-1")
    )

    told = running.receive("größte".encode().decode("latin-1"))

    assert told == REDACTED


def test_a_key_that_does_not_end_is_not_kept_back_for_ever():
    running = RunningRedactor(Redactor())
    told = "".join(running.receive("eyJ" + "a" * 500) for _ in range(20))

    assert told == REDACTED
    assert running.held == ""
    assert running.receive(" and") == " and"


def test_a_piece_costs_its_own_length(monkeypatch: pytest.MonkeyPatch):
    looked: list[int] = []

    class Counting(RunningRedactor):
        __slots__ = ()

        def _redacted(self, text: str) -> str:
            looked.append(len(self._context) + len(text))
            return super()._redacted(text)

    for count in (200, 2000):
        looked.clear()
        running = Counting(KNOWN)
        for _ in range(count):
            running.receive("hunt and sk-ab ")
        assert sum(looked) < count * (running_redaction._CONTEXT + 40)


def test_where_the_window_begins_no_key_begins():
    text = "x" * 10 + "AIza" + "S" * 60
    running = RunningRedactor(Redactor())

    told = running.receive(text) + running.receive(" and more") + running.close()

    assert told == f"{text} and more"
