"""The embedded agent: a vendor's server in this process, without network or key.

It answers requests as the vendor's API does, with the vendor's own bytes, at a pace
that looks like a model's, so that everything above it is the real road: HTTP client,
event stream, translator, turn, gate, tools. What it says is told in
:mod:`aistream_nb.providers.offline_story`, how that looks on the wire in
:mod:`aistream_nb.providers.offline_wire`.

Faults can be planned, because a lesson or a test wants to see a busy server or a stream
that breaks off.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from aistream_nb.core.json_text import encode_json, parse_json
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.http import HttpAnswer, HttpRequest, scripted_transport
from aistream_nb.providers.offline_conversation import Vendor, read_request
from aistream_nb.providers.offline_pieces import recorded_frames
from aistream_nb.providers.offline_story import Script, choose_script, story
from aistream_nb.providers.offline_wire import build_frames

if TYPE_CHECKING:
    import httpx

__all__ = [
    "OFFLINE_BOOKING_PROMPT",
    "OFFLINE_KEY",
    "OFFLINE_MODEL",
    "OFFLINE_PROMPT",
    "OFFLINE_SYSTEM",
    "Fault",
    "OfflineServer",
    "answer_frames",
    "offline_transport",
]

OFFLINE_SYSTEM: Final[str] = story()["system"]
"""The system prompt of the recorded conversation."""

OFFLINE_PROMPT: Final[str] = story()["prompt"]
"""The question of the recorded conversation: two look-ups and an answer."""

OFFLINE_BOOKING_PROMPT: Final[str] = story()["booking_prompt"]
"""A question that ends in a booking, which a gate asks about."""

OFFLINE_KEY: Final = "no-key-is-needed"
"""Stands where a key is due; the embedded agent looks at none. Recordings leave keys
out, so this is not a word that an agent would say."""

OFFLINE_MODEL: Final = "embedded-agent"
"""Stands where a model is due and the provider has no usual one."""

_FIRST_WAIT: Final = 0.25
_WAIT_PER_LETTER: Final = 0.003
_LONGEST_WAIT: Final = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with one request."""

    kind: Literal["status", "cut"]
    status: int = 529
    """The answer's status, of a fault of kind ``status``."""
    after: int = 10
    """The frames that still come, of a fault of kind ``cut``."""
    retry_after: float | None = None


class OfflineServer:
    """Answers requests as a vendor's server does.

    Args:
        pace: 1 is believable, 0 never waits.
        sleep: How to wait.
        faults: What goes wrong with the first requests, one after another;
            ``None`` lets one pass.
    """

    def __init__(
        self,
        *,
        pace: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        faults: Iterable[Fault | None] = (),
    ) -> None:
        if not pace >= 0:
            raise ValueError("the pace of the embedded agent cannot be negative")
        self._pace: float = pace
        self._sleep: Callable[[float], Awaitable[None]] = sleep
        self._faults: list[Fault | None] = list(faults)

    async def __call__(self, request: HttpRequest) -> HttpAnswer:
        """The answer to one request; what cannot be understood gets an error."""
        fault = self._faults.pop(0) if self._faults else None
        if fault is not None and fault.kind == "status":
            return _failure(fault.status, "overloaded_error", fault.retry_after)
        try:
            frames = answer_frames(request.url, request.body)
        except ValueError as error:
            return _failure(400, str(error))
        if fault is not None:
            frames = frames[: fault.after]
        return HttpAnswer(chunks=self._paced(frames))

    async def _paced(self, frames: tuple[bytes, ...]) -> AsyncIterator[bytes]:
        wait = _FIRST_WAIT
        for frame in frames:
            if self._pace and wait:
                await self._sleep(self._pace * wait)
            yield frame
            wait = min(_LONGEST_WAIT, _WAIT_PER_LETTER * _visible_letters(frame))


def offline_transport(
    *,
    pace: float = 1.0,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    faults: Iterable[Fault | None] = (),
) -> httpx.AsyncBaseTransport:
    """A transport for the HTTP client behind which the embedded agent sits."""
    return scripted_transport(OfflineServer(pace=pace, sleep=sleep, faults=faults))


def answer_frames(url: str, body: bytes) -> tuple[bytes, ...]:
    """The whole answer to a request, frame by frame.

    Raises:
        ValueError: The address or the body is none that the vendors know.
    """
    request: object = parse_json(body)
    if not is_mapping(request):
        raise ValueError("the body of a request is an object")
    vendor, model = _vendor(url, request)
    conversation = read_request(vendor, {"model": model, **request})
    script: Script = choose_script(conversation)
    if script.recorded is not None and conversation.recorded:
        return recorded_frames(vendor, script.recorded)
    return build_frames(conversation, script)


def _vendor(url: str, request: Mapping[str, Any]) -> tuple[Vendor, str]:
    """Whose address it is, and the model where the address names it."""
    place = urlsplit(url)
    path = place.path.rstrip("/")
    if path.endswith("/messages"):
        return "anthropic", ""
    if path.endswith("/responses"):
        model = str(request.get("model", ""))
        is_xai = "x.ai" in place.netloc or model.startswith("grok")
        return ("xai" if is_xai else "openai"), ""
    if path.endswith("/chat/completions"):
        return "chat", ""
    last = path.rpartition("/")[2]
    model, colon, verb = last.partition(":")
    if colon and verb == "streamGenerateContent":
        return "gemini", model
    raise ValueError(f"the embedded agent has nothing at {path or '/'}")


def _failure(status: int, message: str, retry_after: float | None = None) -> HttpAnswer:
    headers = {"content-type": "application/json"}
    if retry_after is not None:
        headers["retry-after"] = f"{retry_after:g}"
    kind = "overloaded_error" if status == 529 else "invalid_request_error"  # noqa: PLR2004 Anthropic's own status
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return HttpAnswer(chunks=_once(body), status=status, headers=headers)


async def _once(body: Mapping[str, Any]) -> AsyncIterator[bytes]:
    yield encode_json(body).encode()


def _visible_letters(frame: bytes) -> int:
    """How much of a frame a person would see appear."""
    _, _, text = frame.partition(b"data: ")
    event: Mapping[str, Any] = {} if text.startswith(b"[DONE]") else json.loads(text)
    delta = event.get("delta", _first_choice(event).get("delta"))
    if isinstance(delta, str):
        return len(delta)
    if is_mapping(delta):
        return sum(len(str(delta.get(name, ""))) for name in _VISIBLE)
    candidates = event.get("candidates")
    return len(encode_json(candidates)) // 4 if is_array(candidates) else 0


def _first_choice(event: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = event.get("choices")
    return choices[0] if is_array(choices) and choices else {}


_VISIBLE: Final = ("text", "thinking", "partial_json", "content", "reasoning")
