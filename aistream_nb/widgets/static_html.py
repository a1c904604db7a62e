"""A conversation without a kernel: HTML that needs no script, and words.

Both are deterministic (no times, no ids made here), so that a notebook whose cells
were run twice differs in nothing. The HTML has inline styles only, folds with
``<details>``, loads nothing from anywhere, and every piece of text in it is escaped:
model output is data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final, cast

from aistream_nb.core.json_text import parse_json
from aistream_nb.widgets.static_markdown import FAINT, LINE, MONO, render_markdown
from aistream_nb.widgets.view_model import (
    ConversationLike,
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
_CARD: Final = (
    f"border:1px solid {LINE};border-radius:8px;padding:8px 14px;margin:8px 0"
)
_PRE: Final = f"{MONO};font-size:.92em;white-space:pre-wrap;margin:6px 0 0"
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


def to_html(conversation: ConversationLike) -> str:
    """The conversation as a fragment of HTML."""
    parts = [_message_html(message, conversation) for message in conversation.messages]
    end = _ending(conversation)
    if end:
        parts.append(f'<p style="{FAINT}">{escape(end)}</p>')
    inner = "".join(parts) or f'<p style="{FAINT}">Nothing was said yet.</p>'
    return f'<div style="{_BASE}">{inner}</div>'


def _message_html(message: Any, conversation: ConversationLike) -> str:
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


def _part_html(part: Any, conversation: ConversationLike) -> str:
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


def _call_html(part: Any, conversation: ConversationLike) -> str:
    call = conversation.tool_calls.get(part.id)
    view = view_call(part if call is None else call) if call is not None else None
    name = clean(str(part.name))
    status = STATE_WORDS[view.status] if view else str(part.state)
    head = (
        f'<code style="{MONO};font-weight:600">{escape(name)}</code> '
        f'<span style="{FAINT}">{escape(status)}</span>'
    )
    body = _arguments_html(clean(str(part.arguments)))
    if view is not None:
        body += _outcome_html(view)
    return f'<div style="{_CARD}"><div>{head}</div>{body}</div>'


def _arguments_html(text: str) -> str:
    value = _read(text)
    if not isinstance(value, dict):
        return f'<pre style="{_PRE}">{escape(_cut(text))}</pre>' if text else ""
    rows = "".join(
        f'<tr><td style="{FAINT};padding:1px 12px 1px 0;vertical-align:top;'
        f'text-align:left">{escape(name)}</td>'
        f'<td style="padding:1px 0;text-align:left;white-space:pre-wrap">'
        f"{escape(_cut(_plain(member)))}</td></tr>"
        for name, member in cast("dict[str, Any]", value).items()
    )
    style = "border:0;border-collapse:collapse;margin-top:4px"
    return f'<table style="{style}"><tbody>{rows}</tbody></table>' if rows else ""


def _outcome_html(view: CallView) -> str:
    parts: list[str] = []
    decided = decision_words(view)
    if decided:
        parts.append(f'<div style="{FAINT}" dir="auto">{escape(decided)}</div>')
    if view.status == "error":
        text = view.error or view.result or "It failed and said nothing."
        lines = text.rstrip().split("\n")
        parts.append(f'<div style="color:#c33" dir="auto">{escape(lines[-1])}</div>')
        if len(lines) > 1:
            trace = f'<pre style="{_PRE}">{escape(_cut(text))}</pre>'
            parts.append(_folded(f"Traceback ({len(lines)} lines)", trace))
    elif view.status != "denied" and view.result is not None:
        text = _cut(_plain(_read(view.result, view.result)))
        body = f'<pre style="{_PRE}">{escape(text)}</pre>'
        title = f"Result ({len(view.result)} characters)"
        parts.append(_folded(title, body, is_open=len(text) <= _SHORT))
    return "".join(parts)


def _folded(title: str, inner: str, *, is_open: bool = False) -> str:
    summary = f'<summary style="{FAINT};cursor:pointer">{escape(title)}</summary>'
    opened = " open" if is_open else ""
    return f"<details{opened}>{summary}{inner}</details>"


# ---------------------------------------------------------------- words


def to_text(conversation: ConversationLike) -> str:
    """The conversation in words."""
    blocks = [
        block
        for message in conversation.messages
        for block in _message_text(message, conversation)
    ]
    end = _ending(conversation)
    return "\n\n".join([*blocks, *([end] if end else [])]) or "Nothing was said yet."


def _message_text(message: Any, conversation: ConversationLike) -> Iterator[str]:
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


def _call_text(part: Any, conversation: ConversationLike) -> Iterable[str]:
    call = conversation.tool_calls.get(part.id)
    view = None if call is None else view_call(call)
    status = STATE_WORDS[view.status] if view else str(part.state)
    yield f"[{clean(str(part.name))}: {status}]"
    value = _read(str(part.arguments))
    if isinstance(value, dict):
        for name, member in cast("dict[str, Any]", value).items():
            yield _indented(f"{name}: {clean(_cut(_plain(member)))}")
    if view is None:
        return
    decided = decision_words(view)
    if decided:
        yield _indented(decided)
    if view.status == "error":
        text = (view.error or view.result or "it failed and said nothing").rstrip()
        yield _indented("error: " + text.split("\n")[-1])
    elif view.status != "denied" and view.result is not None:
        yield _indented("-> " + _cut(_plain(_read(view.result, view.result))))


def _indented(text: str) -> str:
    return "  " + text.replace("\n", "\n  ")


# ---------------------------------------------------------------- both


def _ending(conversation: ConversationLike) -> str:
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


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def _cut(text: str) -> str:
    if len(text) <= _LIMIT:
        return text
    return f"{text[:_LIMIT]}\n… {len(text) - _LIMIT} more characters"
