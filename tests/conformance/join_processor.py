"""The joint between the stream processor and its cases.

``make_processor`` gives the adapter object of ``harness.py``. The option ``latest``
(which no case file has) asks for the newer reference's behaviour where it is ours to
choose: a message for each id, final states of calls, and their finished input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aistream_nb.core.conversion import convert_messages, ui_to_model
from aistream_nb.core.json_text import parse_json
from aistream_nb.core.messages import UIMessage
from aistream_nb.core.partial_json.parsers import parse_partial_json
from aistream_nb.core.processor.callbacks import StructuredChange
from aistream_nb.core.processor.processor import StreamProcessor, counted_ids
from aistream_nb.core.processor.reference_recording import ReferenceRecording
from aistream_nb.core.processor.strategies import (
    BatchStrategy,
    ChunkStrategy,
    CompositeStrategy,
    ImmediateStrategy,
    PunctuationStrategy,
    WordBoundaryStrategy,
    reset_strategy,
)
from aistream_nb.core.snapshots import model_to_ui, models_to_ui, normalize_message
from aistream_nb.core.values import ABSENT

_PREFIX = "made-up-"
_TIME = 1_700_000_000_000
"""A number, because the harness takes text for a time that the case itself gave."""


def is_generated_id(text: str) -> bool:
    """Whether the processor made the id up."""
    return re.fullmatch(rf"{_PREFIX}\d+", text) is not None


def make_processor(
    options: dict[str, Any], callbacks: dict[str, Callable[..., Any]]
) -> ProcessorAdapter:
    """The adapter for one case."""
    return ProcessorAdapter(options, callbacks)


class ProcessorAdapter:
    """Speaks to a processor in the words of the cases."""

    def __init__(
        self, options: Mapping[str, Any], callbacks: Mapping[str, Callable[..., Any]]
    ) -> None:
        self._latest = bool(options.get("latest"))
        self._options = options
        self._heard = callbacks
        self._make_id = counted_ids(_PREFIX)
        self._processor = self._new(options.get("initialMessages") or ())

    def _new(self, messages: Iterable[Mapping[str, Any]]) -> StreamProcessor:
        options = self._options
        return StreamProcessor(
            callbacks=_Callbacks(self._heard, latest=self._latest, wire=self._wire)(),
            strategy=_strategy(options.get("chunkStrategy")),
            initial_messages=messages,
            recording=bool(options.get("recording")),
            json_parser=_parser(options.get("jsonParser")),
            id_factory=self._make_id,
            now=lambda: _TIME,
            message_per_id=self._latest,
            final_states=self._latest,
        )

    def _wire(self, message: UIMessage) -> dict[str, Any]:
        return message.to_wire(with_input=self._latest)

    # what came of it

    def messages(self) -> list[dict[str, Any]]:
        return [self._wire(message) for message in self._processor.messages]

    def result(self) -> dict[str, Any]:
        return self._processor.result.to_wire()

    def state(self) -> dict[str, Any]:
        return self._processor.state.to_wire()

    def current_id(self) -> str | None:
        return self._processor.current_id

    def all_tools_complete(self) -> bool:
        return self._processor.are_all_tools_complete()

    def model_messages(self) -> list[dict[str, Any]]:
        return self._processor.to_model_messages(faithful=self._latest)

    # the operations

    def op(self, name: str, **fields: Any) -> Any:
        return getattr(self, f"_op_{_snake(name)}")(fields)

    def _op_chunk(self, fields: dict[str, Any]) -> None:
        self._processor.receive(fields["event"])

    def _op_prepare(self, _fields: dict[str, Any]) -> None:
        self._processor.prepare()

    def _op_start(self, _fields: dict[str, Any]) -> str | None:
        return self._processor.start()

    def _op_finalize(self, _fields: dict[str, Any]) -> None:
        self._processor.finalize()

    def _op_process(self, fields: dict[str, Any]) -> dict[str, Any]:
        return self._processor.process(fields["events"]).to_wire()

    def _op_add_user_message(self, fields: dict[str, Any]) -> dict[str, Any]:
        message = self._processor.add_user_message(
            fields["content"], message_id=fields.get("id")
        )
        return self._wire(message)

    def _op_add_tool_result(self, fields: dict[str, Any]) -> None:
        self._processor.add_tool_result(
            fields["toolCallId"], fields.get("output"), error=fields.get("error")
        )

    def _op_add_tool_approval_response(self, fields: dict[str, Any]) -> None:
        self._processor.add_tool_approval_response(
            fields["approvalId"], approved=fields["approved"]
        )

    def _op_set_messages(self, fields: dict[str, Any]) -> None:
        self._processor.set_messages(fields["messages"])

    def _op_prepend_messages(self, fields: dict[str, Any]) -> None:
        self._processor.prepend_messages(fields["messages"])

    def _op_remove_messages_after(self, fields: dict[str, Any]) -> None:
        self._processor.remove_messages_after(fields["index"])

    def _op_clear_messages(self, _fields: dict[str, Any]) -> None:
        self._processor.clear_messages()

    def _op_reset(self, _fields: dict[str, Any]) -> None:
        self._processor.reset()

    def _op_start_recording(self, _fields: dict[str, Any]) -> None:
        self._processor.start_recording()

    def _op_get_recording(self, _fields: dict[str, Any]) -> dict[str, Any] | None:
        recording = self._processor.recording
        return None if recording is None else _without_times(recording.to_wire())

    def _op_replay(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields.get("recording") is not None:
            tape = ReferenceRecording.from_wire(fields["recording"])
        else:
            tape = self._processor.recording
            assert tape is not None
        fresh = ProcessorAdapter(self._options, {})
        fresh._make_id = self._make_id
        fresh._processor = fresh._new(())
        result = fresh._processor.process(list(tape.events)).to_wire()
        return {"result": result, "messages": fresh.messages() or None}

    def _op_snapshot(self, _fields: dict[str, Any]) -> dict[str, Any]:
        return {
            "messages": self.messages(),
            "state": self.state(),
            "currentAssistantMessageId": self.current_id(),
            "areAllToolsComplete": self.all_tools_complete(),
        }

    def _op_are_all_tools_complete(self, _fields: dict[str, Any]) -> bool:
        return self.all_tools_complete()

    def _op_to_model_messages(self, _fields: dict[str, Any]) -> list[dict[str, Any]]:
        return self.model_messages()

    def _op_get_result(self, _fields: dict[str, Any]) -> dict[str, Any]:
        return self.result()

    def _op_get_state(self, _fields: dict[str, Any]) -> dict[str, Any]:
        return self.state()

    # pure functions

    def _op_parse_partial_json(self, fields: dict[str, Any]) -> list[Any]:
        values = map(parse_partial_json, fields["inputs"])
        return [{"$undefined": True} if v is ABSENT else v for v in values]

    def _op_strategy(self, fields: dict[str, Any]) -> list[Any]:
        made = _strategy(fields["strategy"])
        answers: list[Any] = []
        for call in fields["calls"]:
            if call == "reset":
                reset_strategy(made)
                answers.append(None)
            else:
                answers.append(made.should_emit(*[*call, ""][:2]))
        return answers

    def _op_ui_to_model(self, fields: dict[str, Any]) -> list[dict[str, Any]]:
        found = UIMessage.from_wire(fields["message"])
        return ui_to_model(found, faithful=self._latest)

    def _op_convert(self, fields: dict[str, Any]) -> list[dict[str, Any]]:
        return convert_messages(fields["messages"], faithful=self._latest)

    def _op_model_to_ui(self, fields: dict[str, Any]) -> dict[str, Any]:
        return self._wire(
            model_to_ui(
                fields["message"], message_id=fields.get("id") or self._make_id()
            )
        )

    def _op_models_to_uis(self, fields: dict[str, Any]) -> list[dict[str, Any]]:
        found = models_to_ui(
            fields["messages"], id_factory=self._make_id, faithful=self._latest
        )
        return [self._wire(message) for message in found]

    def _op_normalize(self, fields: dict[str, Any]) -> dict[str, Any]:
        found = normalize_message(
            fields["message"], id_factory=counted_ids("gen-"), now=lambda: _TIME
        )
        return self._wire(found)


class _Callbacks:
    """Our callbacks, told to those of a case in the reference's shapes."""

    def __init__(
        self,
        heard: Mapping[str, Callable[..., Any]],
        *,
        latest: bool,
        wire: Callable[[UIMessage], dict[str, Any]],
    ) -> None:
        self._heard = heard
        self._latest = latest
        self._wire = wire

    def __call__(self) -> dict[str, Callable[..., Any]]:
        if not self._heard:
            return {}
        heard = self._heard
        callbacks = {
            "on_messages_change": lambda messages: heard["onMessagesChange"](
                [self._wire(message) for message in messages]
            ),
            "on_stream_start": heard["onStreamStart"],
            "on_stream_end": lambda m: heard["onStreamEnd"](self._wire(m)),
            "on_error": self._error,
            "on_tool_call": self._tool_call,
            "on_approval_request": self._approval,
            "on_text_update": heard["onTextUpdate"],
            "on_tool_call_state_change": heard["onToolCallStateChange"],
            "on_thinking_update": self._thinking,
        }
        if self._latest:
            callbacks["on_custom_event"] = self._custom
            callbacks["on_structured_output_change"] = self._structured
        return callbacks

    def _error(self, failure: Any) -> None:
        told: dict[str, Any] = {"message": failure.message}
        if self._latest:
            told |= {"code": failure.code, "rawEvent": failure.raw_event}
        self._heard["onError"](told)

    def _tool_call(self, call: Any) -> None:
        self._heard["onToolCall"](
            {
                "toolCallId": call.tool_call_id,
                "toolName": call.tool_name,
                "input": call.input,
            }
        )

    def _approval(self, request: Any) -> None:
        self._heard["onApprovalRequest"](
            {
                "toolCallId": request.tool_call_id,
                "toolName": request.tool_name,
                "input": request.input,
                "approvalId": request.approval_id,
            }
        )

    def _thinking(self, message_id: str, text: str, step_id: str | None) -> None:
        steps = (step_id,) if self._latest else ()
        self._heard["onThinkingUpdate"](message_id, *steps, text)

    def _custom(self, name: str, value: Any, call_id: str | None) -> None:
        context = {} if call_id is None else {"toolCallId": call_id}
        self._heard["onCustomEvent"](name, value, context)

    def _structured(self, change: StructuredChange) -> None:
        part = change.part.to_wire()
        del part["type"]
        told = {"phase": change.phase, "messageId": change.message_id, **part}
        self._heard["onStructuredOutputChange"](told | {"delta": change.delta})


class _Never:
    def should_emit(self, delta: str, segment: str) -> bool:  # noqa: ARG002 - the protocol's names
        return False


def _strategy(described: Mapping[str, Any] | None) -> ChunkStrategy:
    described = described or {"type": "immediate"}
    match described["type"]:
        case "punctuation":
            return PunctuationStrategy()
        case "batch":
            return BatchStrategy(described.get("size", 5))
        case "wordBoundary":
            return WordBoundaryStrategy()
        case "composite":
            return CompositeStrategy([_strategy(s) for s in described["strategies"]])
        case "never":
            return _Never()
        case _:
            return ImmediateStrategy()


class _Parser:
    def __init__(self, described: Mapping[str, Any]) -> None:
        self._described = described

    def parse(self, text: str) -> object:
        match self._described["type"]:
            case "echo":
                return {"echo": text}
            case "const":
                return self._described.get("value")
            case _:
                return _strict(text)


def _strict(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return ABSENT


def _parser(described: Mapping[str, Any] | None) -> _Parser | None:
    return None if described is None else _Parser(described)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _without_times(recording: dict[str, Any]) -> dict[str, Any]:
    """The recording as the cases show it: whether there is a time, not which."""
    chunks = [
        {
            "index": chunk["index"],
            "hasTimestamp": chunk["timestamp"] is not None,
            "chunk": chunk["chunk"],
        }
        for chunk in recording["chunks"]
    ]
    shown = {name: recording[name] for name in recording if name != "timestamp"}
    return {
        **shown,
        "hasTimestamp": recording["timestamp"] is not None,
        "chunks": chunks,
    }
