from __future__ import annotations

from typing import Any

import pytest

import aistream_nb as ai
from aistream_nb import export


@pytest.mark.parametrize("name", ["markdown", "html", "notebook", "openai"])
def test_a_name_that_is_not_there_names_those_that_are(name: str):
    package: Any = ai.export

    with pytest.raises(AttributeError) as missed:
        getattr(package, name)
    assert f"no {name!r}" in str(missed.value)
    assert all(there in str(missed.value) for there in export.__all__)
