from __future__ import annotations

from typing import Any

import pytest
from agui_binary import BINARY, binary, framed
from agui_kit import AGUIServer, Said, answer, sse

from aistream_nb.agui import AGUIAgent
from aistream_nb.core.wire.frames import Frame
from aistream_nb.errors import AIStreamError, ProviderStatusError, ProviderStreamError
from aistream_nb.http import HttpClient

BODY = {"threadId": "t", "runId": "r"}


async def frames_of(server: AGUIServer, **options: Any) -> list[Any]:
    pieces: list[bytes] = []
    found: list[Any] = []
    async with await server.agent(**options).open(BODY, on_bytes=pieces.append) as said:
        while (frames := await said.read()) is not None:
            found.extend(frame.event for frame in frames)
    assert b"".join(pieces)
    return found


async def test_frames_come_as_events_and_the_bytes_are_told():
    server = AGUIServer(answer("Hello"))

    events = await frames_of(server)

    assert [event["type"] for event in events[:2]] == [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
    ]
    assert server.requests == [BODY]


async def test_a_last_frame_without_its_empty_line_is_read():
    server = AGUIServer(Said(body=sse({"type": "RAW", "event": 1}).rstrip()))

    assert await frames_of(server) == [{"type": "RAW", "event": 1}]


async def test_headers_are_sent_and_never_quoted():
    server = AGUIServer(Said(body=b"key abc-def-123 is bad; k=tenant-42", status=403))
    agent = AGUIAgent(
        "http://agent.test/run?k=tenant-42",
        headers={"Authorization": "Bearer abc-def-123"},
        client=server.client,
    )

    with pytest.raises(ProviderStatusError) as caught:
        await agent.open(BODY, on_bytes=lambda _content: None)

    assert server.headers[0]["authorization"] == "Bearer abc-def-123"
    assert caught.value.body == "key [redacted] is bad; [redacted]"
    assert set(agent.secrets) == {
        "Bearer abc-def-123",
        "abc-def-123",
        "k=tenant-42",
        "tenant-42",
    }
    assert "abc" not in repr(agent) + str(caught.value)
    assert repr(agent) == "AGUIAgent('http://agent.test/run')"
    assert "pass-word" not in repr(AGUIAgent("http://ann:pass-word@agent.test/run"))


async def test_the_binary_form_is_read_where_the_server_chose_it():
    started, *said = answer("Hello")
    events = [{**started, **BODY}, *said[:-1], {**said[-1], **BODY}]
    server = AGUIServer(Said(body=binary(*events), content_type=BINARY))

    assert await frames_of(server) == events
    assert server.headers[0]["accept"] == "text/event-stream"


async def test_what_is_wrong_with_a_binary_answer_is_told_and_the_rest_is_read():
    content = framed(b"\x00") + binary({"type": "RUN_ERROR", "message": "no"}) + b"\0\0"
    server = AGUIServer(Said(body=content, content_type=BINARY))
    found: list[Frame] = []

    async with await server.agent().open(BODY, on_bytes=lambda _content: None) as said:
        while (frames := await said.read()) is not None:
            found.extend(frames)

    assert said.faults == []
    assert [(f.index, slip.rule) for f in found for slip in f.faults] == [
        (0, "frame.bad_proto"),
        (2, "frame.truncated_proto"),
    ]
    assert found[1].event == {"type": "RUN_ERROR", "message": "no"}


@pytest.mark.parametrize("content_type", [f"{BINARY}; v=1", "text/event-stream"])
async def test_a_binary_answer_under_another_name_is_refused_with_the_way_out(
    content_type: str,
):
    server = AGUIServer(Said(body=framed(b"x"), content_type=content_type))

    with pytest.raises(ProviderStreamError, match=r"called it .* nothing behind it"):
        await frames_of(server)


async def test_text_that_is_called_nearly_binary_is_read_as_text():
    content = sse({"type": "RAW", "event": 1})
    server = AGUIServer(Said(body=content, content_type=f"{BINARY}; v=1"))

    assert await frames_of(server) == [{"type": "RAW", "event": 1}]


@pytest.mark.parametrize("url", ["agent", "ftp://x/y", "http://"])
def test_an_address_that_is_none_is_an_error(url: str):
    with pytest.raises(AIStreamError, match="address"):
        AGUIAgent(url)


def test_an_option_that_nobody_knows_is_an_error_that_lists_the_known():
    with pytest.raises(AIStreamError, match=r"'retry'.*retries"):
        AGUIAgent("http://x/y", retry=1)  # pyright: ignore[reportCallIssue] # that is the point


async def test_it_closes_its_own_connections_and_not_those_of_others():
    agent = AGUIAgent("http://x/y")
    client = HttpClient()

    await agent.aclose()

    assert AGUIAgent("http://x/y", client=client)._client is client


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:99999/a", "http://[::1/a", "http://a b/c", "http://h/a\nb"],
)
def test_an_address_that_nobody_can_connect_to_is_refused(address: str):
    with pytest.raises(AIStreamError, match="named by its address"):
        AGUIAgent(address)


@pytest.mark.parametrize(
    "wrong",
    [
        {"retries": "2"},
        {"retries": -1},
        {"retry_delay": -0.5},
        {"max_rounds": 0},
        {"max_answer_bytes": 0},
        {"max_result_chars": 0},
        {"resume_by": "command!"},
        {"normalise": "yes"},
        {"on_interrupt": "me"},
    ],
)
def test_an_option_that_cannot_be_is_refused(wrong: dict[str, Any]):
    with pytest.raises(AIStreamError, match=f"^{next(iter(wrong))}=.* is not "):
        AGUIAgent("http://127.0.0.1:8000/agent", **wrong)
