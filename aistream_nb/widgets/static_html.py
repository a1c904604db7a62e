"""A conversation without a kernel: HTML that needs no script, and words.

Both are deterministic (no times, no ids made here), so that a notebook whose cells
were run twice differs in nothing. The HTML has inline styles only, folds with
``<details>``, loads nothing from anywhere, and every piece of text in it is escaped:
model output is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final, cast

from aistream_nb.core.counted import counted
from aistream_nb.core.json_text import parse_json
from aistream_nb.widgets.static_markdown import FAINT, LINE, MONO, render_markdown
from aistream_nb.widgets.static_values import (
    cut,
    facts_html,
    plain_html,
    plain_text,
    value_html,
)
from aistream_nb.widgets.view_model import (
    TranscriptLike,
    clean,
    is_shown,
    view_call,
    view_part,
    view_role,
)
from aistream_nb.widgets.wire_views import CallView, MediaPart

__all__ = ["STATE_WORDS", "decision_words", "to_html", "to_text"]

STATE_WORDS: Final[Mapping[str, str]] = {
    "streaming": "writing arguments",
    "ready": "ready",
    "awaiting-approval": "waiting for you",
    "approved": "approved",
    "denied": "denied",
    "executing": "running",
    "complete": "done",
    "error": "failed",
    "aborted": "aborted",
}
"""The states of a call in words; the live view says the same."""

_LIMIT: Final = 20_000
"""Characters of one result or one piece of arguments."""
_SHORT: Final = 400
_NO_JSON: Final = "Not JSON. The arguments as they came:"
_NOT_READ: Final = object()
_CARD: Final = (
    f"border:1px solid {LINE};border-radius:8px;padding:8px 14px;margin:8px 0"
)
_NAME: Final = f"{MONO};font-weight:600;background:none;padding:0"
_SIGNS: Final[Mapping[str, str]] = {
    "complete": "✓ ",
    "denied": "✗ ",
    "error": "✗ ",
    "awaiting-approval": "? ",
}
_USER: Final = (
    "margin:12px 0 12px auto;padding:7px 13px;width:fit-content;max-width:85%;"
    "border-radius:12px;background:rgba(25,118,210,.1);white-space:pre-wrap"
)
_BASE: Final = "max-width:46em;line-height:1.55;overflow-wrap:anywhere"


def decision_words(call: CallView) -> str:
    """What was decided about a call and by whom; empty if nothing was."""
    by = f" by {call.decided_by}" if call.decided_by else ""
    if call.status == "denied":
        return f"Denied{by}" + (f": {call.reason}" if call.reason else "")
    if not call.decided_by or call.status == "awaiting-approval":
        return ""
    return f"Approved{by}" + (" with edited arguments" if call.edited else "")


# ---------------------------------------------------------------- HTML


def to_html(conversation: TranscriptLike) -> str:
    """The conversation as a fragment of HTML."""
    parts = [_message_html(message, conversation) for message in conversation.messages]
    end = _ending(conversation)
    if end:
        parts.append(f'<p style="{FAINT}">{escape(end)}</p>')
    inner = "".join(parts) or f'<p style="{FAINT}">Nothing was said yet.</p>'
    return f'<div style="{_BASE}">{inner}</div>'


def _message_html(message: Any, conversation: TranscriptLike) -> str:
    role = view_role(message.role)
    shown = [part for part in message.parts if is_shown(part)]
    if role == "user":
        words = "".join(_user_html(part) for part in shown)
        return f'<div style="{_USER}" dir="auto">{words}</div>'
    inner = "".join(_part_html(part, conversation) for part in shown)
    return _folded("Instructions", inner) if role == "system" else inner


def _user_html(part: Any) -> str:
    if part.type == "text":
        return escape(clean(part.content))
    return _media_html(view_part(part))


def _part_html(part: Any, conversation: TranscriptLike) -> str:
    match part.type:
        case "text":
            return f'<div dir="auto">{render_markdown(clean(part.content))}</div>'
        case "thinking":
            style = f"{FAINT};font-style:italic;white-space:pre-wrap"
            words = f'<div style="{style}">{escape(clean(part.content))}</div>'
            return _folded("Thought", words)
        case "tool-call":
            return _call_html(part, conversation)
        case _:
            return _media_html(view_part(part))


def _media_html(view: object) -> str:
    if not isinstance(view, MediaPart):
        return ""
    address = view.source.replace("(", "").replace(")", "")
    if view.media_type == "image" and address.startswith("data:image/"):
        return render_markdown(f"![image](<{address}>)")
    name = view.name or view.media_type
    return f'<p style="{FAINT}">{escape(f"{name} {view.mime}".strip())}</p>'


def _call_html(part: Any, conversation: TranscriptLike) -> str:
    call = conversation.tool_calls.get(part.id)
    view = None if call is None else view_call(call)
    sign, status = _state(view.status if view else str(part.state))
    head = (
        f'<code style="{_NAME}">{escape(clean(str(part.name)))}</code> '
        f'<span style="{FAINT}">{sign}{escape(status)}</span>'
    )
    body = _arguments_html(clean(str(part.arguments)), whole=_is_whole(view))
    if view is not None:
        body += _outcome_html(view)
    return f'<div style="{_CARD}"><div>{head}</div>{body}</div>'


def _state(status: str) -> tuple[str, str]:
    return _SIGNS.get(status, ""), STATE_WORDS.get(status, status)


def _is_whole(view: CallView | None) -> bool:
    """Whether all arguments came, so that they should be JSON."""
    return view is not None and view.status not in {"streaming", "aborted"}


def _is_no_json(text: str) -> bool:
    return bool(text.strip()) and _read(text, _NOT_READ) is _NOT_READ


def _arguments_html(text: str, *, whole: bool) -> str:
    value = _read(text)
    if isinstance(value, dict):
        return facts_html(cast("dict[str, Any]", value), limit=_LIMIT)
    shown = plain_html(cut(text, _LIMIT)) if text else ""
    if whole and _is_no_json(text):
        return f'<div style="{FAINT}">{_NO_JSON}</div>{shown}'
    return shown


def _outcome_html(view: CallView) -> str:
    parts: list[str] = []
    decided = decision_words(view)
    if decided:
        parts.append(f'<div style="{FAINT}" dir="auto">{escape(decided)}</div>')
    if view.status == "error":
        parts.append(_failure_html(view))
    elif view.status != "denied" and view.result is not None:
        parts.append(_result_html(view.result))
    return "".join(parts)


def _failure_html(view: CallView) -> str:
    text = (view.error or view.result or "It failed and said nothing.").rstrip()
    lines = text.split("\n")
    last = f'<div style="color:#c33" dir="auto">{escape(lines[-1])}</div>'
    if len(lines) == 1:
        return last
    trace = plain_html(cut(text, _LIMIT))
    return last + _folded(f"Traceback ({counted(len(lines), 'line')})", trace)


def _result_html(result: str) -> str:
    body = value_html(_read(result, result), limit=_LIMIT)
    title = f"Result ({counted(len(result), 'character')})"
    return _folded(title, body, is_open=len(result) <= _SHORT)


def _folded(title: str, inner: str, *, is_open: bool = False) -> str:
    summary = f'<summary style="{FAINT};cursor:pointer">{escape(title)}</summary>'
    opened = " open" if is_open else ""
    return f"<details{opened}>{summary}{inner}</details>"


# ---------------------------------------------------------------- words


def to_text(conversation: TranscriptLike) -> str:
    """The conversation in words."""
    blocks = [
        block
        for message in conversation.messages
        for block in _message_text(message, conversation)
    ]
    end = _ending(conversation)
    return "\n\n".join([*blocks, *([end] if end else [])]) or "Nothing was said yet."


def _message_text(message: Any, conversation: TranscriptLike) -> Iterator[str]:
    who = {"user": "You: ", "system": "Instructions: "}.get(view_role(message.role), "")
    for part in message.parts:
        if not is_shown(part):
            continue
        match part.type:
            case "text":
                yield who + clean(part.content)
            case "thinking":
                yield "(Thought) " + clean(part.content)
            case "tool-call":
                yield "\n".join(_call_text(part, conversation))
            case _:
                yield f"{who}[{part.type}]"


def _call_text(part: Any, conversation: TranscriptLike) -> Iterable[str]:
    call = conversation.tool_calls.get(part.id)
    view = None if call is None else view_call(call)
    _, status = _state(view.status if view else str(part.state))
    yield f"[{clean(str(part.name))}: {status}]"
    value = _read(str(part.arguments))
    if isinstance(value, dict):
        for name, member in cast("dict[str, Any]", value).items():
            yield _indented(f"{name}: {clean(cut(plain_text(member), _LIMIT))}")
    elif _is_whole(view) and _is_no_json(str(part.arguments)):
        yield _indented(f"{_NO_JSON}\n{clean(cut(str(part.arguments), _LIMIT))}")
    if view is None:
        return
    decided = decision_words(view)
    if decided:
        yield _indented(decided)
    if view.status == "error":
        text = (view.error or view.result or "it failed and said nothing").rstrip()
        yield _indented("error: " + text.split("\n")[-1])
    elif view.status != "denied" and view.result is not None:
        yield _indented(
            "-> " + cut(plain_text(_read(view.result, view.result)), _LIMIT)
        )


def _indented(text: str) -> str:
    return "  " + text.replace("\n", "\n  ")


# ---------------------------------------------------------------- both


def _ending(conversation: TranscriptLike) -> str:
    match conversation.status:
        case "error":
            return f"The answer failed: {clean(str(conversation.error or ''))}"
        case "aborted":
            return "Stopped."
        case _:
            return ""


def _read(text: str, fallback: Any = None) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return fallback
