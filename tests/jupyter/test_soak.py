"""A few turns of the soak: every word arrives, every card is answered.

Nothing here looks at a clock or at memory; ``poe soak`` does both, for ten minutes.
"""

from __future__ import annotations

from typing import Any

import pytest
from lab import LabServer
from soak import soak
from soak_model import Model

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_every_word_arrives_and_every_card_is_answered(
    lab: LabServer, lab_browser: Any
):
    outcome = soak(
        lab_browser,
        lab,
        Model(words_a_turn=600),
        enough=lambda so_far: so_far.approved + so_far.denied >= 5,
        looks=False,
    )
    assert outcome.faults() == []
    assert outcome.turns >= 5
    assert (outcome.approved, outcome.denied) >= (4, 1)
    assert outcome.words == len(outcome.shown) > 3000
