"""What goes back to a provider after tools ran: exact, in its own words, or an error.

Three rules. A tool's name never stands in for a call's id. Every result belongs to a
call of the assistant turn that is replayed, and every replayed call has a result. A
tail that a caller hands in is guarded entry by entry (provider turns, section 9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from aistream_nb.core.turn_events import ToolCallResult
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.errors import TurnError

__all__ = [
    "CUT_OFF",
    "anthropic_continuation",
    "call_text",
    "chat_continuation",
    "gemini_continuation",
    "guard_tail",
    "responses_continuation",
]

CUT_OFF: Final = "the call was cut off before its arguments were whole; it did not run"
"""What a model is told of a call that it announced and never finished."""


def call_text(name: str, call_id: str | None, text: str) -> str:
    """``text`` about one call, as models and people read it.

    >>> call_text("add", "call_1", "no")
    'add (callId=call_1): no'
    >>> call_text("add", None, "no")
    'add: no'
    """
    return f"{name} (callId={call_id}): {text}" if call_id else f"{name}: {text}"


def guard_tail(
    tail: Iterable[object], *, roles: Collection[str], body: str, text: bool
) -> list[dict[str, Any]]:
    """The entries of a tail that have a known role and a body, reduced to the two."""
    kept: list[dict[str, Any]] = []
    for entry in tail:
        if not is_mapping(entry) or entry.get("role") not in roles:
            continue
        content = entry.get(body)
        if is_array(content) or (text and isinstance(content, str)):
            kept.append({"role": entry["role"], body: content})
    return kept


def anthropic_continuation(
    blocks: Sequence[Mapping[str, Any]], results: Sequence[ToolCallResult]
) -> list[dict[str, Any]]:
    """One assistant message of ``blocks``, and one user message with all results.

    Raises:
        TurnError: A result has no id, or one that no block has.
    """
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    for call in calls:
        if not call.get("id"):
            raise TurnError(
                f"Anthropic continuation: buffered tool_use block for tool "
                f"'{call.get('name')}' has an empty id; cannot build a valid "
                "continuation",
                tool_name=call.get("name"),
            )
    answers = _correlated(results, {call["id"] for call in calls}, _ANTHROPIC_WORDS)
    answers += _cut_off(calls, results, "id")
    assistant = {"role": "assistant", "content": list(blocks)}
    if not answers:
        return [assistant]
    content = [_anthropic_result(answer) for answer in answers]
    return [assistant, {"role": "user", "content": content}]


def _anthropic_result(answer: ToolCallResult) -> dict[str, Any]:
    block = {
        "type": "tool_result",
        "tool_use_id": answer.call_id,
        "content": answer.result,
    }
    return {**block, "is_error": True} if answer.is_error else block


def responses_continuation(
    items: Sequence[Mapping[str, Any]], results: Sequence[ToolCallResult]
) -> list[dict[str, Any]]:
    """The response's items, then one output for each call.

    Raises:
        TurnError: A result has no id, or one that no call has.
    """
    calls = [item for item in items if item.get("type") == "function_call"]
    answers = _correlated(results, {call["call_id"] for call in calls}, _OPENAI_WORDS)
    answers += _cut_off(calls, results, "call_id")
    outputs = [
        {
            "type": "function_call_output",
            "call_id": answer.call_id,
            "output": answer.result,
        }
        for answer in answers
    ]
    return [*map(dict, items), *outputs]


def chat_continuation(
    text: str,
    calls: Sequence[Mapping[str, Any]],
    results: Sequence[ToolCallResult],
) -> list[dict[str, Any]]:
    """The assistant's message with its calls, then one ``tool`` message for each.

    ``calls`` are ``{"id", "name", "arguments"}``, arguments as text.

    Raises:
        TurnError: A result has no id, or one that no call has.
    """
    answers = _correlated(results, {call["id"] for call in calls}, _OPENAI_WORDS)
    answers += _cut_off(calls, results, "id")
    tool_calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": call["arguments"]},
        }
        for call in calls
    ]
    assistant = {"role": "assistant", "content": text, "tool_calls": tool_calls}
    return [
        assistant,
        *(
            {"role": "tool", "tool_call_id": answer.call_id, "content": answer.result}
            for answer in answers
        ),
    ]


def gemini_continuation(
    parts: Sequence[Mapping[str, Any]], results: Sequence[ToolCallResult]
) -> list[dict[str, Any]]:
    """One model turn of ``parts``, and one user turn with a response for each call.

    Raises:
        TurnError: The results are not exactly those of the calls, in their order.
    """
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    asked = [(call.get("name"), call.get("id") or None) for call in calls]
    given = [(answer.tool_name, answer.call_id) for answer in results]
    if asked != given:
        raise TurnError(
            f"Gemini continuation: {len(given)} results do not answer the "
            f"{len(asked)} calls of the turn one by one and in their order"
        )
    responses = [_gemini_response(answer) for answer in results]
    return [
        {"role": "model", "parts": list(parts)},
        {"role": "user", "parts": responses},
    ]


def _gemini_response(answer: ToolCallResult) -> dict[str, Any]:
    # Gemini reads "error" as a failure; every other object is an output as it stands.
    key = "error" if answer.is_error else "content"
    response = {"name": answer.tool_name, "response": {key: answer.result}}
    if answer.call_id:
        response = {"id": answer.call_id, **response}
    return {"functionResponse": response}


_ANTHROPIC_WORDS: Final = (
    "Anthropic",
    "does not match any buffered assistant tool_use block id",
    "an assistant tool_use block",
)
_OPENAI_WORDS: Final = (
    "OpenAI",
    "does not match any accumulated function_call call_id",
    "a function_call item",
)


def _correlated(
    results: Sequence[ToolCallResult],
    known: Collection[str],
    words: tuple[str, str, str],
) -> list[ToolCallResult]:
    who, unmatched, target = words
    for result in results:
        if not result.call_id:
            raise TurnError(
                f"{who} continuation: tool '{result.tool_name}' result has no call id "
                f"(missing or empty); cannot correlate it to {target}",
                tool_name=result.tool_name,
            )
        if result.call_id not in known:
            raise TurnError(
                f"{who} continuation: tool '{result.tool_name}' call id "
                f"'{result.call_id}' {unmatched}",
                tool_name=result.tool_name,
                tool_call_id=result.call_id,
            )
    return list(results)


def _cut_off(
    calls: Sequence[Mapping[str, Any]], results: Sequence[ToolCallResult], key: str
) -> list[ToolCallResult]:
    """Error results for calls that nobody answered, because they never got whole."""
    answered = {result.call_id for result in results}
    return [
        ToolCallResult(
            tool_name=call["name"],
            call_id=call[key],
            result=call_text(call["name"], call[key], CUT_OFF),
            is_error=True,
        )
        for call in calls
        if call[key] not in answered
    ]
