from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from markdown_it import MarkdownIt

from aistream_nb.export.harmless import harmless
from aistream_nb.export.markdown_page import to_markdown
from aistream_nb.recording import Recording

URL = "http://127.0.0.1:9/spy"
LOADS = [
    f"![a picture]({URL})",
    f"words ![one]({URL}) and\nmore ![two]({URL} 'title')",
    f"![ref]\n\n[ref]: {URL}",
    f"![ref][]\n\n[ref]: {URL}",
    f"- in a list ![]({URL})\n- and more",
    f"> quoted <img src={URL}>",
    f"| a |\n|---|\n| ![]({URL}) |",
    f'<img src="{URL}">',
    f"<div>\n<img src={URL}>\n</div>",
    f"<style>p {{ background: url({URL}) }}</style>",
    f"<!-- --><script src={URL}></script>",
    f"**bold <iframe src={URL}></iframe>**",
    f"[![in a link]({URL})]({URL})",
    f"# heading ![]({URL})",
    f"\\\\![]({URL})",
    f"`code` ![]({URL})",
    f"```\nfence\n```\n![]({URL})",
]
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def loads(text: str) -> bool:
    """Whether a renderer would make a picture or an element of it."""
    kinds = {"image", "html_inline", "html_block"}
    return any(
        token.type in kinds or any(one.type in kinds for one in token.children or ())
        for token in MARKDOWN.parse(text)
    )


@pytest.mark.parametrize("text", LOADS)
def test_what_would_load_something_does_not(text: str):
    assert loads(text)
    assert not loads(harmless(text))
    assert URL in harmless(text)  # it can still be read, and followed


@pytest.mark.parametrize(
    "text",
    [
        "plain words, 1 < 2 and a <- b!",
        f"[a link]({URL}) and <https://example.org/a?b=c> and <a@example.org>",
        f"`<img src={URL}>` and `![]({URL})`",
        f"```html\n<img src={URL}>\n![]({URL})\n```",
        f"    <img src={URL}>",
        "$a<b$ and \\![not a picture]",
    ],
)
def test_what_loads_nothing_is_kept_to_the_letter(text: str):
    assert harmless(text) == text


def test_parts_that_are_harmless_alone_are_so_together():
    """A picture in one message, its address in another; code that another one ends."""
    said = ["![ref]", f"[ref]: {URL}", "```\nopen", f"```\n![]({URL})\n```", "x"]
    events = [
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": f"m{n}", "delta": text}
        for n, text in enumerate(said)
    ]
    document = to_markdown(Recording.of(events))
    assert URL in document
    assert not loads(document)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="![]()<>/ab:`\n>-| \\\"'&;=.#", max_size=40))
def test_no_text_loads_anything(text: str):
    assert not loads(harmless(text))
