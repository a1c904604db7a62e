from __future__ import annotations

from aistream_nb.core.ordering.rules_reading import READING_RULES
from aistream_nb.core.wire.chunks import CHUNK_FORMS


def test_every_kind_of_chunk_has_its_rule_for_a_first_chunk():
    ids = {rule.id for rule in READING_RULES}
    for form in CHUNK_FORMS.values():
        assert f"chunk.{form.kind}_first_id" in ids
        for _ in form.required:
            assert f"chunk.{form.kind}_first_name" in ids


def test_only_what_the_client_cannot_read_is_fatal():
    advice = (
        "schema.unknown",
        "schema.misspelt",
        "schema.retired",
        "transport.",
        "dialect.",
    )
    for rule in READING_RULES:
        assert (rule.level == "fatal") == (not rule.id.startswith(advice))
