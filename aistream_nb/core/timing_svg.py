"""A timing chart as SVG: no script, nothing loaded, every word escaped.

Colours are middle tones that stand on light and on dark; lines and words take the
colour of the page around them. Alone in a file, the chart brings its own two colours
and follows the reader's preference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from aistream_nb.core.counted import counted
from aistream_nb.core.run_timing import CallTiming, Moment, RunTiming

__all__ = ["draw_timings"]

_WIDTH: Final = 760
_LEFT: Final = 150
_RIGHT: Final = 96
_ROW: Final = 24
_BAR: Final = 12
_HEAD: Final = 40
_FOOT: Final = 26
_TITLE: Final = 84
_NAME: Final = 20
_LEAST: Final = 0.001
_STEPS: Final = (
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    20,
    30,
    60,
    120,
    300,
    600,
)
_MOST_TICKS: Final = 8
_LEAST_GAP: Final = 56
"""Pixels of a silence that is told in words."""
_COLOURS: Final[Mapping[str, str]] = {
    "text": "#3b82c4",
    "thinking": "#9b7bc7",
    "arguments": "#c2618f",
    "waiting": "#c9a227",
    "running": "#3f9d6b",
    "failed": "#cf5a4e",
}
_WORDS: Final[Mapping[str, str]] = {
    "text": "text",
    "thinking": "thinking",
    "arguments": "arguments",
    "waiting": "waits for a decision",
    "running": "tool runs",
    "failed": "tool failed",
}
_ALONE: Final = ' class="aistream-alone" xmlns="http://www.w3.org/2000/svg"'
_STYLE: Final = (
    "<style>.aistream-alone{color:#24292f;background:#fff}"
    "@media(prefers-color-scheme:dark)"
    "{.aistream-alone{color:#e6e6e6;background:#1b1b1b}}</style>"
)


def draw_timings(runs: Sequence[RunTiming], *, alone: bool = False) -> str:
    """The chart of these runs, all on one scale.

    Args:
        runs: What to draw.
        alone: Whether it is a file of its own, and brings its own colours.

    >>> draw_timings([RunTiming(title="<b>")]).count("&lt;b&gt;")
    2
    """
    longest = max([run.length for run in runs] + [_LEAST])
    scale = (_WIDTH - _LEFT - _RIGHT) / longest
    height, pieces = 0.0, list[str]()
    for run in runs:
        pieces.append(f'<g transform="translate(0 {height:g})">{_run(run, scale)}</g>')
        height += _height(run)
    used = [kind for kind in _WORDS if kind in _kinds(runs)]
    pieces.append(f'<g transform="translate(0 {height:g})">{_legend(used)}</g>')
    height += _FOOT
    marks = _ALONE if alone else ""
    label = escape(f"Timing of {counted(len(runs), 'run')}", quote=True)
    return (
        f'<svg{marks} role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {height:g}"'
        f' width="{_WIDTH}" style="max-width:100%;height:auto;font:12px system-ui,'
        f'-apple-system,sans-serif" fill="currentColor">{_STYLE if alone else ""}'
        f"{''.join(pieces)}</svg>"
    )


def _height(run: RunTiming) -> int:
    return _HEAD + _ROW * (1 + len(run.calls)) + _FOOT


def _kinds(runs: Iterable[RunTiming]) -> set[str]:
    kinds: set[str] = set()
    for run in runs:
        kinds.update(moment.kind for moment in run.moments)
        kinds.update(kind for c in run.calls.values() for kind, *_ in _spans(c, run))
    return kinds


# ---------------------------------------------------------------- one run


def _run(run: RunTiming, scale: float) -> str:
    title = _cut(run.title or "a run", _TITLE)
    bottom = _HEAD + _ROW * (1 + len(run.calls))
    told = f"{escape(title)}<title>{escape(run.title)}</title>"
    pieces = [
        f'<text x="8" y="18" font-weight="600">{told}</text>',
        *_axis(run, scale, bottom),
        _name("agent", 0),
        *_marks(run.moments, scale),
        *_notes(run, scale),
    ]
    for row, call in enumerate(run.calls.values(), start=1):
        pieces += [_name(call.name, row), *_call(call, run, row, scale)]
    return "".join(pieces)


def _axis(run: RunTiming, scale: float, bottom: int) -> Iterator[str]:
    longest = (_WIDTH - _LEFT - _RIGHT) / scale
    step = next((s for s in _STEPS if longest / s <= _MOST_TICKS), longest)
    count = int(run.length / step + 1e-9)
    for at in range(count + 1):
        x = _LEFT + at * step * scale
        yield (
            f'<line x1="{x:.1f}" y1="{_HEAD - 8}" x2="{x:.1f}" y2="{bottom}" '
            'stroke="currentColor" stroke-opacity=".13"/>'
            f'<text x="{x:.1f}" y="{bottom + 13}" text-anchor="middle" '
            f'font-size="10" opacity=".65">{_seconds(at * step)}</text>'
        )


def _notes(run: RunTiming, scale: float) -> Iterator[str]:
    """Where the first token came, how long the longest silence was, and the end."""
    first = run.first_token
    if first is not None:
        x = _LEFT + first * scale
        yield (
            f'<line x1="{x:.1f}" y1="{_HEAD - 8}" x2="{x:.1f}" y2="{_HEAD + _ROW}" '
            'stroke="currentColor" stroke-dasharray="2 2" stroke-opacity=".7"/>'
            f'<text x="{x + 4:.1f}" y="{_HEAD - 4}" font-size="10" opacity=".8">'
            f"first token {_seconds(first)}</text>"
        )
    if run.longest_gap is not None:
        start, stop = (_LEFT + at * scale for at in run.longest_gap)
        if stop - start > _LEAST_GAP:
            words = f"silent {_seconds(run.longest_gap[1] - run.longest_gap[0])}"
            yield (
                f'<text x="{(start + stop) / 2:.1f}" y="{_HEAD + 15}" '
                f'text-anchor="middle" font-size="10" opacity=".65">{words}</text>'
            )
    end = _LEFT + run.length * scale
    word = "" if run.ending == "finished" else f" {run.ending}"
    yield (
        f'<text x="{end + 6:.1f}" y="{_HEAD + 15}" font-size="10" opacity=".8">'
        f"{_seconds(run.length)}{word}</text>"
    )


def _marks(moments: Sequence[Moment], scale: float) -> Iterator[str]:
    """Pieces that come one after another are one bar; a gap stays a gap."""
    start = end = -1.0
    kind = ""
    for moment in moments:
        x = _LEFT + moment.at * scale
        if moment.kind == kind and x - end <= 1:
            end = max(end, x + 1.5)
            continue
        if kind:
            yield _bar(start, end, 0, kind)
        start, end, kind = x, x + 1.5, moment.kind
    if kind:
        yield _bar(start, end, 0, kind)


# ---------------------------------------------------------------- one call


def _call(call: CallTiming, run: RunTiming, row: int, scale: float) -> Iterator[str]:
    end = call.begun
    for kind, start, stop in _spans(call, run):
        yield _bar(_LEFT + start * scale, _LEFT + stop * scale, row, kind)
        end = max(end, stop)
    ran = _ran(call, run)
    words = "" if ran is None else f"ran {_seconds(ran)}"
    if call.status in {"denied", "failed"}:
        words = f"{words}, {call.status}".removeprefix(", ")
    y = _HEAD + row * _ROW + _BAR + 3
    yield (
        f'<text x="{_LEFT + end * scale + 6:.1f}" y="{y}" font-size="10" '
        f'opacity=".8">{escape(words)}</text>'
    )


def _ran(call: CallTiming, run: RunTiming) -> float | None:
    if call.started is None:
        return None
    return (run.length if call.ended is None else call.ended) - call.started


def _spans(call: CallTiming, run: RunTiming) -> list[tuple[str, float, float]]:
    spans: list[tuple[str, float, float]] = []
    if call.asked is not None:
        until = run.length if call.decided is None else call.decided
        spans.append(("waiting", call.asked, until))
    if call.started is not None:
        until = run.length if call.ended is None else call.ended
        kind = "failed" if call.status == "failed" else "running"
        spans.append((kind, call.started, until))
    return spans


# ---------------------------------------------------------------- pieces


def _bar(start: float, end: float, row: int, kind: str) -> str:
    y = _HEAD + row * _ROW + 4
    width = max(end - start, 1.5)
    return (
        f'<rect x="{start:.1f}" y="{y}" width="{width:.1f}" height="{_BAR}" rx="2" '
        f'fill="{_COLOURS[kind]}"/>'
    )


def _name(name: str, row: int) -> str:
    y = _HEAD + row * _ROW + _BAR + 3
    return (
        f'<text x="{_LEFT - 10}" y="{y}" text-anchor="end">{escape(_cut(name, _NAME))}'
        f"<title>{escape(name)}</title></text>"
    )


def _legend(kinds: Iterable[str]) -> str:
    pieces: list[str] = []
    x = _LEFT
    for kind in kinds:
        pieces.append(
            f'<rect x="{x}" y="4" width="10" height="10" rx="2" '
            f'fill="{_COLOURS[kind]}"/>'
            f'<text x="{x + 15}" y="13" font-size="11" opacity=".8">'
            f"{_WORDS[kind]}</text>"
        )
        x += 32 + 6 * len(_WORDS[kind])
    return "".join(pieces)


def _seconds(value: float) -> str:
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.3g} s"


def _cut(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
