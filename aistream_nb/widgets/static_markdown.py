"""Markdown as plain HTML with inline styles, for places without a script.

It reads markdown as the live view does (the same parser family, HTML off) and gives
the same structure. Text is escaped, addresses other than http, https and mailto are
no links, and no image is loaded: a remote one becomes a link, one inside the text
stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["FAINT", "LINE", "MONO", "render_markdown"]

LINE: Final = "rgba(128,128,128,.35)"
"""The colour of a thin line on any background."""
FAINT: Final = "opacity:.75"
MONO: Final = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"

_SAFE_LINK: Final = re.compile(r"(https?:|mailto:)", re.IGNORECASE)
_SAFE_IMAGE: Final = re.compile(
    r"data:image/(png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/=]*\Z", re.IGNORECASE
)
_ALIGN: Final = re.compile(r"text-align:(left|right|center)")
_LOWERED: Final[Mapping[str, str]] = {
    "h1": "h3",
    "h2": "h4",
    "h3": "h5",
    "h4": "h6",
    "h5": "h6",
}
_CODE: Final = (
    f"{MONO};font-size:.92em;background:rgba(128,128,128,.12);border-radius:4px"
)
_STYLES: Final[Mapping[str, str]] = {
    "p": "margin:.5em 0",
    "h1": "margin:.8em 0 .3em;font-size:1.35em",
    "h2": "margin:.8em 0 .3em;font-size:1.2em",
    "h3": "margin:.8em 0 .3em;font-size:1.08em",
    "ul": "margin:.4em 0;padding-left:1.6em",
    "ol": "margin:.4em 0;padding-left:1.6em",
    "blockquote": f"margin:.5em 0;padding-left:12px;border-left:3px solid {LINE}",
    "table": "border-collapse:collapse;margin:.5em 0",
    "th": f"padding:3px 12px 3px 0;border-bottom:1px solid {LINE};text-align:left",
    "td": f"padding:3px 12px 3px 0;border-bottom:1px solid {LINE};text-align:left",
    "hr": f"border:0;border-top:1px solid {LINE}",
}


def _write(tokens: Sequence[Token]) -> str:
    return "".join(_piece(token) for token in tokens)


def _piece(token: Token) -> str:
    """One token as HTML; only text, a checked address and fixed words get in."""
    match token.type:
        case "inline":
            return _write(token.children or ())
        case "softbreak" | "hardbreak":
            return "\n" if token.type == "softbreak" else "<br>"
        case "fence" | "code_block" | "code_inline":
            return _code(token)
        case "image":
            return _image(token)
        case _:
            return _tag(token) if token.tag else escape(token.content)


def _tag(token: Token) -> str:
    if token.hidden:
        return ""
    tag = _LOWERED.get(token.tag, token.tag)
    if token.nesting == -1:
        return f"</{tag}>" + ("\n" if token.block else "")
    return f"<{tag}{_attributes(token)}>"


def _image(token: Token) -> str:
    source = str(token.attrGet("src") or "")
    words = escape("".join(child.content for child in token.children or ()))
    if _SAFE_IMAGE.match(source):
        style = "max-width:100%;max-height:420px"
        return f'<img style="{style}" alt="{words}" src="{escape(source)}">'
    return f"<a{_link(source)}>Image: {words or escape(source)}</a>"


def _code(token: Token) -> str:
    text = escape(token.content)
    if token.type == "code_inline":
        return f'<code style="{_CODE};padding:1px 4px">{text}</code>'
    style = f"{_CODE};padding:8px 12px;overflow-x:auto;white-space:pre"
    return f'<pre style="{style}"><code>{text}</code></pre>\n'


def _link(address: str) -> str:
    return (
        f' href="{escape(address)}" target="_blank" rel="noopener noreferrer nofollow"'
    )


def _attributes(token: Token) -> str:
    if token.tag == "a":
        return _link(str(token.attrGet("href") or ""))
    style = _STYLES.get(token.tag, "")
    align = _ALIGN.search(str(token.attrGet("style") or ""))
    if align:
        style += f";text-align:{align[1]}"
    start = token.attrGet("start")
    numbered = f' start="{int(start)}"' if token.tag == "ol" and start else ""
    return (f' style="{style}"' if style else "") + numbered


def _is_safe(url: str) -> bool:
    return bool(_SAFE_LINK.match(url) or _SAFE_IMAGE.match(url))


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = _is_safe
    return parser


_PARSER: Final = _make_parser()


def render_markdown(text: str) -> str:
    """The text as HTML.

    >>> render_markdown("**Hi** <b>").strip()
    '<p style="margin:.5em 0"><strong>Hi</strong> &lt;b&gt;</p>'
    """
    return _write(_PARSER.parse(text))
