"""A page that shows real widgets in a real browser, without a server or a kernel.

The comm of a widget is replaced by one that talks to a page, which hosts the bundle
as a notebook would. Playwright lives in a thread of its own, so that its event loop
does not get in the way of other tests.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import shutil
import threading
from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import comm
import pytest
from comm.base_comm import BaseComm
from playwright.async_api import Browser, Page, async_playwright

from aistream_nb.conversation import Conversation
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.transcript import Abilities, TranscriptWidget
from aistream_nb.widgets.wire import Action

HERE = Path(__file__).parent
ARTEFACTS = HERE.parent.parent / "artefacts"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class BrowserThread:
    """Runs coroutines of Playwright on its own loop, and waits for them."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5)
        self.loop.close()


class Host:
    """The page, as a test sees it: plain calls that wait for their end."""

    def __init__(self, thread: BrowserThread, page: Page) -> None:
        self.thread = thread
        self.page = page
        self.comms: dict[str, PageComm] = {}
        self._inbox: queue.Queue[tuple[str, Any]] = queue.Queue()

    async def prepare(self) -> None:
        await self.page.expose_binding(
            "toPython",
            lambda _source, comm_id, content: self._inbox.put((comm_id, content)),
        )
        await self.page.set_content((HERE / "host.html").read_text(encoding="utf-8"))
        await self.page.wait_for_function("() => !!window.host")

    def evaluate(self, script: str, argument: Any = None) -> Any:
        return self.thread.run(self.page.evaluate(script, argument))

    def pump(self) -> None:
        """Hand what the page sent to the widgets."""
        self.evaluate("() => 0")
        while not self._inbox.empty():
            comm_id, content = self._inbox.get()
            data = {"method": "custom", "content": content}
            message = {"content": {"comm_id": comm_id, "data": data}, "buffers": []}
            if comm_id in self.comms:
                self.comms[comm_id].handle_msg(message)

    def show(self, widget: Any) -> None:
        self.evaluate("(id) => host.show(id)", widget.model_id)
        self.pump()

    def click(self, selector: str) -> None:
        self.thread.run(self.page.click(selector, timeout=5000))
        self.pump()

    def fill(self, selector: str, text: str) -> None:
        self.thread.run(self.page.fill(selector, text, timeout=5000))

    def press(self, key: str) -> None:
        self.thread.run(self.page.keyboard.press(key))
        self.pump()

    def text(self, selector: str) -> str:
        return self.thread.run(self.page.inner_text(selector, timeout=5000))

    def count(self, selector: str) -> int:
        return self.thread.run(self.page.locator(selector).count())

    def wait(self, selector: str, *, state: Any = "visible") -> None:
        self.thread.run(
            self.page.wait_for_selector(selector, state=state, timeout=8000)
        )

    def wait_until(self, script: str, argument: Any = None) -> None:
        self.thread.run(self.page.wait_for_function(script, arg=argument, timeout=8000))

    def resize(self, width: int, height: int = 900) -> None:
        self.thread.run(self.page.set_viewport_size({"width": width, "height": height}))

    def dark(self, *, on: bool) -> None:
        self.evaluate(
            "(on) => document.documentElement.classList.toggle('dark', on)", on
        )

    def picture(self, name: str) -> None:
        ARTEFACTS.mkdir(exist_ok=True)
        path = str(ARTEFACTS / f"{name}.png")
        self.thread.run(self.page.screenshot(path=path, full_page=True))

    def requests(self) -> list[str]:
        """Every address that the page asks for from now on."""
        seen: list[str] = []

        async def watch() -> None:
            self.page.on("request", lambda request: seen.append(request.url))

        self.thread.run(watch())
        return seen

    def errors(self) -> list[str]:
        return self.evaluate("() => window.errors")


class PageComm(BaseComm):
    """A comm whose other end is the page."""

    def __init__(self, host: Host, *args: Any, **options: Any) -> None:
        self.host = host
        super().__init__(*args, **options)

    def publish_msg(
        self,
        msg_type: str,
        data: Any = None,
        *_more: Any,
        **_keys: Any,
    ) -> None:
        plain = json.loads(json.dumps(data or {}))
        if msg_type == "comm_open":
            self.host.comms[self.comm_id] = self
            if "_esm" in plain["state"]:
                self.host.evaluate(
                    "([id, state]) => host.open(id, state)",
                    [self.comm_id, plain["state"]],
                )
        elif msg_type == "comm_msg":
            self.host.evaluate(
                "([id, data]) => host.receive(id, data)", [self.comm_id, plain]
            )


PATH = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "keep_copy": {"type": "boolean"}},
    "required": ["path"],
    "additionalProperties": False,
}
TOOLS = [
    {
        "name": "delete_file",
        "parameters": PATH,
        "metadata": {"aistream": {"annotations": {"destructiveHint": True}}},
    },
    {
        "name": "list_files",
        "parameters": {"type": "object"},
        "metadata": {
            "aistream": {"annotations": {"readOnlyHint": True, "openWorldHint": True}}
        },
    },
]


class Scene:
    """A conversation on a page, driven event by event."""

    def __init__(self, host: Host | None = None, **options: Any) -> None:
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
        assert self.host is not None
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

    def result(self, call_id: str, content: str, *, failed: bool = False) -> None:
        metadata = {"aistream": {"isError": True}} if failed else {}
        self.receive(
            "TOOL_CALL_RESULT",
            toolCallId=call_id,
            messageId=f"r-{call_id}",
            content=content,
            metadata=metadata,
        )

    def think(self, text: str, message: str = "m0") -> None:
        self.receive("REASONING_START", messageId=message)
        self.receive("REASONING_MESSAGE_START", messageId=message, role="reasoning")
        self.receive("REASONING_MESSAGE_CONTENT", messageId=message, delta=text)

    def stop_thinking(self, message: str = "m0") -> None:
        self.receive("REASONING_MESSAGE_END", messageId=message)
        self.receive("REASONING_END", messageId=message)

    def finish(self) -> None:
        self.receive("RUN_FINISHED", threadId="t", runId="r1")


@pytest.fixture(scope="session")
def browser() -> Iterator[tuple[BrowserThread, Browser]]:
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.fail("These tests need Chromium: apt-get install chromium")
    thread = BrowserThread()

    async def start() -> tuple[Any, Browser]:
        playwright = await async_playwright().start()
        browser = await playwright.chromium.launch(
            executable_path=program, args=ARGUMENTS
        )
        return playwright, browser

    playwright, browser = thread.run(start())
    yield thread, browser
    thread.run(browser.close())
    thread.run(playwright.stop())
    thread.close()


@pytest.fixture
def host(
    browser: tuple[BrowserThread, Browser], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Host]:
    thread, chromium = browser
    page = thread.run(chromium.new_page(viewport={"width": 900, "height": 900}))
    made = Host(thread, page)
    thread.run(made.prepare())
    monkeypatch.setattr(
        comm, "create_comm", lambda *args, **options: PageComm(made, *args, **options)
    )
    yield made
    thread.run(page.close())


@pytest.fixture
def scene(host: Host) -> Iterator[Scene]:
    made = Scene(host)
    yield made
    made.widget.close()
    host.pump()
