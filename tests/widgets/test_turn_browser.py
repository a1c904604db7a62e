"""One turn in a real browser: what it is made of, and what a person does with it."""

from __future__ import annotations

from typing import Any, Final

import pytest

pytestmark = pytest.mark.browser

PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+FABJA"
    "DveWkH6oAAAAAElFTkSuQmCC"
)
PDF: Final = "application/pdf"
MARKDOWN: Final = "Some **bold** words.\n\n- one\n- two\n\n```py\nx = 1\n```\n"
NAMES: Final = """() =>
  [...document.querySelectorAll(".aistream-parallel .aistream-call")]
    .map((it) => it.dataset.call)"""
CLICK_IN_EVERY_VIEW: Final = """() => {
  for (const button of document.querySelectorAll(".aistream-go")) button.click();
}"""


def test_an_answer_is_copied_as_markdown(host: Any, scene: Any) -> None:
    host.evaluate(KEEP_COPIED)
    scene.show()
    scene.start()
    scene.say(MARKDOWN)
    scene.finish()
    host.click("[title='Copy the answer as markdown']")
    host.wait("text=Copied")
    assert host.evaluate("() => window.copied") == [MARKDOWN]


def test_a_code_block_is_copied_as_it_is(host: Any, scene: Any) -> None:
    host.evaluate(KEEP_COPIED)
    scene.show()
    scene.start()
    code = "".join(f"line {number}\n" for number in range(900))
    scene.say(f"```\n{code}```\n")
    scene.finish()
    host.wait(".aistream-piece")
    host.click(".aistream-code-bar button")
    assert host.evaluate("() => window.copied") == [code]
    host.wait("text=Copied")
    host.wait_until(HEARD)
    host.evaluate(SELECT_CODE)
    assert host.evaluate("() => getSelection().toString()").rstrip() == code.rstrip()


HEARD: Final = """() => [...document.querySelectorAll("[role=status]")]
  .some((region) => region.textContent.includes("Copied."))"""
KEEP_COPIED: Final = """() => {
  window.copied = [];
  const clipboard = { writeText: async (text) => void window.copied.push(text) };
  Object.defineProperty(navigator, "clipboard", { value: clipboard });
}"""
SELECT_CODE: Final = """() => getSelection().selectAllChildren(
  document.querySelector("pre code"))"""


def test_where_copying_is_not_allowed_the_button_says_so(host: Any, scene: Any) -> None:
    refuse = """() => Object.defineProperty(navigator, "clipboard", { value: {
      writeText: () => Promise.reject(new Error("no")) } })"""
    host.evaluate(refuse)
    scene.show()
    scene.start()
    scene.say("Words.")
    scene.finish()
    host.click("[title='Copy the answer as markdown']")
    host.wait("text=Copying is not allowed here")


def test_pictures_and_files_stand_in_the_message(host: Any, scene: Any) -> None:
    scene.show()
    content = [
        {"type": "text", "text": "What is on these?"},
        {
            "type": "image",
            "source": {"type": "data", "value": PIXEL, "mimeType": "image/png"},
        },
        {
            "type": "image",
            "source": {"type": "url", "value": "https://127.0.0.1:9/cat.png"},
        },
        {
            "type": "document",
            "source": {
                "type": "data",
                "value": "JVBERg==",
                "mimeType": "application/pdf",
            },
        },
    ]
    message = {"id": "u1", "role": "user", "content": content}
    scene.receive("MESSAGES_SNAPSHOT", messages=[message])
    host.wait(".aistream-user >> text=What is on these?")
    width = "() => document.querySelector('.aistream-user img')?.naturalWidth"
    host.wait_until(f"() => ({width})() === 10")
    assert host.count("text=Load image from 127.0.0.1:9") == 1
    assert PDF in host.text(".aistream-file")
    host.picture("media")
    assert host.errors() == []


def test_parallel_calls_keep_their_order_and_each_has_its_own_end(
    host: Any, scene: Any
) -> None:
    scene.show()
    scene.start()
    scene.say("I look in three places.")
    for call in ("c1", "c2", "c3"):
        scene.call(call, "list_files", f'{{"folder": "{call}"}}')
    scene.result("c3", "third")
    scene.result("c1", "first")
    host.wait("[data-call=c1][data-status=complete]")
    assert host.evaluate(NAMES) == ["c1", "c2", "c3"]
    assert host.count("[data-call=c2][data-status=complete]") == 0
    scene.result("c2", "FileNotFoundError", failed=True)
    host.wait("[data-call=c2][data-status=error]")
    assert host.evaluate(NAMES) == ["c1", "c2", "c3"]


def test_several_questions_are_decided_one_by_one_and_stay_said(
    host: Any, scene: Any
) -> None:
    scene.show()
    scene.start()
    scene.say("Three files.")
    for call in ("c1", "c2", "c3"):
        scene.call(call, "delete_file", f'{{"path": "{call}"}}')
        scene.ask(call, "delete_file")
    host.wait_until("() => document.querySelectorAll('.aistream-go').length === 3")
    host.click("[data-call=c2] .aistream-go")
    host.click("[data-call=c1] >> text=Deny…")
    host.fill("[data-call=c1] input", "keep it")
    host.press("Enter")
    assert [(it.call, it.decision) for it in scene.actions] == [
        ("c2", "proceed"),
        ("c1", "deny"),
    ]
    scene.decide("c2", "proceed", by="you")
    scene.decide("c1", "deny", by="ana", reason="keep it")
    scene.result("c2", "gone")
    host.wait_until("() => document.querySelectorAll('.aistream-go').length === 1")
    scene.finish()
    assert "Approved by you" in host.text("[data-call=c2] .aistream-decided")
    assert "Denied by ana" in host.text("[data-call=c1] .aistream-decided")
    assert "keep it" in host.text("[data-call=c1] .aistream-decided")


def test_the_view_that_came_second_is_told_who_was_first(host: Any, scene: Any) -> None:
    scene.show()
    scene.show()
    scene.start()
    scene.say("One file.")
    scene.call("c1", "delete_file", '{"path": "a"}')
    scene.ask("c1", "delete_file")
    host.wait_until("() => document.querySelectorAll('.aistream-go').length === 2")
    host.evaluate(CLICK_IN_EVERY_VIEW)
    host.pump()
    assert len(scene.actions) == 1
    host.wait("text=It was decided a moment ago.")
    scene.decide("c1", "proceed", by="you")
    host.wait_until("() => document.querySelectorAll('.aistream-decided').length === 2")
    assert host.count(".aistream-approval") == 0


def test_the_arguments_are_checked_with_each_letter(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.say("One file.")
    scene.call("c1", "delete_file", '{"path": "a"}')
    scene.ask("c1", "delete_file")
    host.click("text=Edit…")
    host.evaluate("() => document.querySelector('.aistream-editor').select()")
    seen = []
    for letters in ('{"path', '": 3', "}"):
        host.thread.run(host.page.keyboard.type(letters))
        host.wait(".aistream-problems")
        seen.append(host.text(".aistream-problems"))
    assert "path must be string" in seen[-1]
    assert seen[0] != seen[-1]
    host.press("Backspace")
    host.press("Backspace")
    host.thread.run(host.page.keyboard.type('"b"}'))
    host.wait(".aistream-problems", state="detached")


def test_text_that_grows_takes_no_focus(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.say("Some code:\n\n```py\nx = 1\n```\n\nAnd words. ")
    host.wait("pre")
    host.evaluate("() => document.querySelector('pre').focus()")
    held = "() => document.activeElement === document.querySelector('pre')"
    assert host.evaluate(held)
    for _ in range(30):
        scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta="More.\n\n- one\n")
    scene.think("Hm.", message="t2")
    scene.stop_thinking("t2")
    scene.call("c1", "list_files", "{}")
    scene.result("c1", "a")
    scene.finish()
    host.wait(".aistream-footer")
    assert host.evaluate(held)
    assert host.errors() == []
