from __future__ import annotations

import json
from html import escape

import pytest

from aistream_nb.chat.hiding import Hiding

SECRET = "a\"b<c>&'d é\\"  # noqa: S105 what is hidden is what is tried


@pytest.mark.parametrize(
    "spelt", [SECRET, escape(SECRET), json.dumps(SECRET, ensure_ascii=False)[1:-1]]
)
def test_a_secret_is_hidden_however_it_is_spelt(spelt: str):
    hiding = Hiding()
    hiding.learn(SECRET)
    assert hiding.hide(f"<p>{spelt}</p>") == "<p>[redacted]</p>"


def test_a_short_word_is_no_secret():
    hiding = Hiding()
    hiding.learn("local")
    assert hiding.hide("local") == "local"
