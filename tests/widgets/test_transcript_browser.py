"""The transcript in a real browser: what a person sees, and what their clicks do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from aistream_nb.conversation import Conversation
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.transcript import Abilities, TranscriptWidget
from aistream_nb.widgets.wire import Action

pytestmark = pytest.mark.browser

PATH = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
}
TOOLS = [
    {
        "name": "delete_file",
        "parameters": PATH,
        "metadata": {"annotations": {"destructiveHint": True}},
    },
    {"name": "list_files", "parameters": {"type": "object"}},
]


class Scene:
    """A conversation on a page, driven event by event."""

    def __init__(self, host: Any, **options: Any) -> None:
        self.host = host
        self.actions: list[Action] = []
        self.refusal = ""
        self.conversation = Conversation()
        self.widget = TranscriptWidget(
            self.conversation,
            on_action=self._act,
            abilities=Abilities(send=True, stop=True, retry=True),
            pulse=Pulse(interval=0),
            **options,
        )

    def _act(self, action: Action) -> str:
        self.actions.append(action)
        return self.refusal

    def show(self) -> None:
        self.host.show(self.widget)

    def receive(self, kind: str, **fields: Any) -> None:
        self.conversation.receive({"type": kind, **fields})

    def custom(self, name: str, value: Mapping[str, Any]) -> None:
        self.receive("CUSTOM", name=name, value=value)

    def start(
        self, question: str = "Tidy the scratch folder.", number: int = 1
    ) -> None:
        message = {"id": f"u{number}", "role": "user", "content": question}
        self.receive(
            "RUN_STARTED",
            threadId="t",
            runId=f"r{number}",
            input={"messages": [message], "tools": TOOLS},
        )

    def say(self, text: str, message: str = "m1") -> None:
        self.receive("TEXT_MESSAGE_START", messageId=message, role="assistant")
        self.receive("TEXT_MESSAGE_CONTENT", messageId=message, delta=text)

    def call(
        self, call_id: str, name: str, arguments: str, message: str = "m1"
    ) -> None:
        self.receive(
            "TOOL_CALL_START",
            toolCallId=call_id,
            toolCallName=name,
            parentMessageId=message,
        )
        self.receive("TOOL_CALL_ARGS", toolCallId=call_id, delta=arguments)
        self.receive("TOOL_CALL_END", toolCallId=call_id)

    def ask(self, call_id: str, name: str) -> None:
        approval = {"id": f"a-{call_id}", "needsApproval": True}
        value = {"toolCallId": call_id, "toolName": name, "approval": approval}
        self.custom("approval-requested", value)

    def decide(self, call_id: str, decision: str, **more: Any) -> None:
        value = {
            "toolCallId": call_id,
            "approvalId": f"a-{call_id}",
            "decision": decision,
            **more,
        }
        self.custom("aistream:decision", value)

    def finish(self) -> None:
        self.receive("RUN_FINISHED", threadId="t", runId="r1")


def test_text_grows_on_the_page_and_a_click_reaches_python(host: Any) -> None:
    scene = Scene(host)
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
