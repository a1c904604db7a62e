"""W4: a provider's bytes to typed turn events.

*bulk*: pieces of up to 8 kB, as a fast network brings them. *token*: one frame a
piece, as a model writes them. The floor splits the body and parses each frame with
``json.loads``, which nobody can do without who does not look at the bytes; below it
is what knowing the vendor is worth.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import common
import w4_streams

from aistream_nb.core.sse import FrameSplitter
from aistream_nb.core.turn_events import TextDelta, ToolCallArgsDelta
from aistream_nb.providers.anthropic import AnthropicTranslator
from aistream_nb.providers.gemini import GeminiTranslator
from aistream_nb.providers.openai import ResponsesTranslator

SIZE: Final = 500_000
TRANSLATORS: Final[dict[str, Callable[[], Any]]] = {
    "anthropic": AnthropicTranslator,
    "openai": ResponsesTranslator,
    "gemini": GeminiTranslator,
}
SEPARATORS: Final = {"anthropic": b"\n\n", "openai": b"\n\n", "gemini": b"\r\n\r\n"}
TARGETS: Final = {"anthropic": 0.6, "openai": 0.6, "gemini": 0.95}
SDK_SHARE: Final = 1 / 15
"""Of what the vendor's SDK needs, the part that we may need."""


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


def sdk(vendor: str, pieces: list[bytes]) -> Callable[[], object] | None:
    """Reads the body with the vendor's own SDK; ``None`` where that is not there."""
    try:
        return _SDKS[vendor](pieces)
    except ImportError:
        return None


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


def measure(vendor: str) -> None:
    body = w4_streams.STREAMS[vendor](SIZE)
    large = w4_streams.STREAMS[vendor](10 * SIZE)
    separator = SEPARATORS[vendor]
    bulk, token = pieces_of(body), frames_of(body, separator)
    large_bulk = pieces_of(large)
    common.check(ours(vendor, bulk), letters_in(vendor, floor(body, separator)))
    common.check(ours(vendor, token), ours(vendor, bulk))
    report = common.Report(
        f"W4 {vendor}: {len(body) / 1e6:.1f} MB, {len(token)} frames"
    )
    spent = common.best(lambda: run(vendor, bulk))
    floor_spent = common.best(lambda: floor(body, separator))
    report.time("ours, bulk", spent)
    report.time("ours, token", common.best(lambda: run(vendor, token)))
    report.time("split + json.loads", floor_spent)
    with_sdk = sdk(vendor, bulk)
    sdk_spent = common.best(with_sdk, passes=2) if with_sdk else None
    report.time("the vendor's SDK", sdk_spent)
    report.ratio("to split + json.loads", spent, floor_spent, at_most=TARGETS[vendor])
    report.ratio("to the vendor's SDK", spent, sdk_spent, at_most=SDK_SHARE)
    large_spent = common.best(lambda: run(vendor, large_bulk), passes=3)
    report.ratio("ten times the bytes", large_spent, spent, at_most=12)
    report.show()


if __name__ == "__main__":
    for name in sys.argv[1:] or TRANSLATORS:
        measure(name)
