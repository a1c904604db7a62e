"""A question that waits out of sight is told of, and can be reached."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

SIGN = ".aistream-signs button"
CARD = ".aistream-approval"
# A page as a notebook has it: what scrolls is a box inside of the window.
NOTEBOOK = """(before) => {
  const main = document.querySelector("main");
  main.style.cssText = "height: 600px; overflow: auto";
  for (const height of [before, 1500]) {
    const other = document.createElement("div");
    other.style.height = `${height}px`;
    other.tabIndex = 0;
    other.className = "other";
    main.append(other);
  }
  main.lastChild.before(document.querySelector(".view") ?? "");
}"""


def asked(scene: Any, call: str = "c1") -> None:
    scene.start()
    scene.say("Two files look useless.")
    scene.call(call, "delete_file", '{"path": "a.txt"}')
    scene.ask(call, "delete_file")


def show_below(host: Any, scene: Any, space: int) -> None:
    """The view in a page that scrolls, with so much above it."""
    host.evaluate(NOTEBOOK, space)
    scene.show()
    host.evaluate(
        "() => { const main = document.querySelector('main');"
        " main.insertBefore(main.lastChild, main.children[1]) }"
    )


def visible(host: Any) -> bool:
    script = """(it) => { const box = document.querySelector(it)
      .getBoundingClientRect(); return box.top > 0 && box.bottom < 616 }"""
    return host.evaluate(script, CARD)


def test_a_card_below_what_is_seen_has_a_sign_that_leads_there(
    host: Any, scene: Any
) -> None:
    show_below(host, scene, 1500)
    asked(scene)
    host.wait(SIGN)
    assert host.text(SIGN).split() == ["↓", "delete_file", "waits", "for", "you", "F8"]
    assert not visible(host)
    host.picture("waiting-below")
    host.click(SIGN)
    host.wait(SIGN, state="detached")
    host.wait_until("() => document.activeElement.matches('.aistream-approval')")
    assert visible(host)
    host.press("Tab")
    assert host.evaluate("() => document.activeElement.innerText") == (
        "Approve delete_file"
    )


def test_a_card_above_has_its_sign_at_the_upper_edge(host: Any, scene: Any) -> None:
    show_below(host, scene, 10)
    host.evaluate("() => document.querySelector('main').scrollTo(0, 1200)")
    asked(scene)
    host.wait(SIGN)
    host.picture("waiting-above")
    assert host.text(SIGN).startswith("↑")
    top = host.evaluate(
        "() => document.querySelector('.aistream-signs').getBoundingClientRect().top"
    )
    assert 0 < top < 60
    host.press("F8")
    host.wait(SIGN, state="detached")
    assert visible(host)


def test_a_card_in_sight_has_no_sign_and_f8_reaches_it(host: Any, scene: Any) -> None:
    show_below(host, scene, 100)
    host.evaluate("() => document.querySelector('.other').focus()")
    asked(scene)
    host.wait(CARD)
    host.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    assert host.count(SIGN) == 0
    assert host.evaluate("() => document.activeElement.className") == "other"
    host.press("F8")
    host.wait_until("() => document.activeElement.matches('.aistream-approval')")


def test_f8_goes_from_one_question_to_the_next(host: Any, scene: Any) -> None:
    scene.show()
    asked(scene)
    scene.call("c2", "delete_file", '{"path": "b.txt"}')
    scene.ask("c2", "delete_file")
    host.wait(f"{CARD} >> nth=1")
    script = "() => document.activeElement.closest('[data-call]')?.dataset.call"
    seen: list[str] = []
    for _ in range(3):
        host.press("F8")
        seen.append(host.evaluate(script))
    assert seen == ["c1", "c2", "c1"]


def test_the_sign_goes_with_the_question_and_leaves_nothing(
    host: Any, scene: Any
) -> None:
    show_below(host, scene, 1500)
    asked(scene)
    host.wait(SIGN)
    scene.decide("c1", "deny", by="you")
    host.wait(SIGN, state="detached")
    assert host.count(".aistream-signs") == 0
    host.evaluate("() => document.body.focus()")
    before = host.evaluate("() => document.activeElement.tagName")
    host.press("F8")
    assert host.evaluate("() => document.activeElement.tagName") == before


def test_one_view_in_sight_is_enough(host: Any, scene: Any) -> None:
    show_below(host, scene, 100)
    scene.show()  # the second one comes last, far below
    asked(scene)
    host.wait(f"{CARD} >> nth=1")
    host.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    assert host.count(SIGN) == 0


def test_a_view_that_was_closed_takes_its_sign_with_it(host: Any, scene: Any) -> None:
    show_below(host, scene, 1500)
    asked(scene)
    host.wait(SIGN)
    host.evaluate("() => window.ends.forEach((end) => end())")
    host.wait(SIGN, state="detached")
    assert host.errors() == []
