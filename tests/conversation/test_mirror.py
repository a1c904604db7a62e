from __future__ import annotations

from typing import Any

from aistream_nb.conversation.mirror import Mirror, Mirrored


class Grown(Mirror):
    size = Mirrored(0, help="How large it is.")

    def __init__(self) -> None:
        super().__init__()
        self.truth = 0
        self.reads = 0

    def _read(self) -> dict[str, Any]:
        self.reads += 1
        return {"size": self.truth}


def test_reading_brings_a_mirror_up_to_date():
    grown = Grown()
    grown.truth = 3

    assert grown.size == 3


def test_nothing_is_read_until_somebody_looks():
    grown = Grown()
    for size in range(100):
        grown.truth = size
        grown.touch()

    assert (grown.reads, grown.size, grown.size, grown.reads) == (0, 99, 99, 1)


def test_an_observed_mirror_tells_of_every_touch():
    grown = Grown()
    sizes: list[int] = []

    def heard(change: dict[str, Any]) -> None:
        sizes.append(change["new"])

    grown.observe(heard, "size")
    for size in (1, 2):
        grown.truth = size
        grown.touch()
    grown.unobserve(heard, "size")
    grown.truth = 3
    grown.touch()

    assert sizes == [1, 2]


def test_a_mirror_of_nothing_stays_as_it_is():
    nothing = Mirror()
    nothing.refresh()

    assert nothing.trait_names() == []
