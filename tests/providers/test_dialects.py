"""Every wire has somebody who speaks it."""

from __future__ import annotations

from typing import get_args

from aistream_nb.providers.dialects import DIALECTS
from aistream_nb.providers.registry import PROVIDERS, Wire


def test_every_wire_is_spoken():
    assert set(DIALECTS) == set(get_args(Wire))
    assert {record.wire for record in PROVIDERS.values()} <= set(DIALECTS)
