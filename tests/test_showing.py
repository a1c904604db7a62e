from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ag_ui.core import RunStartedEvent, TextMessageChunkEvent
from ag_ui.encoder import EventEncoder
from agui_binary import binary

import aistream_nb as ai
from aistream_nb.errors import AIStreamError, RecordingError
from aistream_nb.recording import Recording
from aistream_nb.widgets.transcript import TranscriptWidget

EVENTS: list[dict[str, Any]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Héllo"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]
LINES = [json.dumps(event) for event in EVENTS]
SSE = "".join(f"data: {line}\n\n" for line in LINES).encode()
BINARY_BODY = binary(*EVENTS)
JSONL = "\n".join(LINES).encode()


async def slowly(items: Any) -> AsyncIterator[Any]:
    for item in items:
        await asyncio.sleep(0)
        yield item


def pieces(data: bytes, size: int = 7) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def text_of(shown: Any) -> str:
    return shown.conversation.messages[-1].text


SOURCES = {
    "mappings": EVENTS,
    "a generator": (event for event in EVENTS),
    "lines": LINES,
    "lines with ends": [f"{line}\n" for line in LINES],
    "lines in bytes": [line.encode() for line in LINES],
    "pieces of lines": pieces(JSONL),
    "sse in pieces": pieces(SSE),
    "sse as text": [SSE.decode()],
    "a body": SSE,
    "a body in the binary form": BINARY_BODY,
    "the binary form in pieces": pieces(BINARY_BODY),
    "a body of lines": JSONL,
    "a body as text": SSE.decode(),
    "lines as text": JSONL.decode(),
    "a body without its last line": SSE.rstrip(),
    "a recording": Recording.of(EVENTS),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_events_in_any_form_are_shown_at_once(source: Any):
    shown = ai.show(source)

    assert text_of(shown) == "Héllo"
    assert shown.conversation.status == "finished"
    assert shown.events == tuple(EVENTS)
    assert shown.violations == ()
    assert shown.done


def test_a_file_is_shown(tmp_path: Path):
    path = tmp_path / "stream.sse"
    path.write_bytes(SSE)

    assert text_of(ai.show(path)) == "Héllo"
    assert text_of(ai.show(str(path))) == "Héllo"
    with pytest.raises(RecordingError):
        ai.show(tmp_path / "nothing.jsonl")


def test_objects_of_the_official_sdk_are_shown():
    chunk = TextMessageChunkEvent(message_id="m", delta="Hello")
    objects = [RunStartedEvent(thread_id="t", run_id="r"), chunk]

    assert text_of(ai.show(objects)) == "Hello"
    assert text_of(ai.show([EventEncoder().encode(one) for one in objects])) == "Hello"


async def test_an_asynchronous_source_is_read_in_the_background():
    shown = ai.show(slowly(EVENTS))

    assert repr(shown) == "<shown: 0 events, going on>"
    assert await shown is shown
    assert text_of(shown) == "Héllo"
    assert repr(shown) == "<shown: 5 events, ended>"


async def test_what_a_source_can_be_awaited_from_is_a_source():
    async def events() -> list[dict[str, Any]]:
        return EVENTS

    async def stream() -> AsyncIterator[Any]:
        return slowly(EVENTS)

    assert text_of(await ai.show(events())) == "Héllo"
    assert text_of(await ai.show(stream())) == "Héllo"


def test_without_a_loop_an_asynchronous_source_is_read_when_it_is_awaited():
    shown = ai.show(slowly(EVENTS))

    assert not shown.done
    assert text_of(asyncio.run(shown.wait())) == "Héllo"


async def test_what_is_there_already_can_be_awaited_too():
    assert (await ai.show(EVENTS)).done


def test_a_stream_that_ends_too_early_is_shown_as_failed():
    shown = ai.show(EVENTS[:3])

    assert shown.conversation.status == "error"
    assert "middle of the run" in shown.conversation.error
    assert [v.rule for v in shown.violations] == ["stream.truncated"]
    assert len(shown.events) == 3


def test_a_source_that_raises_keeps_what_came_and_its_error():
    def broken() -> Iterator[dict[str, Any]]:
        yield from EVENTS[:3]
        raise KeyError("secret")

    shown = ai.show(broken())

    assert isinstance(shown.error, KeyError)
    assert text_of(shown) == "Héllo"
    assert shown.conversation.error == "The source failed with KeyError."


async def test_a_source_that_raises_raises_for_who_awaits_it():
    async def broken() -> AsyncIterator[dict[str, Any]]:
        yield EVENTS[0]
        raise KeyError("gone")

    shown = ai.show(broken())

    with pytest.raises(KeyError):
        await shown
    assert shown.conversation.status == "error"


async def test_a_source_can_be_stopped():
    async def endless() -> AsyncIterator[dict[str, Any]]:
        for event in EVENTS[:3]:
            yield event
        await asyncio.Event().wait()

    shown = ai.show(endless())
    for _ in range(5):
        await asyncio.sleep(0)

    shown.stop()
    await shown

    assert shown.done
    assert text_of(shown) == "Héllo"
    assert shown.conversation.status == "aborted"


def test_stopping_what_has_ended_changes_nothing():
    shown = ai.show(EVENTS)

    shown.stop()

    assert shown.conversation.status == "finished"


def test_violations_are_told_with_their_place():
    shown = ai.show([*EVENTS[:1], EVENTS[2], *EVENTS[3:]])

    assert [(v.rule, v.index) for v in shown.violations] == [
        ("text.content_unopened", 1)
    ]


def test_frames_and_items_that_are_no_events_are_told():
    frames = ai.show(b"data: {oops\n\n" + SSE)
    items = ai.show([EVENTS[0], 7, *EVENTS[1:]])

    assert [v.rule for v in frames.violations] == ["frame.bad_json"]
    assert [v.rule for v in items.violations] == ["frame.not_object"]
    assert text_of(frames) == text_of(items) == "Héllo"


def test_half_a_line_at_the_end_is_told():
    shown = ai.show([JSONL[:-5]])

    assert [v.rule for v in shown.violations] == ["frame.bad_json", "stream.truncated"]
    assert text_of(shown) == "Héllo"


def test_an_older_dialect_is_judged_as_such():
    content = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"}
    older = [
        {"type": "RUN_STARTED", "runId": "r"},
        {**content, "content": "Hi"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", "runId": "r", "finishReason": "stop"},
    ]

    assert ai.show(older).violations
    levels = {v.level for v in ai.show(older, dialect="tanstack").violations}
    assert not levels & {"fatal", "error"}


def test_its_static_forms_are_the_same_each_time():
    one, two = (ai.show(EVENTS)._repr_mimebundle_() for _ in range(2))

    assert one == two
    assert "Héllo" in one["text/plain"]
    assert "Héllo" in one["text/html"]


async def test_its_view_can_only_be_stopped():
    shown = ai.show(slowly(EVENTS))
    view = shown._view()

    assert isinstance(view, TranscriptWidget)
    assert shown._view() is view
    assert "only be stopped" in shown._act(SimpleNamespace(type="send"))
    assert shown._act(SimpleNamespace(type="stop")) == ""
    await shown
    assert shown._act(SimpleNamespace(type="stop")) == "Nothing is running."
    view.close()


def test_a_chat_and_a_player_are_shown_as_they_are():
    chat = ai.Chat("offline")

    assert ai.show(chat) is chat
    shown = ai.show([])
    assert ai.show(shown) is shown


@pytest.mark.parametrize("wrong", [3, None, object])
def test_where_no_events_can_be_is_said_at_once(wrong: Any):
    with pytest.raises(AIStreamError, match=r"There are no events in .* a list"):
        ai.show(wrong)
