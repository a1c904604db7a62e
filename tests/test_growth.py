"""What the streams cost as they grow: counted, never timed.

A count is exact on every machine. Calls, of our functions and of those of C, are
counted by the interpreter, and bytes by hand; twice as much of a stream may cost
twice as much and a little. What a single call of C costs is not seen here: where that
could grow (a text that is copied, a list that is compared) the bench measures it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from browser_copy import encoder_of

from aistream_nb.conversation import Conversation
from aistream_nb.core.ordering.verifier import OrderingVerifier
from aistream_nb.core.partial_json.parsers import ArgumentsParser, PartialJSONParser
from aistream_nb.core.processor.processor import StreamProcessor
from aistream_nb.core.wire.sse import SSEDecoder
from aistream_nb.core.wire.sse_encode import SSEEncoder
from aistream_nb.player import Player
from aistream_nb.recording import Recording
from aistream_nb.tracker import ToolInvocationTracker

Work: TypeAlias = Callable[[int], object]

FACTOR = 4
SMALL = 150
MOST = 1.15
"""Of what is linear: how much dearer a piece may be where there are more of them."""


def calls_of(work: Work, size: int) -> int:
    """How many function calls the work makes."""
    count = 0

    def count_call(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    gc.disable()  # what a collection calls, and when it comes, is not of the work
    sys.setprofile(count_call)
    try:
        work(size)
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


def events(*, messages: int, per: int) -> Iterator[dict[str, Any]]:
    run = {"threadId": "t", "runId": "r"}
    yield {"type": "RUN_STARTED", **run}
    for number in range(messages):
        of = {"messageId": f"m{number}"}
        yield {"type": "TEXT_MESSAGE_START", "role": "assistant", **of}
        for _ in range(per):
            yield {"type": "TEXT_MESSAGE_CONTENT", "delta": " ahoy", **of}
        yield {"type": "TEXT_MESSAGE_END", **of}
    yield {"type": "RUN_FINISHED", **run}


def call_events(deltas: int) -> Iterator[dict[str, Any]]:
    of = {"toolCallId": "c"}
    yield {"type": "TOOL_CALL_START", "toolCallName": "write", **of}
    for delta in pieces(deltas):
        yield {"type": "TOOL_CALL_ARGS", "delta": delta, **of}
    yield {"type": "TOOL_CALL_END", **of}


def pieces(count: int) -> list[str]:
    """JSON in deltas of ten characters: a list of objects, and one long string."""
    row = '{"id": 1, "name": "a b", "ok": true}, '
    text = '{"rows": [' + row * (count * 5 // len(row)) + '1], "text": "'
    text += "ahoy " * (count * 10 - len(text))
    return [text[start : start + 10] for start in range(0, count * 10, 10)]


# ---------------------------------------------------------------- the streams


def text_read_after_every_delta(size: int) -> None:
    processor = StreamProcessor()
    for event in events(messages=1, per=size):
        processor.receive(event)
        processor.text_of("msg-1")


def text_with_a_notice_after_every_delta(size: int) -> None:
    notices: list[object] = []
    processor = StreamProcessor(callbacks={"on_change": notices.append})
    for event in events(messages=1, per=size):
        processor.receive(event)
    assert len(notices) >= size


def arguments_read_after_every_delta(size: int) -> None:
    processor = StreamProcessor()
    for event in call_events(size):
        processor.receive(event)
        processor.parsed_arguments("c")


def messages_of_a_long_history(size: int) -> None:
    processor = StreamProcessor(message_per_id=True)
    for event in events(messages=size, per=5):
        processor.receive(event)
        for message_id in processor.take_changes():
            processor.message(message_id)


def a_preview_of_arguments(size: int) -> None:
    parser = PartialJSONParser()
    for piece in pieces(size):
        parser.receive(piece)
        parser.value  # noqa: B018 # reading is what costs


def arguments_that_a_tool_reads(size: int) -> None:
    parser = ArgumentsParser()
    for piece in pieces(size):
        parser.receive(piece)
        parser.value  # noqa: B018 # reading is what costs


def server_sent_events_byte_by_byte(size: int) -> None:
    decoder = SSEDecoder()
    body = b"data: ahoy\r\n\r\n" * (size // 10)
    for byte in body:
        decoder.receive(bytes([byte]))


def one_endless_server_sent_event(size: int) -> None:
    decoder = SSEDecoder()
    for _ in range(size):
        decoder.receive(b"data: ahoy\n")
    assert len(decoder.close()) == 1


def events_encoded_for_a_browser(size: int) -> None:
    encoder = SSEEncoder()
    for event in events(messages=1, per=size):
        encoder.encode(event)


def a_conversation_of_one_message(size: int) -> None:
    conversation = Conversation()
    for event in events(messages=1, per=size):
        conversation.receive(event)


def a_conversation_of_many_deltas_of_arguments(size: int) -> None:
    conversation = Conversation()
    for event in call_events(size):
        conversation.receive(event)


def a_recording(size: int) -> None:
    recording = Recording(clock=lambda: 0.0)
    for event in events(messages=1, per=size):
        recording.append(event)


def a_stream_that_is_judged(size: int) -> None:
    verifier = OrderingVerifier()
    for event in events(messages=size // 10, per=10):
        assert not [bad for bad in verifier.receive(event) if bad.level == "fatal"]


def a_call_that_grows_in_snapshots(size: int) -> None:
    track(size, history=1)


def track(size: int, *, history: int) -> None:
    """Snapshots of a conversation in which one call grows."""
    old: list[dict[str, Any]] = [
        {"id": f"m{number}", "role": "user", "content": []} for number in range(history)
    ]

    async def follow() -> None:
        tracker = ToolInvocationTracker({"write": Tool()}, on_result=lambda _: None)
        text = ""
        for piece in pieces(size):
            text += piece
            call = {"type": "tool-call", "toolCallId": "c", "toolName": "write"}
            content = [{**call, "argsText": text}]
            last = {"id": "last", "role": "assistant", "content": content}
            tracker.set_state({"messages": [*old, last], "isRunning": True})
            await asyncio.sleep(0)
        await tracker.aclose()

    asyncio.run(follow())


class Tool:
    def stream_call(self, _reader: object, _context: object) -> None:
        """Told of the call; it does nothing."""


STREAMS: list[Work] = [
    text_read_after_every_delta,
    text_with_a_notice_after_every_delta,
    arguments_read_after_every_delta,
    messages_of_a_long_history,
    a_preview_of_arguments,
    arguments_that_a_tool_reads,
    server_sent_events_byte_by_byte,
    one_endless_server_sent_event,
    events_encoded_for_a_browser,
    a_conversation_of_one_message,
    a_conversation_of_many_deltas_of_arguments,
    a_recording,
    a_stream_that_is_judged,
    a_call_that_grows_in_snapshots,
]


@pytest.mark.parametrize("work", STREAMS, ids=lambda work: work.__name__)
def test_a_longer_stream_costs_no_more_for_each_piece(work: Work):
    work(SMALL)  # what is imported or compiled on first use is no growth
    small, large = calls_of(work, SMALL), calls_of(work, SMALL * FACTOR)
    assert large <= MOST * FACTOR * small


def test_what_grows_with_the_square_is_found_out():
    def pairs(size: int) -> None:
        for count in range(size):
            for each in range(count):
                abs(each)

    small, large = calls_of(pairs, SMALL), calls_of(pairs, SMALL * FACTOR)
    assert large > MOST * FACTOR * small


# ---------------------------------------------------------------- beside a history


def judged_behind(history: int) -> int:
    verifier = OrderingVerifier()
    stream = [*events(messages=history, per=1), *events(messages=1, per=50)]
    for event in stream[:-52]:
        verifier.receive(event)
    return calls_of(lambda _: [verifier.receive(event) for event in stream[-52:]], 0)


def processed_behind(history: int) -> int:
    processor = StreamProcessor(message_per_id=True)
    for event in events(messages=history, per=1):
        processor.receive(event)
    processor.take_changes()

    def more(size: int) -> None:
        for _ in range(size):
            of = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "new", "delta": "ahoy"}
            processor.receive(of)
            for message_id in processor.take_changes():
                processor.message(message_id)

    return calls_of(more, 50)


def told_behind(history: int) -> int:
    conversation = Conversation()
    conversation.receive_all(events(messages=history, per=1))
    of = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "new", "delta": "ahoy"}
    conversation.receive(of)
    return calls_of(lambda size: [conversation.receive(of) for _ in range(size)], 50)


def shown_behind(history: int) -> int:
    conversation = Conversation()
    encoder = encoder_of(conversation)
    noted: list[bool] = []
    conversation.subscribe(lambda change: noted.append(encoder.note(change)))
    conversation.receive_all(events(messages=history, per=1))
    of = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "new", "delta": "ahoy"}
    conversation.receive(of)
    encoder.take()

    def more(size: int) -> None:
        for _ in range(size):
            conversation.receive(of)
            assert encoder.take()[0].type == "append-text"

    return calls_of(more, 50)


BEHIND = [judged_behind, processed_behind, told_behind, shown_behind]


def tracked_behind(history: int) -> int:
    return calls_of(lambda size: track(size, history=history), 100)


@pytest.mark.parametrize("cost", BEHIND, ids=lambda cost: cost.__name__)
def test_an_event_costs_the_same_behind_a_long_history(cost: Callable[[int], int]):
    assert cost(10) == cost(400)


def test_a_snapshot_costs_its_growth_and_not_its_history():
    few, many = tracked_behind(10), tracked_behind(400)
    # The history is looked at once, message by message; then it is passed as a whole.
    assert many - few < 400 * 20


# ---------------------------------------------------------------- seeking


def sought(stream: list[dict[str, Any]]) -> list[int]:
    """What seeks cost: back from the end, near the start, in the middle, one back."""
    player = Player(Recording.of(stream))
    player.seek(len(stream))
    half = len(stream) // 2
    places = (half + 50, 150, half + 50, half + 49)
    return [calls_of(player.seek, place) for place in places]


def long_message(size: int) -> list[dict[str, Any]]:
    return list(events(messages=1, per=size - 4))


def many_messages(size: int) -> list[dict[str, Any]]:
    return list(events(messages=size // 40, per=38))[:size]


@pytest.mark.parametrize("stream", [long_message, many_messages])
def test_a_seek_back_costs_the_same_however_long_the_stream_is(
    stream: Callable[[int], list[dict[str, Any]]],
):
    sought(stream(600))
    short, long = sought(stream(2_000)), sought(stream(16_000))
    # Forwards (the third) each message that lies between is put there again.
    for place in (0, 1, 3):
        assert long[place] <= MOST * short[place]
    assert long[2] <= MOST * FACTOR * 2 * short[2]


def test_a_stream_that_is_kept_again_and_again_costs_its_length():
    def kept(size: int) -> None:
        conversation = Conversation()
        for number, event in enumerate(events(messages=1, per=size)):
            conversation.receive(event)
            if number % 10 == 0:
                conversation.keep()

    kept(SMALL)
    small, large = calls_of(kept, SMALL), calls_of(kept, SMALL * FACTOR)
    assert large <= MOST * FACTOR * small


# ---------------------------------------------------------------- bytes to a browser


def bytes_for(size: int) -> int:
    """What a view gets that is brought up to date every 50 deltas."""
    conversation = Conversation()
    encoder = encoder_of(conversation)
    noted: list[bool] = []
    conversation.subscribe(lambda change: noted.append(encoder.note(change)))
    sent = 0
    for count, event in enumerate(events(messages=1, per=size)):
        conversation.receive(event)
        if count % 50 == 0:
            sent += sum(
                len(json.dumps(frame.model_dump(mode="json")))
                for frame in encoder.take()
            )
    return sent


def test_a_browser_gets_a_few_times_the_bytes_of_the_text():
    letters = 2_000 * len(" ahoy")
    assert letters <= bytes_for(2_000) <= 8 * letters
    assert bytes_for(8_000) <= MOST * FACTOR * bytes_for(2_000)
