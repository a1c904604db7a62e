"""A judged stream without a kernel: its events as a table, and what is wrong, in place.

The same rules as for :mod:`aistream_nb.widgets.static_html`: deterministic (no times),
inline styles only, no script, every text escaped, readable on any background. Beside
that it is bounded: of a long stream the rows around the position and around each
violation are shown, and how many are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, Protocol, TypeAlias

from aistream_nb.core.counted import counted
from aistream_nb.core.values import Event
from aistream_nb.widgets import static_html
from aistream_nb.widgets.display_text import row_of
from aistream_nb.widgets.static_markdown import FAINT, LINE, MONO
from aistream_nb.widgets.view_model import TranscriptLike, clean
from aistream_nb.widgets.wire_inspector import EventRow, Level, ViolationView

__all__ = ["Inspected", "to_html", "to_text"]

_FIRST: Final = 30
"""Rows at the beginning."""
_AROUND: Final = 5
"""How far one sees from the position, and from each violation."""
_MOST_ROWS: Final = 120
"""From then on of each violation only its event."""
_MOST_VIOLATIONS: Final = 30
_MOST_OF_A_RULE: Final = 3
_MOST_MESSAGES: Final = 30
_TEXT: Final = 60
"""Characters of what an event says."""
_ID: Final = 20

_BADGES: Final[Mapping[Level, tuple[str, str]]] = {
    "fatal": ("✕", "#b3261e"),
    "error": ("✕", "#c0410f"),
    "warning": ("△", "#8a5a00"),
    "info": ("i", "#1565c0"),
    "dialect": ("≈", "#6a1b9a"),
}
"""Level, its sign, and a colour that white stands on."""
_FAMILIES: Final[Mapping[str, str]] = {
    "TEXT": "#1976d2",
    "TOOL": "#b7791f",
    "REASONING": "#8a3ffc",
    "THINKING": "#8a3ffc",
    "STATE": "#1b8a4b",
    "MESSAGES": "#1b8a4b",
    "ACTIVITY": "#1b8a4b",
}

_FONT: Final = "font-family:system-ui,sans-serif"
_BOX: Final = f"border:1px solid {LINE};border-radius:8px;padding:10px 14px"
_TABLE: Final = (
    f"{MONO};border:0;border-collapse:collapse;margin:6px 0 0;font-size:.86em;"
    "line-height:1.5"
)
# Short, because there are many; a notebook's own table styles are what they undo.
_LINE: Final = "background:none"
_LEFT: Final = "text-align:left;vertical-align:top"
_CELL: Final = f"padding:1px 10px 1px 0;{_LEFT}"
_NOTE: Final = f"padding:2px 0 8px 8px;text-align:left;{_FONT}"


class Inspected(Protocol):
    """What is shown."""

    @property
    def events(self) -> Sequence[Event]:
        """All events so far."""
        ...

    @property
    def violations(self) -> Sequence[ViolationView]:
        """Everything that was found so far."""
        ...

    @property
    def position(self) -> int:
        """How many events have been folded."""
        ...

    @property
    def conversation(self) -> TranscriptLike:
        """The fold of the events up to the position."""
        ...


class _Tail:
    """The last messages of a conversation."""

    def __init__(self, conversation: TranscriptLike) -> None:
        self.messages = conversation.messages[-_MOST_MESSAGES:]
        self.tool_calls = conversation.tool_calls
        self.status = conversation.status
        self.error = conversation.error


@dataclass(slots=True)
class _Page:
    """What is shown of a stream, so that its size is bounded."""

    hidden: str
    rows: list[int] = field(default_factory=list[int])
    by_place: dict[int, list[ViolationView]] = field(
        default_factory=dict[int, list[ViolationView]]
    )


def _page(inspected: Inspected) -> _Page:
    shown, hidden = _chosen(inspected.violations)
    page = _Page(hidden=_counted_rules(hidden))
    for one in shown:
        page.by_place.setdefault(one.at, []).append(one)
    count = len(inspected.events)
    places = [inspected.position, count, *(one.at for one in shown)]
    wanted = set(range(min(_FIRST, count)))
    for at in places:
        near = _AROUND if len(wanted) < _MOST_ROWS else 1
        wanted |= set(range(max(0, at - near), min(count, at + near - 1)))
    page.rows = sorted(wanted)
    return page


Found: TypeAlias = list[ViolationView]


def _chosen(violations: Sequence[ViolationView]) -> tuple[Found, Found]:
    """The violations to show, in order, and the others: the worst are shown first."""
    levels = list(_BADGES)
    by_rule: Counter[str] = Counter()
    shown: Found = []
    hidden: Found = []
    for one in sorted(violations, key=lambda one: levels.index(one.level)):
        by_rule[one.rule] += 1
        is_shown = by_rule[one.rule] <= _MOST_OF_A_RULE
        (shown if is_shown and len(shown) < _MOST_VIOLATIONS else hidden).append(one)
    return shown, hidden


def _counted_rules(hidden: Found) -> str:
    rules = Counter(one.rule for one in hidden)
    said = ", ".join(f"{count:,} {rule}" for rule, count in rules.items())
    return f"… {counted(len(hidden), 'more violation')}: {said}" if hidden else ""


def _summary(inspected: Inspected) -> str:
    levels = Counter(one.level for one in inspected.violations)
    said = ", ".join(f"{levels[level]:,} {level}" for level in _BADGES if levels[level])
    wrong = counted(levels.total(), "violation")
    judged = f"{wrong}: {said}" if said else "in order"
    return f"{counted(len(inspected.events), 'event')}, {judged}"


def _standing(inspected: Inspected) -> str:
    left_out = len(inspected.conversation.messages) - _MOST_MESSAGES
    more = f", the last {_MOST_MESSAGES} messages" if left_out > 0 else ""
    if inspected.position == 0:
        return "Before the first event"
    return f"After event {inspected.position - 1:,}{more}"


# ---------------------------------------------------------------- HTML


def to_html(inspected: Inspected) -> str:
    """The stream, its violations and the conversation, as a fragment of HTML."""
    page = _page(inspected)
    wrong = any(one.level in {"fatal", "error"} for one in inspected.violations)
    sign = "✕" if wrong else "✓"
    head = (
        f'<div style="font-weight:600"><span aria-hidden="true">{sign}</span> '
        f"{escape(_summary(inspected))}</div>"
    )
    conversation = (
        f'<div style="margin-top:10px;padding-top:8px;border-top:1px solid {LINE}">'
        f'<div style="{FAINT};font-size:.9em">{escape(_standing(inspected))}</div>'
        f"{static_html.to_html(_Tail(inspected.conversation))}</div>"
    )
    return f'<div style="{_BOX}">{head}{_table(inspected, page)}{conversation}</div>'


def _table(inspected: Inspected, page: _Page) -> str:
    rows = "".join(_rows(inspected, page))
    if not rows:
        return ""
    return (
        f'<div style="overflow-x:auto"><table style="{_TABLE}"><tbody>{rows}'
        "</tbody></table></div>"
    )


def _rows(inspected: Inspected, page: _Page) -> Iterator[str]:
    yield from map(_violation_html, page.by_place.get(0, ()))
    before = -1
    for index in page.rows:
        yield from _gap_html(index - before - 1)
        row = row_of(inspected.events[index], index=index, seconds=None, violation=None)
        yield _row_html(row, inspected.position)
        yield from map(_violation_html, page.by_place.get(index + 1, ()))
        before = index
    yield from _gap_html(len(inspected.events) - before - 1)
    if page.hidden:
        yield _wide(page.hidden, FAINT)


def _gap_html(count: int) -> Iterator[str]:
    if count:
        yield _wide(f"… {counted(count, 'more event')}", FAINT)


def _wide(text: str, style: str) -> str:
    return (
        f'<tr style="{_LINE}"><td></td>'
        f'<td colspan="3" style="{_NOTE};{style}">{escape(text)}</td></tr>'
    )


def _row_html(row: EventRow, position: int) -> str:
    here, later = row.index == position - 1, row.index >= position
    style = f"{_LINE};opacity:.68" if later else _LINE
    if here:
        style = "background:rgba(25,118,210,.13);font-weight:600"
    mark = "▸&nbsp;" if here else ""
    colour = _FAMILIES.get(row.type.partition("_")[0], "rgba(128,128,128,.5)")
    kind = f"border-left:3px solid {colour};padding:1px 10px 1px 8px;{_LEFT}"
    cells = (
        f'<td style="{_CELL}">{mark}{row.index}</td>',
        f'<td style="{kind}">{escape(row.type)}</td>',
        f'<td style="{_CELL}">{escape(_shortened(row.id, _ID))}</td>',
        f'<td style="{_CELL}">{escape(_shortened(row.text, _TEXT))}</td>',
    )
    return f'<tr style="{style}">{"".join(cells)}</tr>'


def _shortened(text: str, most: int) -> str:
    """One line of it; blanks alone are shown as what they are."""
    line = " ".join(text.split()) if text.strip() else repr(text) if text else ""
    return line if len(line) <= most else f"{line[:most]}…"


def _violation_html(one: ViolationView) -> str:
    sign, colour = _BADGES[one.level]
    badge = (
        f'<span style="background:{colour};color:#fff;border-radius:4px;'
        f'padding:1px 7px;white-space:nowrap"><span aria-hidden="true">{sign}</span> '
        f"{one.level}</span>"
    )
    said = "".join(
        f'<div style="margin-top:2px"><span style="{FAINT}">{name}</span> '
        f"{escape(clean(text))}</div>"
        for name, text in _said(one)
    )
    inner = (
        f'<div>{badge} <code style="{MONO};background:none;padding:0;font-weight:600">'
        f"{escape(one.rule)}</code>{escape(_scope(one))}</div>"
        f"<div>{escape(_sentence(one))}</div>{said}"
    )
    return (
        f'<tr style="{_LINE}"><td></td><td colspan="3" '
        f'style="{_NOTE};border-left:3px solid {colour}">{inner}</td></tr>'
    )


def _scope(one: ViolationView) -> str:
    return "" if one.index >= 0 else " (the stream as a whole)"


def _sentence(one: ViolationView) -> str:
    text = clean(one.message).removesuffix(".")
    return f"{text[:1].upper()}{text[1:]}."


def _said(one: ViolationView) -> list[tuple[str, str]]:
    said = [("Due", one.expected), ("Fix", one.fix), ("Rule", one.meaning)]
    return [(name, text) for name, text in said if text]


# ---------------------------------------------------------------- words


def to_text(inspected: Inspected) -> str:
    """The same in words."""
    page = _page(inspected)
    lines = [_summary(inspected), *_text_lines(inspected, page)]
    conversation = static_html.to_text(_Tail(inspected.conversation))
    return "\n".join([*lines, "", f"{_standing(inspected)}:", conversation])


def _text_lines(inspected: Inspected, page: _Page) -> Iterator[str]:
    for one in page.by_place.get(0, ()):
        yield from _violation_text(one)
    before = -1
    for index in page.rows:
        yield from _gap_text(index - before - 1)
        row = row_of(inspected.events[index], index=index, seconds=None, violation=None)
        mark = ">" if index == inspected.position - 1 else " "
        said = f"{_shortened(row.id, _ID):<10} {_shortened(row.text, _TEXT)}"
        yield f"{mark}{index:>5}  {row.type:<24} {said}".rstrip()
        for one in page.by_place.get(index + 1, ()):
            yield from _violation_text(one)
        before = index
    yield from _gap_text(len(inspected.events) - before - 1)
    if page.hidden:
        yield f"       {page.hidden}"


def _gap_text(count: int) -> Iterator[str]:
    if count:
        yield f"       … {counted(count, 'more event')}"


def _violation_text(one: ViolationView) -> Iterator[str]:
    sign, _ = _BADGES[one.level]
    yield f"       {sign} {one.level} {one.rule}{_scope(one)}: {_sentence(one)}"
    for name, text in _said(one):
        yield f"         {name}: {clean(text)}"
