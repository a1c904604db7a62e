"""W4: a vendor's bytes to typed turn events.

*bulk*: pieces of up to 8 kB, as a fast network brings them. *token*: one frame a
piece, as a model writes them. ``split, json.loads`` parses each frame of the whole
body, which nobody can do without who does not look at the bytes; below it is what
knowing the vendor is worth.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Final

import vendor_streams
from common import (
    Case,
    Pass,
    Plan,
    Rival,
    check,
    growth,
    python_rival,
    race,
    timed,
)

from aistream_nb.core.turn_events import TextDelta, ToolCallArgsDelta
from aistream_nb.core.wire.sse import FrameSplitter
from aistream_nb.providers.anthropic import AnthropicTranslator
from aistream_nb.providers.gemini import GeminiTranslator
from aistream_nb.providers.openai import ResponsesTranslator

TITLE = "W4  a vendor's bytes to turn events"
SIZE: Final = 500_000
SIZES: Final = (SIZE, 2 * SIZE, 10 * SIZE)
TRANSLATORS: Final[dict[str, Callable[[], Any]]] = {
    "anthropic": AnthropicTranslator,
    "openai": ResponsesTranslator,
    "gemini": GeminiTranslator,
}
SEPARATORS: Final = {"anthropic": b"\n\n", "openai": b"\n\n", "gemini": b"\r\n\r\n"}
BESIDE_JSON: Final = {"anthropic": 0.6, "openai": 0.6, "gemini": 0.95}
BESIDE_HTTPX_SSE: Final = {"anthropic": 1 / 2.6, "openai": 1 / 3, "gemini": 1 / 1.7}
BESIDE_SDK: Final = 1 / 15
PACKAGES: Final = {
    "anthropic": "anthropic",
    "openai": "openai",
    "gemini": "google-genai",
}


def pieces_of(body: bytes) -> list[bytes]:
    """The body in pieces of 1 to 8192 bytes."""
    chance = random.Random(1)  # noqa: S311 - a workload, not a secret
    out: list[bytes] = []
    at = 0
    while at < len(body):
        size = chance.randint(1, 8192)
        out.append(body[at : at + size])
        at += size
    return out


def frames_of(body: bytes, separator: bytes) -> list[bytes]:
    """The body in pieces of one frame."""
    return [frame + separator for frame in body.split(separator) if frame]


def run(vendor: str, pieces: list[bytes]) -> int:
    """All events made; how many there were."""
    splitter, translator = FrameSplitter(), TRANSLATORS[vendor]()
    count = 0
    for piece in pieces:
        count += len(translator.receive(splitter.receive(piece)))
    return count + len(translator.receive(splitter.close()))


def ours(vendor: str, pieces: list[bytes]) -> tuple[int, int]:
    """The letters of text and of arguments in all events."""
    splitter, translator = FrameSplitter(), TRANSLATORS[vendor]()
    text = arguments = 0
    for piece in pieces:
        for event in translator.receive(splitter.receive(piece)):
            if type(event) is TextDelta:
                text += len(event.delta)
            elif type(event) is ToolCallArgsDelta:
                arguments += len(event.delta)
    translator.receive(splitter.close())
    if translator.close().error:
        raise SystemExit("the stream did not end well")
    return text, arguments


def floor(body: bytes, separator: bytes) -> list[Any]:
    """Every frame's JSON, by splitting the whole body."""
    return [
        json.loads(frame[frame.index(b"data: ") + 6 :])
        for frame in body.split(separator)
        if frame
    ]


def letters_in(vendor: str, payloads: list[Any]) -> tuple[int, int]:
    """The letters of text and of arguments, counted on the parsed frames."""
    deltas = list(_deltas(vendor, payloads))
    text = sum(len(delta) for kind, delta in deltas if kind == "text")
    return text, sum(len(delta) for kind, delta in deltas if kind == "arguments")


def _deltas(vendor: str, payloads: list[Any]) -> Iterator[tuple[str, str]]:
    for payload in payloads:
        if vendor == "gemini":
            for part in payload["candidates"][0]["content"]["parts"]:
                yield "text", part.get("text", "")
        elif vendor == "openai" and payload["type"].endswith(".delta"):
            is_text = "output_text" in payload["type"]
            yield ("text" if is_text else "arguments"), payload["delta"]
        elif payload["type"] == "content_block_delta":
            delta = payload["delta"]
            yield "text", delta.get("text", "")
            yield "arguments", delta.get("partial_json", "")


def sdk(vendor: str, pieces: list[bytes]) -> Pass:
    """Reads the body with the vendor's own SDK.

    Raises:
        ImportError: It is not installed.
    """
    return timed(_SDKS[vendor](pieces))


def with_httpx_sse(pieces: list[bytes]) -> Pass:
    """Reads the frames with ``httpx-sse`` and their JSON with ``json.loads``."""
    httpx, httpx_sse = map(importlib.import_module, ("httpx", "httpx_sse"))
    headers = {"content-type": "text/event-stream"}

    def work() -> None:
        answer = httpx.Response(200, headers=headers, content=iter(pieces))
        for event in httpx_sse.EventSource(answer).iter_sse():
            json.loads(event.data)

    return timed(work)


def _transport_of(client_class: type, pieces: list[bytes]) -> Any:
    """A transport of whichever HTTP library the SDK was built on."""
    http = importlib.import_module(client_class.__mro__[1].__module__.split(".")[0])
    headers = {"content-type": "text/event-stream"}

    def answer(_request: Any) -> Any:
        return http.Response(200, headers=headers, content=iter(pieces))

    return client_class(transport=http.MockTransport(answer))


def _anthropic_sdk(pieces: list[bytes]) -> Callable[[], object]:
    module: Any = importlib.import_module("anthropic")
    http = _transport_of(module.DefaultHttpxClient, pieces)
    client = module.Anthropic(api_key="x", http_client=http)
    options: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": []}
    return lambda: sum(1 for _ in client.messages.create(**options, stream=True))


def _openai_sdk(pieces: list[bytes]) -> Callable[[], object]:
    module: Any = importlib.import_module("openai")
    http = _transport_of(module.DefaultHttpxClient, pieces)
    client = module.OpenAI(api_key="x", http_client=http)
    options = {"model": "m", "input": "x", "stream": True}
    return lambda: sum(1 for _ in client.responses.create(**options))


def _gemini_sdk(pieces: list[bytes]) -> Callable[[], object]:
    module: Any = importlib.import_module("google.genai")
    httpx: Any = importlib.import_module("httpx")

    class Client(httpx.Client):  # so that the transport is made as for the others
        pass

    options = module.types.HttpOptions(httpx_client=_transport_of(Client, pieces))
    client = module.Client(api_key="x", http_options=options)
    call = client.models.generate_content_stream
    return lambda: sum(1 for _ in call(model="m", contents="x"))


_SDKS: Final = {
    "anthropic": _anthropic_sdk,
    "openai": _openai_sdk,
    "gemini": _gemini_sdk,
}


def measure(plan: Plan) -> Iterator[Case]:
    """Each vendor, in large pieces and frame by frame."""
    for vendor in TRANSLATORS:
        body, separator = vendor_streams.STREAMS[vendor](SIZE), SEPARATORS[vendor]
        bulk, token = pieces_of(body), frames_of(body, separator)
        check(ours(vendor, bulk), letters_in(vendor, floor(body, separator)))
        check(ours(vendor, token), ours(vendor, bulk))
        yield race(
            plan,
            f"{vendor}, bulk",
            timed(lambda v=vendor, b=bulk: run(v, b)),
            rivals=_rivals(vendor, body, bulk),
            growth=growth(plan, lambda size, v=vendor: _bulk(v, size), SIZES),
        )
        by_token = timed(lambda v=vendor, t=token: run(v, t))
        yield race(plan, f"{vendor}, token", by_token)


def _bulk(vendor: str, size: int) -> Pass:
    pieces = pieces_of(vendor_streams.STREAMS[vendor](size))
    return timed(lambda: run(vendor, pieces))


def _rivals(vendor: str, body: bytes, pieces: list[bytes]) -> Iterator[Rival]:
    yield Rival(
        name="split, json.loads",
        run=timed(lambda: floor(body, SEPARATORS[vendor])),
        at_most=BESIDE_JSON[vendor],
    )
    yield python_rival(
        "httpx-sse, json.loads",
        lambda: with_httpx_sse(pieces),
        package="httpx-sse",
        at_most=BESIDE_HTTPX_SSE[vendor],
    )
    yield python_rival(
        f"{PACKAGES[vendor]} SDK",
        lambda: sdk(vendor, pieces),
        package=PACKAGES[vendor],
        at_most=BESIDE_SDK,
    )
