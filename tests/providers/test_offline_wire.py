from __future__ import annotations

import json
from typing import Any

import pytest

from aistream_nb.core.wire.sse import SSEDecoder
from aistream_nb.providers.offline_conversation import (
    Call,
    OfflineConversation,
    Said,
    Vendor,
)
from aistream_nb.providers.offline_pieces import (
    Seed,
    count_tokens,
    cut_at_words,
    cut_evenly,
    recorded_frames,
)
from aistream_nb.providers.offline_story import (
    PlannedCall,
    Script,
    choose_script,
    story,
)
from aistream_nb.providers.offline_wire import build_frames

VENDORS: tuple[Vendor, ...] = ("anthropic", "openai", "xai", "gemini")
TOOLS: dict[str, Any] = {"get_forecast": {}, "list_departures": {}, "book_ferry": {}}


def conversation(vendor: Vendor, *items: Any, model: str = "m") -> OfflineConversation:
    return OfflineConversation(vendor, model, TOOLS, items or (Said("user", "hi"),))


def payloads(frames: tuple[bytes, ...]) -> list[Any]:
    decoder = SSEDecoder()
    return [
        json.loads(one.data)
        for one in [*decoder.receive(b"".join(frames)), *decoder.close()]
    ]


def shape(value: Any) -> Any:
    """The names in a payload, down to its leaves."""
    if isinstance(value, dict):
        return {
            name: shape(member) for name, member in value.items() if name != "tools"
        }
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__.replace("int", "float")


LOOK = Script(
    name="look",
    thinking=story()["look"]["thinking"],
    text=story()["look"]["text"],
    calls=(
        PlannedCall("get_forecast", {"place": "Hvar", "date": "2026-12-06"}),
        PlannedCall("list_departures", {"from": "Split", "pets": True}),
    ),
)


@pytest.mark.parametrize("vendor", ["openai", "xai"])
def test_built_events_of_a_response_have_the_recorded_shapes(vendor):
    built = {
        one["type"]: one for one in payloads(build_frames(conversation(vendor), LOOK))
    }
    kept = {one["type"]: one for one in payloads(recorded_frames(vendor, "turn-1"))}
    assert list(built) == list(kept)
    for kind, event in kept.items():
        if kind != "response.completed":
            assert shape(built[kind]) == shape(event), kind


def test_built_events_of_anthropic_have_the_recorded_shapes():
    built = payloads(build_frames(conversation("anthropic"), LOOK))
    kept = payloads(recorded_frames("anthropic", "turn-1"))
    kinds = [one["type"] for one in built]
    assert kinds[:4] == [one["type"] for one in kept[:4]]
    assert kinds[-2:] == ["message_delta", "message_stop"]
    starts = [one for one in built if one["type"] == "content_block_start"]
    assert [shape(one) for one in starts] == [
        shape(one) for one in kept if one["type"] == "content_block_start"
    ]
    assert built[-2]["delta"]["stop_reason"] == "tool_use"


def test_built_chunks_of_gemini_have_the_recorded_shapes():
    built = payloads(build_frames(conversation("gemini"), LOOK))
    kept = payloads(recorded_frames("gemini", "turn-1"))
    assert shape(built[0]) == shape(kept[0])
    assert shape(built[1]) == shape(kept[1])
    assert shape(built[-2]) == shape(kept[-2])
    assert shape(built[-1]) == shape(kept[-1])
    calls = built[-2]["candidates"][0]["content"]["parts"]
    assert ["thoughtSignature" in part for part in calls] == [True, False]


def test_a_gemini_answer_without_calls_is_signed_at_its_end():
    script = Script(name="x", thinking="hm", text="Good day.")
    last = payloads(build_frames(conversation("gemini", model=""), script))[-1]
    part = last["candidates"][0]["content"]["parts"][0]
    assert part["text"] == ""
    assert part["thoughtSignature"]
    assert last["modelVersion"].startswith("gemini")


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_same_conversation_gives_the_same_bytes(vendor):
    talk = conversation(vendor)
    script = choose_script(talk)
    assert build_frames(talk, script) == build_frames(talk, script)


@pytest.mark.parametrize("vendor", VENDORS)
def test_two_turns_of_a_conversation_share_no_call_id(vendor):
    def ids(*items: Any) -> set[str]:
        text = b"".join(build_frames(conversation(vendor, *items), LOOK)).decode()
        words = set(text.split('"')) - {"call_id"}
        return {word for word in words if word.startswith(("call_", "toolu_"))}

    first = ids(Said("user", "hi"))
    second = ids(Said("user", "hi"), Call("c", "f", {}))
    assert len(first) == len(second) == 2
    assert not first & second


@pytest.mark.parametrize("vendor", VENDORS)
def test_recorded_streams_are_cut_into_frames_without_loss(vendor):
    frames = recorded_frames(vendor, "turn-1")
    assert len(payloads(frames)) == len(frames)


def test_pieces_join_to_the_text():
    text = "  Good day,\n\nhow are you, Čiovo? 🛳️  x"
    assert "".join(cut_at_words(text)) == text
    assert "".join(cut_evenly(text)) == text
    assert list(cut_at_words("")) == list(cut_evenly("")) == []
    assert count_tokens("") == 1


def test_a_seed_has_as_many_letters_as_asked_for():
    seed = Seed(conversation("xai"))
    assert len(seed.hexadecimal("a", 100)) == 100
    assert len(seed.letters("a", 200)) == 200
    assert len(seed.uuid("a")) == 36
    assert seed.letters("a", 20) != seed.letters("b", 20)
