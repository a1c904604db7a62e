"""The transcript in a real browser: what a person sees, and what their clicks do."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_text_grows_on_the_page_and_a_click_reaches_python(
    host: Any, scene: Any
) -> None:
    scene.show()
    assert scene.widget.watched
    scene.start()
    scene.say("I will **look")
    host.wait_until("() => document.body.innerText.includes('I will **look')")
    scene.receive("TEXT_MESSAGE_CONTENT", messageId="m1", delta="** first.")
    host.wait_until("() => document.querySelector('strong')?.textContent === 'look'")
    scene.call("c1", "delete_file", '{"path": "scratch/a.txt"}')
    scene.ask("c1", "delete_file")
    host.wait(".aistream-approval")
    host.picture("approval-light")
    host.click("text=Approve delete_file")
    (action,) = scene.actions
    assert action.type == "decide"
    assert (action.call, action.decision) == ("c1", "proceed")
    scene.decide("c1", "proceed", by="you")
    host.wait(".aistream-approval", state="detached")
    assert host.errors() == []
