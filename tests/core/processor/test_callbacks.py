from __future__ import annotations

import pytest

from aistream_nb.core.processor.callbacks import ProcessorCallbacks


def listen(*_: object) -> None:
    return None


def test_callbacks_may_be_a_value_a_mapping_or_nothing():
    value = ProcessorCallbacks(on_text_update=listen)
    assert ProcessorCallbacks.of(value) is value
    assert ProcessorCallbacks.of({"on_text_update": listen}) == value
    assert ProcessorCallbacks.of({"onTextUpdate": listen}) == value
    assert ProcessorCallbacks.of(None) == ProcessorCallbacks()


def test_a_name_that_is_no_callback_is_refused():
    with pytest.raises(TypeError, match="on_txt_update"):
        ProcessorCallbacks.of({"on_txt_update": listen})
