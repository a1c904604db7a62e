"""What a stranger made is opened in JupyterLab: no tool runs, and nobody is visited.

A server on loopback stands for every remote place, and each address in the recording
and in the notebook is one of its own: in text, in markdown and HTML, in arguments,
results, errors and names. It must hear nothing, whether the recording is played, shown
as static HTML, exported, or lies as output in a notebook that is opened and run.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from chromium import PlaywrightThread
from lab import LabServer, NotebookPage, notebook_of
from playwright.async_api import Browser

import aistream_nb as ai
from aistream_nb import export
from aistream_nb.recording import Recording

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

Open = Callable[..., NotebookPage]


@dataclass
class Canary:
    """A place that nobody may visit, and who came."""

    url: str
    came: list[str] = field(default_factory=list[str])


@pytest.fixture
def canary() -> Iterator[Canary]:
    made = Canary("")

    class Place(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.came.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 # as it is called there
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Place)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()


def lures(url: str) -> list[str]:
    """Texts that load something where they are rendered as more than text."""
    return [
        f"![picture]({url}/markdown.png) [link]({url}/link)",
        f"![ref]\n\n[ref]: {url}/reference.png",
        f'<img src="{url}/img.png" srcset="{url}/set.png 2x"><img/src={url}/slash.png>',
        f'<link rel="stylesheet" href="{url}/css"><link rel=preload href={url}/pre>',
        f"<style>@import url({url}/import); p{{background:url({url}/bg)}}</style>",
        f'<iframe src="{url}/frame"></iframe><object data="{url}/object"></object>',
        f'<script src="{url}/script.js"></script><video poster="{url}/poster"></video>',
        f'<svg><image href="{url}/svg.png"/><use href="{url}/use.svg#a"/></svg>',
        f'<meta http-equiv="refresh" content="0;url={url}/refresh">',
        f'<p style="background:url({url}/style)">x</p><body background="{url}/body">',
        f"$$\\href{{{url}/math}}{{x}} \\includegraphics{{{url}/tex.png}}$$",
        f"```html\n<img src={url}/fence.png>\n```",
        f"| a |\n|---|\n| ![]({url}/cell.png) |",
    ]


def events_of_a_stranger(url: str) -> Iterator[dict[str, Any]]:
    """A run with a lure wherever text can stand, in which everything was allowed."""
    tool = {
        "name": "spy",
        "description": f"![]({url}/tool.png)",
        "parameters": {"$ref": f"{url}/schema.json", "$schema": f"{url}/meta.json"},
    }
    run: dict[str, Any] = {"threadId": "t", "runId": "r"}
    question = {"id": "q", "role": "user", "content": "\n\n".join(lures(url))}
    yield {
        "type": "RUN_STARTED",
        **run,
        "input": {**run, "messages": [question], "tools": [tool]},
    }
    for number, lure in enumerate(lures(url)):
        of = {"messageId": f"m{number}"}
        call = {"toolCallId": f"c{number}"}
        yield {"type": "REASONING_MESSAGE_START", "messageId": f"h{number}"}
        yield {
            "type": "REASONING_MESSAGE_CONTENT",
            "messageId": f"h{number}",
            "delta": lure,
        }
        yield {"type": "REASONING_MESSAGE_END", "messageId": f"h{number}"}
        yield {"type": "TEXT_MESSAGE_START", "role": "assistant", **of}
        yield {"type": "TEXT_MESSAGE_CONTENT", "delta": lure, **of}
        yield {"type": "TEXT_MESSAGE_END", **of}
        yield {"type": "TOOL_CALL_START", "toolCallName": "spy", **call}
        arguments = json.dumps({"url": f"{url}/argument", "html": lure})
        yield {"type": "TOOL_CALL_ARGS", "delta": arguments, **call}
        yield {"type": "TOOL_CALL_END", **call}
        decided = {"decision": "proceed", "by": f"{url}/by", **call}
        yield {"type": "CUSTOM", "name": "aistream:decision", "value": decided}
        result = {"messageId": f"r{number}", "content": json.dumps([{"page": lure}])}
        yield {"type": "TOOL_CALL_RESULT", **result, **call}
        yield {"type": "RAW", "event": {"$ref": f"{url}/raw", "html": lure}}
    yield {"type": "STATE_SNAPSHOT", "snapshot": {"html": lures(url)}}
    yield {"type": "RUN_ERROR", "message": f"see {url}/error ![]({url}/error.png)"}


OPEN = """
import aistream_nb as ai
ran = []
@ai.tool
def spy(url: str = "", html: str = "") -> str:
    "Would be run."
    ran.append(url)
    return "ran"
"""
PLAY = """
player = ai.Player("stranger.jsonl")
player.seek(10**6)
player
"""
LOOK = """
inspector = ai.Inspector("stranger.jsonl")
inspector.seek(10**6)
inspector
"""
SHOW = """
from IPython.display import HTML, Markdown
from aistream_nb import export
ai.Recording.load("stranger.jsonl")
"""
STATIC = "HTML(export.to_html(ai.Recording.load('stranger.jsonl')))"
RAN = "print('tools that ran:', ran)"


@pytest.fixture
def recording(canary: Canary, lab: LabServer) -> Recording:
    made = Recording.of(events_of_a_stranger(canary.url))
    made.save(lab.work / "stranger.jsonl")
    return made


def rest(page: NotebookPage) -> None:
    """Let the page draw, and let it ask for whatever it would."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 500))")
    page.evaluate(
        "() => document.querySelectorAll('details').forEach((it) => { it.open = true })"
    )
    page.evaluate("() => new Promise((done) => setTimeout(done, 500))")


def test_playing_looking_and_showing_visits_nobody(
    open_notebook: Open, recording: Recording, canary: Canary
):
    page = open_notebook(notebook_of([OPEN, PLAY, LOOK, SHOW, STATIC, RAN]))
    page.run_all()
    page.wait_for_output(5, "tools that ran:")
    page.wait_for(".aistream-prose")
    rest(page)
    page.picture("strangers-recording")
    assert page.output(5).strip() == "tools that ran: []"
    assert canary.came == []
    assert page.our_errors() == []


def test_a_strangers_notebook_visits_nobody_and_runs_nothing(
    open_notebook: Open, recording: Recording, canary: Canary, lab: LabServer
):
    """Opened and not run: its outputs are all that is there, and a forged live view."""
    conversation = ai.Player(recording)
    conversation.seek(len(recording))
    forms = conversation._repr_mimebundle_()
    marker = lab.work / "ran"
    marker.unlink(missing_ok=True)
    notebook = notebook_of([f"open({str(marker)!r}, 'w')", "chat"])
    view = {"version_major": 2, "version_minor": 0, "model_id": "forged"}
    notebook.cells[1].outputs = [
        nbformat.v4.new_output(
            "display_data",
            {**forms, "application/vnd.jupyter.widget-view+json": view},
        )
    ]
    plain = {"text/plain": forms["text/plain"], "text/html": forms["text/html"]}
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", plain)]
    page = open_notebook(notebook)
    page.wait_for(".jp-OutputArea-output")
    rest(page)
    page.picture("strangers-notebook")
    assert "picture" in page.output(0)
    assert not marker.exists()
    assert canary.came == []


def test_the_exports_of_a_strangers_recording_visit_nobody(
    lab_browser: tuple[PlaywrightThread, Browser],
    recording: Recording,
    canary: Canary,
    tmp_path: Path,
):
    """The page also without the policy that forbids it to load anything."""
    thread, browser = lab_browser
    html = export.to_html(recording)
    assert canary.url in html
    bare = html.replace("Content-Security-Policy", "x-nothing")
    assert bare != html
    for name, text in (("whole", html), ("bare", bare)):
        path = tmp_path / f"{name}.html"
        path.write_text(text, "utf-8")
        page = thread.run(browser.new_page())
        thread.run(page.goto(path.as_uri(), wait_until="networkidle"))
        thread.run(page.close())
    assert canary.came == []


def test_the_notebook_of_a_strangers_recording_visits_nobody(
    open_notebook: Open, recording: Recording, canary: Canary
):
    notebook: Any = nbformat.reads(export.to_notebook(recording), as_version=4)
    assert canary.url in str(notebook.cells)
    page = open_notebook(notebook)
    page.wait_for(".jp-RenderedMarkdown")
    rest(page)
    page.picture("strangers-story")
    assert canary.came == []
    page.evaluate("(url) => { new Image().src = url }", f"{canary.url}/sign")
    page.wait_until(lambda: bool(canary.came))  # so that silence means something
    assert canary.came == ["/sign"]
