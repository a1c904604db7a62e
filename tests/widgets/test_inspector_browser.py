"""The inspector in a real browser: stop, step, scrub, and see why it is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.inspector import Inspector
from aistream_nb.recording import Recording
from aistream_nb.widgets.inspector import InspectorWidget
from aistream_nb.widgets.pulse import Pulse

pytestmark = pytest.mark.browser

AXE: Final = Path(__file__).parents[2] / "js/node_modules/axe-core/axe.min.js"
STREAM: Final[list[dict[str, Any]]] = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "STATE_SNAPSHOT", "snapshot": {"step": 1, "folder": "scratch"}},
    {"type": "REASONING_START", "messageId": "t1"},
    {"type": "REASONING_MESSAGE_START", "messageId": "t1", "role": "reasoning"},
    {"type": "REASONING_MESSAGE_CONTENT", "messageId": "t1", "delta": "Look first."},
    {"type": "REASONING_MESSAGE_END", "messageId": "t1"},
    {"type": "REASONING_END", "messageId": "t1"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "I will "},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "**look**."},
    {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
    {
        "type": "TOOL_CALL_START",
        "toolCallId": "c1",
        "toolCallName": "list_files",
        "parentMessageId": "m1",
    },
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"folder": "scratch"}'},
    {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/step", "value": 2}]},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m9", "delta": "Who opened this?"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
]


@pytest.fixture
def inspector(host: Any) -> Iterator[Inspector]:
    made = Inspector(STREAM)
    made._widget = InspectorWidget(made, on_action=made._act, pulse=Pulse(interval=0))
    host.show(made._widget)
    settle(host)
    yield made
    made._widget.close()


def shown(host: Any, source: Any) -> Inspector:
    made = Inspector(source)
    made._widget = InspectorWidget(made, on_action=made._act, pulse=Pulse(interval=0))
    host.show(made._widget)
    settle(host)
    return made


def to_the_end(host: Any) -> None:
    host.evaluate("() => document.querySelector('.aistream-events').focus()")
    press(host, "End")


def settle(host: Any) -> None:
    """Let questions and answers go back and forth."""
    for _ in range(4):
        host.evaluate("() => new Promise((done) => setTimeout(done, 20))")
        host.pump()


def press(host: Any, *keys: str) -> None:
    for key in keys:
        host.press(key)
        settle(host)


def test_the_list_shows_every_event_and_marks_what_is_wrong(
    host: Any, inspector: Inspector
) -> None:
    assert host.count(".aistream-event") == len(STREAM)
    assert "TEXT_MESSAGE_CONTENT" in host.text(".aistream-event >> nth=8")
    assert host.count(".aistream-event .aistream-level-fatal") >= 1
    assert host.count(".aistream-lanes .aistream-span-open") == 1
    assert host.errors() == []


def test_a_click_on_an_event_shows_the_state_after_it(
    host: Any, inspector: Inspector
) -> None:
    host.click(".aistream-event >> nth=8")
    settle(host)
    assert inspector.position == 9
    assert host.text(".aistream-prose") == "I will"
    host.click(".aistream-event >> nth=9")
    settle(host)
    assert host.text(".aistream-prose strong") == "look"
    host.click(".aistream-event >> nth=1")
    settle(host)
    assert host.count(".aistream-prose") == 0


def test_keys_step_jump_and_filter(host: Any, inspector: Inspector) -> None:
    host.evaluate("() => document.querySelector('.aistream-events').focus()")
    press(host, "ArrowRight", "ArrowDown")
    assert inspector.position == 2
    press(host, "ArrowLeft")
    assert inspector.position == 1
    press(host, "End")
    assert inspector.position == len(STREAM)
    press(host, "Home")
    assert inspector.position == 0
    press(host, "/")
    host.fill(".aistream-filter", "tool_call c1")
    settle(host)
    assert host.count(".aistream-event") == 2


def test_a_violation_says_what_came_what_was_due_and_how_to_mend_it(
    host: Any, inspector: Inspector
) -> None:
    host.click(".aistream-event >> nth=14")
    settle(host)
    words = host.text(".aistream-violation >> nth=0")
    assert "text.content_unopened" in words
    assert "Due" in words
    assert "Fix" in words
    assert host.count("text=Copy as test") >= 1


def test_the_fix_stands_in_the_list_as_an_event_that_is_not_there(
    host: Any, inspector: Inspector
) -> None:
    host.click(".aistream-event >> nth=14")
    settle(host)
    host.click("text=Show the fix")
    settle(host)
    assert "+ TEXT_MESSAGE_START" in " ".join(host.text(".aistream-ghost").split())
    tops = host.evaluate(TOPS, ["aistream-event-13", "aistream-event-14"])
    assert tops[1] - tops[0] == 2 * 26
    assert "before event 14 it is mended" in host.text(".aistream-fix")
    host.picture("inspector-fix")
    host.click("text=Hide the fix")
    settle(host)
    assert host.count(".aistream-ghost") == 0
    host.click("text=Show the fix")
    press(host, "ArrowLeft")
    settle(host)
    assert host.count(".aistream-ghost") == 0
    assert host.errors() == []


def test_what_is_wrong_with_the_whole_stream_is_shown_at_its_end_with_its_fix(
    host: Any,
) -> None:
    made = shown(host, STREAM[:11])
    to_the_end(host)
    words = host.text(".aistream-violation >> nth=-1")
    assert "stream.truncated" in words
    assert "the stream as a whole" in words
    assert host.count("text=Copy as test") >= 1
    host.click(".aistream-violation >> nth=-1 >> text=Show the fix")
    settle(host)
    assert "+ RUN_FINISHED" in " ".join(host.text(".aistream-ghost").split())
    host.picture("inspector-whole-stream")
    assert host.errors() == []
    made.widget().close()


def test_the_frames_of_an_answer_are_rows(host: Any) -> None:
    body = b'data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n\n'
    made = shown(host, body + b"data: oops\n\n")
    assert "(no event)" in host.text(".aistream-event >> nth=1")
    assert "oops" in host.text(".aistream-event >> nth=1")
    host.click(".aistream-event >> nth=1")
    settle(host)
    assert "frame.bad_json" in host.text(".aistream-violation >> nth=0")
    made.widget().close()


def test_arguments_that_are_no_json_are_shown_as_they_came(host: Any) -> None:
    call = {"toolCallId": "c1"}
    made = shown(
        host,
        [
            {"type": "TOOL_CALL_START", "toolCallName": "list_files", **call},
            {"type": "TOOL_CALL_ARGS", "delta": "folder=<scratch>", **call},
            {"type": "TOOL_CALL_END", **call},
        ],
    )
    to_the_end(host)
    words = host.text(".aistream-call")
    assert "Not JSON. The arguments as they came:" in words
    assert "folder=<scratch>" in words
    assert "No arguments" not in words
    made.widget().close()


def test_events_of_one_kind_can_be_chosen(host: Any, inspector: Inspector) -> None:
    select = ".aistream-filters select"
    for kind, count in (("call", 2), ("state", 2), ("wrong", 3), ("", len(STREAM))):
        host.thread.run(host.page.select_option(select, kind))
        settle(host)
        assert (kind, host.count(".aistream-event")) == (kind, count)
    host.thread.run(host.page.select_option(select, "text"))
    host.fill(".aistream-filter", "m9")
    settle(host)
    assert "Who opened" in host.text(".aistream-event")
    assert host.count(".aistream-event") == 1


class Chat:
    """As much of a chat as an inspector looks at."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.recording = Recording(clock=lambda: 0.0)

    def receive(self, event: dict[str, Any]) -> None:
        self.recording.append(event)
        self.conversation.receive(event)


def test_a_running_chat_is_followed_until_somebody_looks_back(host: Any) -> None:
    chat = Chat()
    made = shown(host, chat)
    for event in STREAM[:9]:
        chat.receive(event)
        settle(host)
    assert host.text(".aistream-where") == "9 of 9, live"
    assert host.count(".aistream-event") == 9
    assert host.text(".aistream-prose") == "I will"
    host.evaluate("() => document.querySelector('.aistream-events').focus()")
    press(host, "ArrowLeft", "ArrowLeft")
    for event in STREAM[9:15]:
        chat.receive(event)
    for _ in range(12):  # what is wrong is asked for a little later
        settle(host)
    assert host.text(".aistream-where") == "7 of 15, live"
    assert host.count(".aistream-event .aistream-level-fatal") == 1
    made.widget().close()


TOPS: Final = """(ids) => ids.map((id) =>
  document.getElementById(id).getBoundingClientRect().top)"""


def test_the_scrubber_says_where_it_is(host: Any, inspector: Inspector) -> None:
    host.evaluate("() => document.querySelector('input[type=range]').focus()")
    press(host, "ArrowRight", "ArrowRight")
    assert inspector.position == 2
    said = "() => document.querySelector('input[type=range]').ariaValueText ?? "
    said += "document.querySelector('input[type=range]').getAttribute('aria-valuetext')"
    assert "event 2 of 16: STATE_SNAPSHOT" in host.evaluate(said)


def test_what_changed_in_the_shared_state_is_marked(
    host: Any, inspector: Inspector
) -> None:
    host.click(".aistream-event >> nth=12")
    settle(host)
    host.click(".aistream-event >> nth=13")
    settle(host)
    assert "step" in host.text(".aistream-fact .aistream-changed")


def test_the_way_from_one_violation_to_the_next(
    host: Any, inspector: Inspector
) -> None:
    seen: list[int] = []
    for _ in range(3):
        host.click(".aistream-found")
        settle(host)
        seen.append(inspector.position)
    assert len(set(seen)) > 1


@pytest.mark.parametrize(("width", "size"), [(1000, "wide"), (420, "narrow")])
def test_it_looks_right_and_passes_the_audit(
    host: Any, inspector: Inspector, width: int, size: str
) -> None:
    host.resize(width)
    host.click(".aistream-event >> nth=14")
    settle(host)
    host.evaluate(AXE.read_text(encoding="utf-8") + "; void 0")
    for dark in (False, True):
        host.dark(on=dark)
        host.picture(f"inspector-{size}-{'dark' if dark else 'light'}")
        found = host.evaluate("() => axe.run(document.querySelector('main'))")
        serious = [
            (rule["id"], node["html"][:200], node["failureSummary"])
            for rule in found["violations"]
            if rule["impact"] in {"serious", "critical"}
            for node in rule["nodes"]
        ]
        assert serious == []


def test_twenty_thousand_events_are_a_list_like_any_other(host: Any) -> None:
    events: list[dict[str, Any]] = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    ]
    for number in range(200):
        message = f"m{number}"
        events.append(
            {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}
        )
        events += [
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": f"{n} "}
            for n in range(98)
        ]
        events.append({"type": "TEXT_MESSAGE_END", "messageId": message})
    made = Inspector(events)
    made._widget = InspectorWidget(made, on_action=made._act)
    host.show(made._widget)
    settle(host)
    assert host.count(".aistream-event") < 80
    host.evaluate("() => document.querySelector('.aistream-events').focus()")
    press(host, "End")
    settle(host)
    assert made.position == len(events)
    host.wait_until("() => document.body.innerText.includes('20,001')")
    for _ in range(20):
        settle(host)
        if host.count(f"#aistream-event-{len(events) - 1}"):
            break
    assert host.count(f"#aistream-event-{len(events) - 1}") == 1
    made._widget.close()
