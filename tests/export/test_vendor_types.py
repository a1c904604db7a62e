"""Every kept run in every form: what vendors' own SDKs take, and what people read."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from anthropic.types import MessageParam
from markdown_it import MarkdownIt
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter, ValidationError

from aistream_nb.export import (
    to_anthropic,
    to_html,
    to_markdown,
    to_notebook,
    to_openai,
)
from aistream_nb.recording import Recording

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*/*.jsonl"))
every_log = pytest.mark.parametrize(
    "path", GOLDEN, ids=[f"{path.parent.name} {path.stem}" for path in GOLDEN]
)
ANTHROPIC = TypeAdapter[Any](list[MessageParam])
OPENAI = TypeAdapter[Any](list[ChatCompletionMessageParam])


def read_by(vendor: TypeAdapter[Any], messages: list[Any]) -> Any:
    """What the vendor's types make of messages; members they do not know are gone."""
    return opened(vendor.validate_python(messages))


def opened(value: Any) -> Any:
    """A value whose parts are only looked at when they are asked for, looked at."""
    if isinstance(value, dict):
        return {name: opened(member) for name, member in value.items()}
    if value is None or isinstance(value, (str, int, float)):
        return value
    return [opened(item) for item in value]


@every_log
def test_anthropics_types_take_every_kept_run(path: Path):
    told = json.loads(json.dumps(to_anthropic(path)))
    messages = told["messages"]

    assert read_by(ANTHROPIC, messages) == messages
    assert isinstance(told["system"], str)
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + roles[:1] * (
        len(roles) % 2
    )
    for message, answer in pairwise(messages):
        calls = [b["id"] for b in message["content"] if b["type"] == "tool_use"]
        results = [
            b["tool_use_id"] for b in answer["content"] if b["type"] == "tool_result"
        ]
        assert calls == results


@every_log
def test_openais_types_take_every_kept_run(path: Path):
    messages = json.loads(json.dumps(to_openai(path)))

    assert read_by(OPENAI, messages) == messages
    assert messages[0]["role"] == "system"
    due: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] == due.pop(0)
            continue
        assert due == []
        due += [call["id"] for call in message.get("tool_calls", ())]
    assert due == []


@pytest.mark.parametrize(
    ("vendor", "wrong"),
    [
        (ANTHROPIC, {"role": "user", "content": [{"type": "tool_result"}]}),
        (OPENAI, {"role": "tool", "content": "x"}),
    ],
)
def test_a_message_that_a_vendor_does_not_take_is_noticed(vendor: Any, wrong: Any):
    with pytest.raises(ValidationError):
        read_by(vendor, [wrong])


def test_pictures_and_what_nobody_takes_are_put_right_for_both():
    image = {
        "type": "image",
        "source": {"type": "data", "value": "AA==", "mimeType": "image/png"},
    }
    linked = {
        "type": "image",
        "source": {"type": "url", "value": "https://pics.test/a.png"},
    }
    sound = {
        "type": "audio",
        "source": {"type": "data", "value": "AA==", "mimeType": "audio/wav"},
    }
    words = {"type": "text", "text": "What is this?"}
    blank = {"type": "text", "text": " "}
    said = [words, image, blank, linked, sound]
    asked = {"id": "u", "role": "user", "content": said}
    recording = Recording.of([{"type": "MESSAGES_SNAPSHOT", "messages": [asked]}])

    openai, anthropic = to_openai(recording), to_anthropic(recording)["messages"]

    assert read_by(OPENAI, openai) == openai
    assert read_by(ANTHROPIC, anthropic) == anthropic
    assert [part["type"] for part in openai[0]["content"]] == [
        "text",
        "image_url",
        "text",
        "image_url",
        "text",
    ]
    assert [part["type"] for part in anthropic[0]["content"]] == [
        "text",
        "image",
        "image",
        "text",
    ]


def test_what_anthropic_refuses_is_put_right():
    start = {"type": "TOOL_CALL_START", "toolCallId": "c:1/ä", "toolCallName": "f"}
    blanks = [{"type": "text", "text": " "}, {"type": "text", "text": "\n"}]
    blank = {"id": "u", "role": "user", "content": blanks}
    recording = Recording.of(
        [
            {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": " \n"},
            start,
            {"type": "TOOL_CALL_END", "toolCallId": "c:1/ä"},
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c:1/ä", "content": ""},
        ]
    )
    only_blanks = Recording.of([{"type": "MESSAGES_SNAPSHOT", "messages": [blank]}])

    opening, called, answered = to_anthropic(recording)["messages"]

    assert opening["role"] == "user"
    assert called["content"] == [
        {"type": "tool_use", "id": "c_1__", "name": "f", "input": {}}
    ]
    assert answered["content"][0]["tool_use_id"] == "c_1__"
    assert to_anthropic(only_blanks)["messages"] == []


# ---------------------------------------------------------------- people


class Page(HTMLParser):
    """Notes what a page would load, run or send."""

    def __init__(self) -> None:
        super().__init__()
        self.reached: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "iframe", "object", "embed", "link", "form", "base"}:
            self.reached.append(tag)
        for name, value in attrs:
            is_remote = name in {"src", "srcset", "data", "poster", "action"}
            if (is_remote and not (value or "").startswith("data:")) or name[
                :2
            ] == "on":
                self.reached.append(f"{tag} {name}={value}")


@every_log
def test_a_page_of_every_kept_run_reaches_for_nothing(path: Path):
    html = to_html(path)
    page = Page()
    page.feed(html)

    assert page.reached == []
    assert not re.search(r"url\(\s*['\"]?(?!data:)[a-z/]|@import", html)
    assert "default-src 'none'" in html


@every_log
def test_markdown_and_notebook_of_every_kept_run_say_what_was_said(path: Path):
    recording = Recording.load(path)
    markdown, notebook = to_markdown(recording), to_notebook(recording)

    nbformat.validate(nbformat.reads(notebook, as_version=4))
    tokens = MarkdownIt().parse(markdown)
    assert [token for token in tokens if token.type == "html_block"] == []
    fences = [token.info for token in tokens if token.type == "fence"]
    assert fences
    assert "book_ferry" in markdown
    assert "book_ferry" in notebook
