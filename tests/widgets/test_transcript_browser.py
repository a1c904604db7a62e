"""The transcript in a real browser: what a person sees, and what their clicks do."""

from __future__ import annotations

from typing import Any, Final

import pytest

pytestmark = pytest.mark.browser

ARGUMENTS: Final = '{"path": "scratch/a.txt"}'
LISTENERS: Final = "(id) => host.models.get(id).count()"


def asked(scene: Any) -> None:
    """A call that waits for a person."""
    scene.start()
    scene.say("I will look.")
    scene.call("c1", "delete_file", ARGUMENTS)
    scene.ask("c1", "delete_file")
    scene.host.wait(".aistream-approval")


def focused(host: Any) -> str:
    """What has the focus, by its words."""
    script = (
        "() => document.activeElement?.innerText || document.activeElement?.className"
    )
    return str(host.evaluate(script))


def test_text_grows_and_a_click_reaches_python(host: Any, scene: Any) -> None:
    scene.show()
    assert scene.widget.watched
    scene.start()
    scene.say("I will **look")
    host.wait_until("() => document.body.innerText.includes('I will **look')")
    scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta="** first.")
    host.wait_until("() => document.querySelector('strong')?.textContent === 'look'")
    scene.call("c1", "delete_file", ARGUMENTS)
    scene.ask("c1", "delete_file")
    host.click("text=Approve delete_file")
    (action,) = scene.actions
    assert action.type == "decide"
    assert (action.call, action.decision) == ("c1", "proceed")
    scene.decide("c1", "proceed", by="you")
    host.wait(".aistream-approval", state="detached")
    assert "Approved by you" in host.text(".aistream-decided")
    assert host.errors() == []


def test_a_denial_carries_its_reason(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    host.click("text=Deny…")
    host.fill(".aistream-step input", "  not this folder ")
    host.press("Enter")
    assert (scene.actions[0].decision, scene.actions[0].reason) == (
        "deny",
        "not this folder",
    )


def test_edited_arguments_are_checked_while_they_are_typed(
    host: Any, scene: Any
) -> None:
    scene.show()
    asked(scene)
    host.click("text=Edit…")
    host.fill(".aistream-editor", '{"path": 3, "force": true}')
    host.wait(".aistream-problems")
    assert "path must be string" in host.text(".aistream-problems")
    assert "force is not a known argument" in host.text(".aistream-problems")
    assert host.count("text=Approve edited >> xpath=self::button[@disabled]") == 1
    host.fill(".aistream-editor", '{"path": "b.txt"}')
    host.click("text=Approve edited delete_file")
    assert scene.actions[0].arguments == '{"path": "b.txt"}'


def test_always_says_how_far_it_reaches(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    host.click("text=Always allow in this chat")
    assert scene.actions[0].always


def test_two_clicks_in_two_views_decide_once(host: Any, scene: Any) -> None:
    scene.show()
    scene.show()
    asked(scene)
    assert host.count(".aistream-approval") == 2
    script = """() => {
      for (const button of document.querySelectorAll(".aistream-go")) {
        button.click(); button.click();
      }
    }"""
    host.evaluate(script)
    host.pump()
    assert len(scene.actions) == 1
    host.wait("text=It was decided a moment ago.")
    scene.decide("c1", "proceed", by="you")
    host.wait_until("() => !document.querySelector('.aistream-approval')")


def test_a_refusal_is_shown_and_the_button_works_again(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    scene.refusal = "The chat is closing."
    host.click("text=Approve delete_file")
    host.wait("text=The chat is closing.")
    scene.refusal = ""
    host.click("text=Approve delete_file")
    assert len(scene.actions) == 2


def test_no_single_key_approves_and_nothing_is_preselected(
    host: Any, scene: Any
) -> None:
    scene.show()
    host.evaluate("() => document.querySelector('.aistream-scroll').focus()")
    asked(scene)
    host.wait_until("() => document.activeElement.matches('.aistream-approval')")
    for key in ("Enter", "Space", "a", "A", "y"):
        host.press(key)
    assert scene.actions == []
    host.press("d")
    host.wait_until("() => document.activeElement.matches('.aistream-step input')")
    host.press("Escape")
    host.wait_until("() => document.activeElement.matches('.aistream-approval')")
    host.press("e")
    host.wait_until("() => document.activeElement.matches('.aistream-editor')")


def test_the_keyboard_alone_leads_from_question_to_answer(
    host: Any, scene: Any
) -> None:
    scene.show()
    host.press("Tab")
    host.press("Tab")
    assert "aistream-input" in focused(host)
    host.thread.run(host.page.keyboard.type("Tidy up"))
    host.press("Enter")
    assert scene.actions[0].text == "Tidy up"
    asked(scene)
    host.evaluate("() => document.querySelector('.aistream-approval').focus()")
    host.press("Tab")
    assert focused(host) == "Approve delete_file"
    host.press("Enter")
    assert scene.actions[1].decision == "proceed"


def test_a_card_does_not_take_the_focus_from_who_is_writing(
    host: Any, scene: Any
) -> None:
    scene.show()
    host.click(".aistream-composer textarea")
    host.thread.run(host.page.keyboard.type("half a thou"))
    asked(scene)
    host.thread.run(host.page.keyboard.type("ght"))
    script = "() => document.querySelector('.aistream-composer textarea').value"
    assert host.evaluate(script) == "half a thought"


def test_a_page_outside_keeps_its_focus(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    assert host.evaluate("() => document.activeElement === document.body")


def test_lost_batches_are_noticed_and_repaired(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.say("one ")
    host.evaluate("(id) => { host.models.get(id).drop = 3 }", scene.widget.model_id)
    for word in ("two ", "three ", "four ", "five "):
        scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta=word)
    host.pump()
    host.wait("text=one two three four five")


def test_a_view_that_opens_late_shows_everything(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    state = scene.widget.get_state()
    script = """async ([id, state]) => {
      await host.open("late", { ...state, _esm: host.models.get(id).state._esm });
      await host.show("late");
    }"""
    host.evaluate(script, [scene.widget.model_id, state])
    host.wait_until(
        "() => document.querySelectorAll('.aistream-approval').length === 2"
    )
    assert host.count("text=I will look.") == 2


def test_a_kernel_that_is_gone_is_said_and_nothing_can_be_pressed(
    host: Any, scene: Any
) -> None:
    scene.show()
    asked(scene)
    host.evaluate("(id) => host.kill(id)", scene.widget.model_id)
    host.wait("text=The kernel is gone.")
    assert host.count(".aistream-button:not([disabled])") == 0
    assert host.count("text=I will look.") == 1


def test_a_closed_view_lets_go_of_everything(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    host.evaluate("() => ends.forEach((end) => end())")
    host.pump()
    assert not scene.widget.watched
    host.evaluate("(id) => host.models.get(id).end()", scene.widget.model_id)
    assert host.evaluate(LISTENERS, scene.widget.model_id) == 0
    assert host.evaluate("() => document.querySelector('main').children.length") == 0
    assert host.errors() == []


def test_the_end_is_followed_only_while_the_reader_is_there(
    host: Any, scene: Any
) -> None:
    scene.show()
    scene.start()
    scene.say("line\n\n" * 60)
    near = """() => {
      const { scrollHeight, scrollTop, clientHeight } =
        document.querySelector(".aistream-scroll");
      return scrollHeight - scrollTop - clientHeight < 5 && scrollTop > 100;
    }"""
    host.wait_until(near)
    host.evaluate("() => { document.querySelector('.aistream-scroll').scrollTop = 10 }")
    host.evaluate("() => new Promise(requestAnimationFrame)")
    scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta="more\n\n" * 9)
    host.wait("text=New text below")
    script = "() => document.querySelector('.aistream-scroll').scrollTop"
    assert host.evaluate(script) == 10
    host.click("text=New text below")
    host.wait_until(near)
    host.wait("text=New text below", state="detached")


def test_what_is_read_stays_in_its_place_while_the_reader_goes_up(
    host: Any, scene: Any
) -> None:
    """Parts that were never drawn have a guessed height until they come into sight."""
    for number in range(1, 4):
        scene.start("And now?", number)
        scene.say("- one\n- two\n\nSome words.\n\n" * 120, message=f"m{number}")
    scene.finish()
    scene.show()
    host.wait("text=Some words.")
    host.thread.run(host.page.mouse.move(200, 300))
    moved = []
    for _ in range(40):
        host.evaluate(TAKE_PLACE)
        host.thread.run(host.page.mouse.wheel(0, -300))
        moved.append(round(host.evaluate(LEFT_PLACE)))
    assert set(moved) <= {-1, 0, 1}, moved


TAKE_PLACE: Final = """() => {
  const box = document.querySelector(".aistream-scroll");
  const { left, top, height } = box.getBoundingClientRect();
  const read = document.elementFromPoint(left + 40, top + height / 2);
  window.place = { box, read, top: read.getBoundingClientRect().top,
    scrolled: box.scrollTop };
}"""
# The wheel moved it by 300: anything else is a jump.
LEFT_PLACE: Final = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const { box, read, top, scrolled } = window.place;
  for (let n = 0; n < 60 && box.scrollTop === scrolled; n++) await frame();
  for (let n = 0; n < 6; n++) await frame();
  return read.getBoundingClientRect().top - top - 300;
}"""


def test_a_card_that_closes_does_not_end_the_following(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.say("line\n\n" * 40)
    scene.call("c1", "delete_file", ARGUMENTS)
    scene.ask("c1", "delete_file")
    host.click("text=Approve delete_file")
    scene.decide("c1", "proceed", by="you")
    host.wait(".aistream-approval", state="detached")
    scene.say("more\n\n" * 40, message="m2")
    near = """() => {
      const { scrollHeight, scrollTop, clientHeight } =
        document.querySelector(".aistream-scroll");
      return scrollHeight - scrollTop - clientHeight < 5;
    }"""
    host.wait_until(near)
    assert host.count("text=New text below") == 0


def test_a_selection_in_text_that_grows_survives(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.say("Some words that are selected. ")
    host.wait("text=Some words")
    select = """() => {
      const text = document.querySelector(".aistream-prose p").firstChild;
      getSelection().setBaseAndExtent(text, 5, text, 10);
    }"""
    host.evaluate(select)
    for _ in range(20):
        scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta="And more. ")
    scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta="\n\nA new block")
    host.wait("text=A new block")
    assert host.evaluate("() => getSelection().toString()") == "words"


def test_thinking_folds_by_itself_unless_it_is_in_use(host: Any, scene: Any) -> None:
    scene.show()
    scene.start()
    scene.think("I should look.")
    host.wait("text=Thinking…")
    scene.stop_thinking()
    scene.say("So.")
    host.wait("text=Thought for")
    host.wait(".aistream-thought", state="detached")
    host.click(".aistream-fold")
    host.wait(".aistream-thought")


def test_a_screen_reader_hears_sentences_and_states(host: Any, scene: Any) -> None:
    scene.show()
    heard = """() => {
      window.heard = [];
      const status = document.querySelector("[role=status]");
      new MutationObserver(() => window.heard.push(status.textContent))
        .observe(status, { childList: true, characterData: true, subtree: true });
    }"""
    host.evaluate(heard)
    scene.start()
    scene.say("The first")
    for word in ["", "sentence", "is", "said.", "The", "second", "is", "not"]:
        scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta=f"{word} ")
    host.wait_until("() => window.heard.join(' ').includes('sentence is said')")
    asked_words = (
        "Approval needed: run delete_file? It may be impossible to undo. "
        "F8 leads there."
    )
    scene.call("c1", "delete_file", ARGUMENTS)
    scene.ask("c1", "delete_file")
    host.wait(".aistream-approval")
    assert (
        host.evaluate("() => document.querySelector('[role=alert]').textContent")
        == asked_words
    )
    assert "The second" not in " ".join(host.evaluate("() => window.heard")[:1])
    assert host.count("[aria-live], [role=status], [role=alert]") == 2


def test_the_composer_sends_stops_retries_and_edits(host: Any, scene: Any) -> None:
    scene.show()
    host.fill(".aistream-composer textarea", "Hello")
    host.press("Shift+Enter")
    assert scene.actions == []
    host.click(".aistream-composer textarea")
    host.press("Enter")
    assert scene.actions[-1].type == "send"
    scene.start("Hello")
    host.click("text=Stop")
    assert scene.actions[-1].type == "stop"
    scene.say("Half an ans")
    scene.receive("RUN_ERROR", message="The stream broke off.")
    host.click("text=Retry")
    assert scene.actions[-1].type == "retry"
    host.click("[aria-label='Edit and send again']")
    host.fill(".aistream-step textarea", "Hello again")
    host.click("text=Send again")
    assert (scene.actions[-1].type, scene.actions[-1].text) == ("edit", "Hello again")
    assert scene.actions[-1].message == "u1"


def test_the_notebooks_own_keys_do_nothing_here(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    for selector in (".aistream-approval", ".aistream-go", ".aistream-scroll"):
        host.evaluate("(it) => document.querySelector(it).focus()", selector)
        assert host.count(f"{selector}[data-lm-suppress-shortcuts=true]") == 1
