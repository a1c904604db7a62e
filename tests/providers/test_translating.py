from __future__ import annotations

import pytest

from aistream_nb.core.turn_events import (
    ServerToolEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallStart,
)
from aistream_nb.providers.anthropic import AnthropicTranslator
from aistream_nb.providers.base import StreamFailure
from aistream_nb.providers.gemini import GeminiTranslator
from aistream_nb.providers.openai import ResponsesTranslator
from aistream_nb.providers.openai_chat import ChatTranslator
from aistream_nb.providers.proxy import ProxyTranslator
from aistream_nb.providers.translating import AnswerReader, CallInText, text_in


class Reader(AnswerReader):
    """Made public, to be looked at."""

    def read(self, frame: str) -> dict[str, object] | None:
        opened = self._opened(frame)
        return None if opened is None else opened[1]

    def tell(self) -> list[object]:
        self._say("Hi")
        self._say("")
        self._think("Hm")
        self._think("")
        self._start_search()
        self._finish_search()
        self._announce("look", "c1")
        return list(self._out)

    def begin(self, *ids: str) -> tuple[list[bool], list[object]]:
        return [self._is_new(one) for one in ids], list(self._out)


def test_what_is_said_is_told_and_kept_and_nothing_is_no_event():
    reader = Reader()
    assert reader.tell() == [
        TextDelta(delta="Hi"),
        ThinkingDelta(delta="Hm"),
        ServerToolEvent(tool_type="web_search", phase="started"),
        ServerToolEvent(tool_type="web_search", phase="completed"),
        ToolCallStart(tool_name="look", call_id="c1"),
    ]
    assert reader.full_text() == "Hi"


def test_an_id_that_is_used_again_breaks_the_stream_off():
    reader = Reader()
    failure = StreamFailure(message="duplicate call id 'a' in one response")
    assert reader.begin("a", "b", "a") == ([True, True, False], [failure])
    assert reader.read('data: {"type": "late"}') is None


@pytest.mark.parametrize("frame", [": alive", "data: 7", "data: {oops", ""])
def test_a_frame_without_an_object_is_nothing_to_read(frame: str):
    assert Reader().read(frame) is None
    assert Reader().read('data: {"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    "translator",
    [
        AnthropicTranslator,
        ChatTranslator,
        GeminiTranslator,
        ProxyTranslator,
        ResponsesTranslator,
    ],
)
def test_every_translator_keeps_its_answer_in_the_same_way(
    translator: type[AnswerReader],
):
    assert issubclass(translator, AnswerReader)
    assert translator().full_text() == ""


@pytest.mark.parametrize(
    ("pieces", "whole", "arguments", "replayed"),
    [
        (['{"a":', " 1}"], None, {"a": 1}, '{"a": 1}'),
        (['{"a":'], '{"b":2}', {"b": 2}, '{"b":2}'),
        (["  "], None, {}, "{}"),
        (["[1]"], None, {}, "{}"),
        ([], "", {}, "{}"),
    ],
)
def test_a_call_is_finished_from_its_pieces_or_from_the_whole_text(
    pieces: list[str], whole: str | None, arguments: dict[str, int], replayed: str
):
    call = CallInText(call_id="c1", name="look")
    call.pieces += pieces
    ready = call.finish(whole)
    assert (ready.name, ready.call_id, ready.arguments) == ("look", "c1", arguments)
    assert (ready.problem is None) == (pieces != ["[1]"])
    assert (call.ready, call.text) == (True, replayed)


def test_a_member_that_is_no_text_is_an_empty_one():
    members = {"a": "x", "b": 7, "c": None}
    assert [text_in(members, name) for name in "abcd"] == ["x", "", "", ""]
