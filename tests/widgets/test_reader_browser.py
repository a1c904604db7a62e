"""What a reader, a screen or paper asks for: less motion, few colours, a print.

The pictures are kept to be looked at.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.widgets.static_html import to_html, to_text

pytestmark = pytest.mark.browser

STYLE: Final = """([selector, name, part]) =>
  getComputedStyle(document.querySelector(selector), part)[name]"""
PAGE_OF_PDF: Final = rb"/Type\s*/Page[^s]"


def style(host: Any, selector: str, name: str, part: str | None = None) -> str:
    return host.evaluate(STYLE, [selector, name, part])


def media(host: Any, **wishes: Any) -> None:
    host.thread.run(host.page.emulate_media(**wishes))


def talk(scene: Any) -> None:
    """Every kind of thing, and a question that is still open."""
    scene.start()
    scene.think("I should look before I delete.")
    scene.stop_thinking()
    scene.say("I looked.\n\n```python\nprint('done')\n```\n\n" + "Some words.\n\n" * 90)
    scene.call("c0", "delete_file", '{"path": "scratch/old.txt"}')
    scene.ask("c0", "delete_file")
    scene.decide("c0", "deny", by="you", reason="not this folder")
    scene.call("c1", "delete_file", '{"path": "scratch/a.txt"}', message="m2")
    scene.ask("c1", "delete_file")
    scene.host.wait(".aistream-approval")


def test_paper_has_all_of_it_and_nothing_to_press(host: Any, scene: Any) -> None:
    scene.show()
    talk(scene)
    host.dark(on=True)
    assert host.evaluate("() => document.querySelector('main').clientHeight") < 1500
    media(host, media="print")
    assert style(host, ".aistream-scroll", "maxHeight") == "none"
    assert style(host, ".aistream-scroll", "overflowY") == "visible"
    assert style(host, ".aistream-root", "color") == "rgb(0, 0, 0)"
    assert style(host, ".aistream-root", "backgroundColor") == "rgb(255, 255, 255)"
    for gone in GONE_ON_PAPER:
        assert style(host, gone, "display") == "none"
    assert host.evaluate("() => document.querySelector('main').clientHeight") > 3000
    assert "Denied by you: not this folder" in host.text(".aistream-decided")
    host.picture("print")


GONE_ON_PAPER: Final = (
    ".aistream-composer",
    ".aistream-buttons",
    "button.aistream-quiet",
)


def test_a_pdf_has_as_many_pages_as_it_needs(host: Any, scene: Any) -> None:
    scene.show()
    talk(scene)
    pdf = host.thread.run(host.page.pdf(format="A4"))
    assert len(re.findall(PAGE_OF_PDF, pdf)) >= 4


def test_a_screen_of_few_colours_shows_states_and_the_caret(
    host: Any, scene: Any
) -> None:
    media(host, forced_colors="active", color_scheme="dark")
    scene.show()
    talk(scene)
    scene.say("And this is still being wri", message="m3")
    host.wait("text=still being wri")
    caret = style(
        host, ".aistream-live > :last-child > :last-child", "backgroundColor", "::after"
    )
    page = style(host, ".aistream-root", "backgroundColor")
    canvas = host.evaluate(SYSTEM_COLOUR, "Canvas")
    assert caret == host.evaluate(SYSTEM_COLOUR, "Highlight")
    assert caret not in {canvas, page}
    assert style(host, ".aistream-user-text", "borderTopStyle") == "solid"
    assert style(host, ".aistream-go", "borderTopWidth") == "2px"
    host.evaluate(
        "() => { document.querySelector('.aistream-scroll').scrollTop = 1e6 }"
    )
    host.picture("forced-colors")
    host.evaluate("(id) => host.kill(id)", scene.widget.model_id)
    host.wait("text=The kernel is gone.")
    grey = host.evaluate(SYSTEM_COLOUR, "GrayText")
    assert style(host, ".aistream-go:disabled", "borderTopColor") == grey


SYSTEM_COLOUR: Final = """(name) => {
  const it = document.createElement("i");
  it.style.cssText = `color: ${name}; forced-color-adjust: none`;
  document.body.append(it);
  const { color } = getComputedStyle(it);
  it.remove();
  return color;
}"""


def test_less_motion_stills_the_caret_and_draws_twice_a_second(
    host: Any, scene: Any
) -> None:
    media(host, reduced_motion="reduce")
    scene.show()
    scene.start()
    scene.say("One")
    host.wait("text=One")
    live = ".aistream-live > :last-child > :last-child"
    assert style(host, live, "animationName", "::after") == "none"
    assert style(host, live, "content", "::after") == '""'
    host.evaluate(COUNT_PICTURES)
    for word in ["", "two", "three", "four", "five", "six", "seven"]:
        scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta=f" {word}")
    host.wait("text=seven")
    assert host.evaluate("() => window.pictures") <= 2


COUNT_PICTURES: Final = """() => {
  window.pictures = 0;
  new MutationObserver(() => window.pictures++).observe(
    document.querySelector(".aistream-prose"),
    { childList: true, characterData: true, subtree: true });
}"""


def test_motion_is_there_for_who_did_not_object(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.say("One")
    host.wait("text=One")
    live = ".aistream-live > :last-child > :last-child"
    assert style(host, live, "animationName", "::after") == "aistream-blink"


def timed(pace: float) -> Conversation:
    """A conversation that took its time, as its events tell."""
    conversation = Conversation()
    events: list[dict[str, Any]] = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "REASONING_START", "messageId": "t1"},
        {"type": "REASONING_MESSAGE_START", "messageId": "t1", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "t1", "delta": "Hm."},
        {"type": "REASONING_MESSAGE_END", "messageId": "t1"},
        {"type": "REASONING_END", "messageId": "t1"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "I look."},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {
            "type": "TOOL_CALL_RESULT",
            "toolCallId": "c",
            "messageId": "r",
            "content": "seen",
        },
        {"type": "CUSTOM", "name": "aistream:round", "value": USAGE},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
    ]
    for number, event in enumerate(events):
        moment = round(1_764_489_600_000 * pace + number * 1700 * pace)
        conversation.receive({**event, "timestamp": moment})
    return conversation


USAGE: Final = {"round": 1, "usage": {"inputTokens": 812, "outputTokens": 431}}


@pytest.mark.parametrize("form", [to_html, to_text])
def test_the_static_form_says_nothing_of_time(form: Any) -> None:
    text = form(timed(1.0))
    assert "I look." in text
    assert text == form(timed(1.3))
    words = re.sub(r"<[^>]*>", " ", text)
    assert not re.search(r"\d+(\.\d+)? ?(s|ms|min)\b|\d\d:\d\d|tokens/s", words)
