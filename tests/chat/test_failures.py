from __future__ import annotations

from aistream_nb.chat.failures import failure_code, failure_words
from aistream_nb.errors import ProviderStatusError, TurnError


def test_our_own_words_are_told_and_of_strangers_only_the_kind():
    assert failure_words(TurnError("too many rounds")) == "too many rounds"
    told = failure_words(KeyError("sk-live-12345678"))
    assert told == "The run failed with KeyError; the traceback says more."


def test_the_code_is_the_status_where_there_was_one():
    refused = ProviderStatusError("no", provider="x", status_code=429)
    assert failure_code(refused) == "http_429"
    assert failure_code(TurnError("no")) == "TurnError"
