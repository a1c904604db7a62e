from __future__ import annotations

import pytest

from aistream_nb.core.error_text import error_text_of


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "no such model"}}', "no such model"),
        ('{"error": "no such model"}', "no such model"),
        ('[{"error": {"message": "first of a list"}}]', "first of a list"),
        ('{"message": "top"}', "top"),
        ('{"detail": "below"}', "below"),
        ('{"error": {"message": 5}}', ""),
        ("[]", ""),
        ("5", ""),
        ("<html>", ""),
        ("[" * 60_000, ""),
    ],
)
def test_an_error_text_is_found_wherever_servers_put_it(body: str, said: str):
    assert error_text_of(body) == said
