"""A turn of the embedded agent as the events of a Responses stream, OpenAI's and xAI's.

The large ``response`` object around the events is taken from the recorded stream.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from aistream_nb.core.json_text import encode_json
from aistream_nb.providers.offline_conversation import OfflineConversation
from aistream_nb.providers.offline_pieces import (
    LETTERS,
    Seed,
    count_read_tokens,
    count_tokens,
    cut_at_words,
    cut_evenly,
    recorded_frames,
    written_text,
)
from aistream_nb.providers.offline_story import PlannedCall, Script

__all__ = ["ResponsesEvents"]

_DAY: Final = 1764921600
"""When the recorded responses were created."""


class ResponsesEvents:
    """One response; OpenAI and xAI differ in ids and in a few members."""

    def __init__(
        self, conversation: OfflineConversation, script: Script, seed: Seed
    ) -> None:
        self._conversation = conversation
        self._script = script
        self._seed = seed
        self._openai: bool = conversation.vendor == "openai"
        self._number = -1
        self._done: list[dict[str, Any]] = []

    def events(self) -> Iterator[dict[str, Any]]:
        """The events, in order; to be read once."""
        for kind in ("response.created", "response.in_progress"):
            yield self._event(kind, response=self._response("in_progress"))
        yield from self._reasoning()
        yield from self._message()
        for at, call in enumerate(self._script.calls):
            yield from self._call(at, call)
        yield self._event("response.completed", response=self._response("completed"))

    def _event(self, kind: str, **members: Any) -> dict[str, Any]:
        self._number += 1
        return {"type": kind, **members, "sequence_number": self._number}

    def _id(self, prefix: str, purpose: str) -> str:
        if self._openai:
            return f"{prefix}_0{self._seed.hexadecimal(purpose, 49)}"
        return f"{prefix}_{self._seed.uuid(purpose)}"

    def _response(self, status: str) -> dict[str, Any]:
        frame = recorded_frames(self._conversation.vendor, "turn-1")[0]
        response: dict[str, Any] = json.loads(frame.partition(b"data: ")[2])["response"]
        name = self._id("resp", "response")
        response.update(
            id=name if self._openai else name.removeprefix("resp_"),
            created_at=_DAY,
            status=status,
            model=self._conversation.model or response["model"],
            tools=[
                {"type": "function", "name": name, "parameters": schema, "strict": True}
                for name, schema in self._conversation.tools.items()
            ],
        )
        if status == "completed":
            response.update(
                completed_at=_DAY + 4, output=list(self._done), usage=self._usage()
            )
        return response

    def _usage(self) -> dict[str, Any]:
        read = count_read_tokens(self._conversation)
        thought = count_tokens(self._script.thinking)
        written = thought + count_tokens(written_text(self._script))
        usage: dict[str, Any] = {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": thought},
            "total_tokens": read + written,
        }
        if self._openai:
            usage["input_tokens_details"]["cache_write_tokens"] = 0
        return usage

    def _item(self, item: dict[str, Any], done: dict[str, Any]) -> dict[str, Any]:
        """The added form's place among the items, and its done form for the end."""
        place = {"output_index": len(self._done)}
        self._done.append({**item, **done})
        return place

    def _deltas(
        self, kind: str, pieces: Iterator[str], **members: Any
    ) -> Iterator[dict[str, Any]]:
        for piece in pieces:
            padded = (
                {"obfuscation": self._seed.letters(f"{self._number}", 8)}
                if self._openai
                else {}
            )
            yield self._event(kind, **members, delta=piece, **padded)

    def _reasoning(self) -> Iterator[dict[str, Any]]:
        text = self._script.thinking
        sealed = f"gAAAAABp{self._seed.letters('reasoning', 200)}"
        item: dict[str, Any] = {
            "id": self._id("rs", "reasoning"),
            "type": "reasoning",
            "encrypted_content": sealed[:64],
            "summary": [],
        }
        summary = {"type": "summary_text", "text": text}
        done = {"encrypted_content": sealed, "summary": [summary]}
        place = self._item(item, done)
        at = {"item_id": item["id"], **place, "summary_index": 0}
        kind = "response.reasoning_summary"
        yield self._event("response.output_item.added", **place, item=item)
        yield self._event(f"{kind}_part.added", **at, part={**summary, "text": ""})
        yield from self._deltas(f"{kind}_text.delta", cut_at_words(text), **at)
        yield self._event(f"{kind}_text.done", **at, text=text)
        yield self._event(f"{kind}_part.done", **at, part=summary)
        yield self._event("response.output_item.done", **place, item=self._done[-1])

    def _message(self) -> Iterator[dict[str, Any]]:
        text = self._script.text
        phase = "commentary" if self._script.calls else "final_answer"
        item: dict[str, Any] = {
            "id": self._id("msg", "message"),
            "type": "message",
            "status": "in_progress",
            "content": [],
            **({"phase": phase} if self._openai else {}),
            "role": "assistant",
        }
        part: dict[str, Any] = {
            "type": "output_text",
            "annotations": [],
            "logprobs": [],
            "text": text,
        }
        place = self._item(item, {"status": "completed", "content": [part]})
        at = {"item_id": item["id"], **place, "content_index": 0}
        yield self._event("response.output_item.added", **place, item=item)
        yield self._event(
            "response.content_part.added", **at, part={**part, "text": ""}
        )
        yield from self._deltas(
            "response.output_text.delta", cut_at_words(text), **at, logprobs=[]
        )
        yield self._event("response.output_text.done", **at, text=text, logprobs=[])
        yield self._event("response.content_part.done", **at, part=part)
        yield self._event("response.output_item.done", **place, item=self._done[-1])

    def _call(self, number: int, call: PlannedCall) -> Iterator[dict[str, Any]]:
        text = encode_json(call.arguments)
        name = self._seed.letters(f"call {number}", 24)
        item: dict[str, Any] = {
            "id": self._id("fc", f"item {number}"),
            "type": "function_call",
            "status": "in_progress",
            "arguments": "",
            "call_id": f"call_{name if self._openai else name[:8]}",
            "name": call.name,
        }
        place = self._item(item, {"status": "completed", "arguments": text})
        at = {"item_id": item["id"], **place}
        kind = "response.function_call_arguments"
        # xAI sends the arguments in one piece.
        pieces = cut_evenly(text, LETTERS if self._openai else max(1, len(text)))
        yield self._event("response.output_item.added", **place, item=item)
        yield from self._deltas(f"{kind}.delta", pieces, **at)
        yield self._event(f"{kind}.done", **at, arguments=text)
        yield self._event("response.output_item.done", **place, item=self._done[-1])
