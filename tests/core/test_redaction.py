from __future__ import annotations

import copy
import datetime as dt
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel

from aistream_nb.core import redaction
from aistream_nb.core.redaction import REDACTED, Redactor, is_secret_name
from aistream_nb.core.values import ABSENT

SECRETS = (
    "sk-ant-api03-abcdefghijklmnop",
    "sk-proj-abcdefghijklmnop",
    "xai-abcdefghijklmnop1234",
    "gsk_abcdefghijklmnop1234",
    "AIzaSyAbcdefghijklmnopqrstuvwxyz0123456",
    "ghp_abcdefghijklmnopqrst1234",
    "github_pat_abcdefghijklmnopqrst",
    "glpat-abcdefghijklmnop1234",
    "hf_abcdefghijklmnop1234",
    "xoxb-1234567890-abc",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl",
)


@pytest.mark.parametrize("secret", SECRETS)
def test_what_looks_like_a_key_is_taken_out(secret):
    said = Redactor().redact_text(f"my key is {secret}, keep it")
    assert said == f"my key is {REDACTED}, keep it"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Bearer abcdefghij1234567", f"Bearer {REDACTED}"),
        ('{"Authorization": "Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"),
        ("https://ana:pass@host/x", f"https://{REDACTED}@host/x"),
        ("https://host/x?key=abc&y=1", f"https://host/x?key={REDACTED}&y=1"),
        ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", REDACTED),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc", REDACTED),
        ('{"password": "a\\"b", "x": 1}', f'{{"password": "{REDACTED}", "x": 1}}'),
        (
            '{"t": "{\\"api_key\\":\\"abc\\"}"}',
            f'{{"t": "{{\\"api_key\\":\\"{REDACTED}\\"}}"}}',
        ),
    ],
)
def test_secrets_are_known_by_their_surroundings(text, left):
    said = Redactor().redact_text(text)
    if "Basic" in text:
        assert left not in said
    else:
        assert said == left


@pytest.mark.parametrize(
    "text",
    [
        "a bearer of good news",
        "basic understanding of things",
        "risk-averse behaviour everywhere",
        '{"input_tokens": 12, "max_tokens": "12"}',
        "thinking about sk- and AIza",
    ],
)
def test_prose_stays_as_it_is(text):
    assert Redactor().redact_text(text) == text


def test_values_that_are_known_are_taken_out_everywhere():
    redactor = Redactor(["hunter2!", "no"])
    redactor.learn("wörd-of-mouth")
    assert redactor.redact_text("say hunter2! and wörd-of-mouth, no?") == (
        f"say {REDACTED} and {REDACTED}, no?"
    )
    assert redactor.redact_bytes("x wörd-of-mouth \xff".encode()) == (
        f"x {REDACTED} \xff".encode()
    )
    assert repr(redactor) == "<Redactor of 2 known secrets>"


def test_bytes_that_are_no_text_pass_unharmed():
    content = bytes(range(256))
    assert Redactor(["secret-1"]).redact_bytes(content) == content


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apiKey",
        "X-API-Key",
        "OPENAI_API_KEY",
        "openaiApiKey",
        "Authorization",
        "proxy-authorization",
        "Set-Cookie",
        "cookie",
        "password",
        "dbPassword",
        "token",
        "accessToken",
        "refresh_token",
        "client_secret",
        "privateKey",
        "credentials",
    ],
)
def test_names_of_secrets_are_known(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "input_tokens",
        "maxTokens",
        "tokens",
        "key",
        "author",
        "cookies_eaten",
        "passage",
    ],
)
def test_other_names_are_not(name):
    assert not is_secret_name(name)


def test_what_stands_under_a_secret_name_is_hidden():
    given = {
        "headers": {"X-Api-Key": "abc", "accept": "x"},
        "passwords": "kept",
        "password": ["a", "b", ""],
        "secret": 5,
        "token": None,
        "properties": {"password": {"type": "string"}},
    }
    assert Redactor().redact(given) == {
        "headers": {"X-Api-Key": REDACTED, "accept": "x"},
        "passwords": "kept",
        "password": [REDACTED, REDACTED, ""],
        "secret": 5,
        "token": None,
        "properties": {"password": {"type": "string"}},
    }


def test_a_copy_shares_nothing_with_what_it_is_of():
    given: dict[str, Any] = {"a": [{"b": "c"}]}
    before = copy.deepcopy(given)
    made: Any = Redactor().redact(given)
    made["a"][0]["b"] = "changed"
    assert given == before


class Text(str):
    __slots__ = ()


class Model(BaseModel):
    password: str


def test_everything_becomes_plain_json():
    made = Redactor().redact(
        {
            "date": dt.date(2026, 12, 6),
            "set": {1},
            "model": Model(password="x"),  # noqa: S106 the point of the test
            "nan": float("nan"),
            "tuple": (1, 2.5, True),
            "text": Text("x"),
            "absent": ABSENT,
            3: "three",
        }
    )
    assert made == {
        "date": "2026-12-06",
        "set": "[a value of type 'set' that JSON cannot say]",
        "model": {"password": REDACTED},
        "nan": None,
        "tuple": [1, 2.5, True],
        "text": "x",
        "3": "three",
    }
    assert type(made["text"]) is str  # pyright: ignore[reportArgumentType, reportCallIssue, reportIndexIssue, reportOptionalSubscript] it is the mapping above


def test_depth_and_cycles_end_somewhere():
    cycle: list[Any] = []
    cycle.append(cycle)
    assert "nested too deeply" in json.dumps(Redactor().redact(cycle))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(max_examples=60)
@given(JSON, st.sampled_from(SECRETS))
def test_redacting_twice_changes_nothing_more(value, secret):
    redactor = Redactor()
    once = redactor.redact([value, secret])
    assert redactor.redact(once) == once
    assert secret not in json.dumps(once)


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ-",
        "eyJaaaaaa.",
        "bearer ",
        '"a_',
        "&key=",
        "://a:b",
        "-----BEGIN ",
        '\\"token\\":',
    ],
)
def test_no_text_costs_more_than_its_length(piece: str):
    """A stranger chooses the text; a pattern that looks twice would hold the loop."""
    redactor = Redactor(["a-known-secret"])
    short, long = (piece * (size // len(piece)) for size in (50_000, 400_000))

    def cost(text: str) -> float:
        begun = time.perf_counter()
        redactor.redact_text(text)
        return time.perf_counter() - begun

    base = min(cost(short) for _ in range(3))
    assert min(cost(long) for _ in range(2)) < 32 * max(base, 0.002)  # 8 times is due


def test_a_long_name_is_looked_at_from_its_end():
    begun = time.perf_counter()
    assert is_secret_name("a_" * 1_000_000 + "api_key")
    assert not is_secret_name("a_" * 1_000_000)
    assert time.perf_counter() - begun < 1


@given(text=st.from_regex(redaction.KEY_SHAPES))
def test_a_key_of_any_shape_has_a_sign_that_is_looked_for(text):
    assert any(sign in text for sign in redaction.KEY_SIGNS)


@pytest.mark.parametrize(
    ("signs", "pattern"),
    [(signs, one) for signs, patterns in redaction._BY_SIGN for one in patterns],
)
@settings(max_examples=50)
@given(data=st.data())
def test_what_a_pattern_matches_has_a_sign_that_is_looked_for(signs, pattern, data):
    # A condition on what follows would have most texts thrown away.
    wider = pattern.pattern.replace(r"(?=\S*\d)", "")
    text = data.draw(st.from_regex(wider))
    assert any(sign in text.casefold() for sign in signs)
