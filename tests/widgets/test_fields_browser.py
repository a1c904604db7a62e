"""Enter in a form, in a page of its own and in a cell that prevents line breaks."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

# What JupyterLab does to everything that is inside of a cell.
LIKE_LAB = """() => {
  document.querySelector("main").classList.add("jp-Cell");
  document.addEventListener("beforeinput", (event) => {
    if (event.inputType === "insertLineBreak" && event.target.closest(".jp-Cell"))
      event.preventDefault();
  });
}"""
COMPOSER = ".aistream-composer textarea"
EDITOR = ".aistream-editor"


@pytest.fixture(params=["alone", "in a cell"])
def asked(request: pytest.FixtureRequest, host: Any, scene: Any) -> Any:
    if request.param == "in a cell":
        host.evaluate(LIKE_LAB)
    scene.show()
    scene.start()
    scene.say("Two files look useless.")
    scene.call("c1", "delete_file", '{"path": "a.txt"}')
    scene.ask("c1", "delete_file")
    host.wait(".aistream-approval")
    return scene


def test_enter_sends_the_reason(host: Any, asked: Any) -> None:
    host.click("text=Deny…")
    host.fill(".aistream-step input", "not here")
    host.press("Enter")
    assert [(it.decision, it.reason) for it in asked.actions] == [("deny", "not here")]


def test_enter_breaks_the_line_of_json_and_control_enter_sends_it(
    host: Any, asked: Any
) -> None:
    host.click("text=Edit…")
    host.fill(EDITOR, '{"path":')
    host.press("Enter")
    host.thread.run(host.page.keyboard.type('"b.txt"}'))
    assert asked.actions == []
    host.press("Control+Enter")
    assert [it.arguments for it in asked.actions] == ['{"path":\n"b.txt"}']


def test_json_that_does_not_fit_is_not_sent_by_keys(host: Any, asked: Any) -> None:
    host.click("text=Edit…")
    host.fill(EDITOR, '{"path": 3}')
    host.wait(".aistream-problems")
    host.press("Control+Enter")
    assert asked.actions == []


def test_shift_enter_breaks_the_line_of_a_message(host: Any, asked: Any) -> None:
    asked.decide("c1", "deny", by="you")
    asked.finish()
    host.fill(COMPOSER, "one")
    host.press("Shift+Enter")
    host.thread.run(host.page.keyboard.type("two"))
    host.press("Enter")
    assert [it.text for it in asked.actions] == ["one\ntwo"]


def test_a_line_break_can_be_undone(host: Any, asked: Any) -> None:
    asked.decide("c1", "deny", by="you")
    asked.finish()
    host.wait("text=Send")
    host.fill(COMPOSER, "one")
    host.press("Shift+Enter")
    host.press("Control+z")
    assert host.evaluate("(it) => document.querySelector(it).value", COMPOSER) == "one"


def test_an_earlier_message_is_edited_with_keys_alone(host: Any, asked: Any) -> None:
    asked.decide("c1", "deny", by="you")
    asked.finish()
    host.wait("[aria-label='Edit and send again']", state="attached")
    host.evaluate("() => document.querySelector('.aistream-edit').focus()")
    host.press("Enter")
    host.wait_until("() => document.activeElement.matches('.aistream-step textarea')")
    host.press("Escape")
    host.wait(".aistream-step", state="detached")
    host.evaluate("() => document.querySelector('.aistream-edit').focus()")
    host.press("Enter")
    host.wait_until("() => document.activeElement.matches('.aistream-step textarea')")
    host.press("Control+a")
    host.thread.run(host.page.keyboard.type("Only look."))
    host.press("Enter")
    assert [(it.type, it.text) for it in asked.actions] == [("edit", "Only look.")]


def test_the_enter_of_an_input_method_sends_nothing(host: Any, asked: Any) -> None:
    host.click("text=Deny…")
    host.fill(".aistream-step input", "だめ")
    for fields in ("{ isComposing: true }", "{ keyCode: 229 }"):
        host.evaluate(
            "() => document.querySelector('.aistream-step input').dispatchEvent("
            "new KeyboardEvent('keydown', { key: 'Enter', bubbles: true,"
            f" cancelable: true, ...{fields} }}))"
        )
    host.pump()
    assert asked.actions == []
