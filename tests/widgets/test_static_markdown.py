"""Markdown without a script: the same structure, escaped, loading nothing."""

from __future__ import annotations

import pytest

from aistream_nb.widgets.static_markdown import render_markdown


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# A\n\n###### F", ["<h3", "</h3>", "<h6>"]),
        ("a\nb  \nc", ["a\nb<br>c"]),
        ("`x < y`", ["x &lt; y</code>"]),
        ("```py\na < b\n```", ["<pre", "a &lt; b\n</code>"]),
        ("    code", ["<pre", "code\n</code>"]),
        ("- a\n- b", ["<ul", "<li>a</li>"]),
        ("3. a\n4. b", ['<ol style="', ' start="3"']),
        ("1. a", ["<ol", "<li>"]),
        ("| a | b |\n|:-:|--:|\n| 1 | 2 |", ["text-align:center", "text-align:right"]),
        ("~~x~~ *y*", ["<s>x</s>", "<em>y</em>"]),
        ("---", ["<hr"]),
        ("[a](https://x.example/?a=1&b=2)", ['href="https://x.example/?a=1&amp;b=2"']),
        ("[a](https://x.example)", ['rel="noopener noreferrer nofollow">a</a>']),
        ("[a](javascript:alert(1))", ["[a](javascript:alert(1))"]),
        ("![a chart](https://x.example/c.png)", [">Image: a chart</a>"]),
        ("![](https://x.example/c.png)", ["Image: https://x.example/c.png</a>"]),
        ("![dot](data:image/png;base64,QUJD)", ['src="data:image/png;base64,QUJD"']),
        ("![dot](data:image/svg+xml;base64,QUJD)", ["![dot]("]),
        ("<b>x</b>", ["&lt;b&gt;x&lt;/b&gt;"]),
    ],
)
def test_markdown_becomes_plain_html(text: str, pieces: list[str]) -> None:
    html = render_markdown(text)
    for piece in pieces:
        assert piece in html
