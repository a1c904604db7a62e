from __future__ import annotations

from hypothesis import given, strategies as st

from aistream_nb.core.messages import (
    StructuredOutputPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from aistream_nb.core.processor.drafts import (
    CallDraft,
    GrowingText,
    StructuredDraft,
    TextDraft,
    ThinkingDraft,
)

HALVES = st.text(alphabet="a\ud83d\ude80", max_size=3)


@given(st.lists(st.tuples(HALVES, st.booleans()), max_size=20))
def test_growing_text_is_the_pieces_whenever_it_is_read(
    pieces: list[tuple[str, bool]],
):
    text = GrowingText()
    for piece, reads in pieces:
        text.pending.append(piece)
        if reads:
            text.read()
    whole = "".join(piece for piece, _ in pieces)
    halves = whole.encode("utf-16-le", "surrogatepass")
    assert text.read() == halves.decode("utf-16-le", "surrogatepass")
    assert text.read() is text.read()
    assert text.is_empty is not bool(whole)


def test_text_that_was_handed_out_stays():
    text = GrowingText("a")
    text.pending.append("b")
    before = text.read()
    text.pending.append("c")
    assert (before, text.read()) == ("ab", "abc")


def test_empty_pieces_are_nothing():
    text = GrowingText()
    text.pending.append("")
    assert text.is_empty


def test_a_draft_is_the_same_value_until_it_changes():
    text, thinking, answer = TextDraft("a"), ThinkingDraft("s", "r"), StructuredDraft()
    call = CallDraft(id="c", name="f", arguments=GrowingText("{}"))
    assert text.freeze() is text.freeze()
    assert thinking.freeze() is thinking.freeze()
    assert answer.freeze() is answer.freeze()
    assert call.freeze() is call.freeze()
    assert text.freeze() == TextPart("a")
    assert thinking.freeze() == ThinkingPart("", step_id="s")
    assert answer.freeze() == StructuredOutputPart()
    assert call.freeze() == ToolCallPart(id="c", name="f", arguments="{}")


def test_a_thawed_call_freezes_to_what_it_was():
    part = ToolCallPart(id="c", name="f", output=1, input=2, metadata={"k": 1})
    draft = CallDraft.thaw(part)
    assert draft.freeze() is part
    draft.frozen = None
    assert draft.freeze() == part


def test_the_input_is_read_when_the_arguments_are_whole():
    draft = CallDraft(id="c", name="f", arguments=GrowingText('{"n":1}'))
    draft.is_finished = True
    assert draft.freeze().input == {"n": 1}
