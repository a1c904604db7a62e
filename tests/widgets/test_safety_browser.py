"""Model output is data: ninety attacks in every place where text can stand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import aistream_nb as ai
from aistream_nb.core.invocation.ledger import Ledger, LedgerRow
from aistream_nb.inspector import Inspector
from aistream_nb.recording import Recording
from aistream_nb.widgets.inspector import InspectorWidget
from aistream_nb.widgets.ledger import LedgerWidget
from aistream_nb.widgets.ledger_forms import ledger_html
from aistream_nb.widgets.pulse import Pulse
from aistream_nb.widgets.static_html import to_html, to_text

pytestmark = pytest.mark.browser

ATTACKS: Final[list[str]] = json.loads(
    (Path(__file__).parent / "data" / "xss.json").read_text(encoding="utf-8")
)
LOOK: Final = """(scope) => {
  const bad = [];
  const root = document.querySelector(scope);
  const tags = "script,iframe,object,embed,style,link,meta,base,form[action],template";
  for (const element of root.querySelectorAll(tags)) bad.push(element.outerHTML);
  for (const element of root.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) bad.push(`${name}=${value}`);
      const address = /^(href|src|action|formaction|xlink:href|srcset)$/.test(name);
      const safe = /^(https?:|mailto:|data:image\\/(png|jpe?g|gif|webp|avif);)/i;
      if (address && !safe.test(value)) bad.push(`${name}=${value}`);
      if (name === "src" && /^https?:/i.test(value)) bad.push(`loads ${value}`);
      const styled = /url\\(|expression|position:(?! *relative)/i;
      if (name === "style" && styled.test(value)) bad.push(value);
    }
    const rel = element.getAttribute("rel") ?? "";
    const link = element.localName === "a";
    if (link && !rel.includes("noopener")) bad.push("a without rel");
  }
  for (const element of root.querySelectorAll("*"))
    if (element.id && !element.id.startsWith("aistream")) bad.push(`id ${element.id}`);
  return bad;
}"""
POKE: Final = """(scope) => {
  addEventListener("click", (event) => {
    if (event.target.closest?.("a")) event.preventDefault();
  }, true);
  const hit = "a,summary,th,td,p,span,div,code,math,mi,mrow";
  for (const element of document.querySelectorAll(`${scope} :is(${hit})`)) {
    for (const kind of ["click", "mouseover", "focus", "toggle"])
      element.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }));
  }
  return new Promise((done) => setTimeout(() => done(globalThis.__hit), 100));
}"""


def attack(scene: Any, number: int, text: str) -> None:
    """Put one text everywhere."""
    message, call = f"m{number}{text}", f"c{number}{text}"
    scene.receive(
        "RUN_STARTED",
        threadId=text,
        runId=text,
        input={
            "messages": [{"id": f"u{number}{text}", "role": "user", "content": text}],
            "tools": [{"name": text, "parameters": {"title": text, "enum": [text]}}],
        },
    )
    scene.think(text, message=f"t{number}")
    scene.stop_thinking(message=f"t{number}")
    scene.say(text, message=message)
    arguments = json.dumps({text: text, "deep": [{text: [text]}]})
    scene.call(call, text, arguments, message=message)
    scene.call(call + "r", text, text, message=message)
    scene.call(call + "e", text, arguments, message=message)
    scene.call(call + "d", text, arguments, message=message)
    scene.call(call + "a", text, arguments, message=message)
    scene.result(call, json.dumps([{text: text, "n": 1}]))
    scene.result(call + "r", text)
    scene.result(call + "e", f"Traceback\n{text}\n{text}", failed=True)
    scene.decide(call + "d", "deny", by=text, reason=text)
    scene.ask(call + "a", text)


def test_nothing_runs_or_loads_in_the_live_view(host: Any, scene: Any) -> None:
    requests = host.requests()
    scene.show()
    for number, text in enumerate(ATTACKS):
        attack(scene, number, text)
    attack(scene, len(ATTACKS), "A formula that is none: $x^2$")
    scene.receive("RUN_ERROR", message=ATTACKS[1])
    host.pump()
    host.wait_until("() => document.querySelector('math')")
    assert host.count(".aistream-call") >= 5 * (len(ATTACKS) + 1)
    assert host.evaluate(LOOK, "main") == []
    assert host.evaluate(POKE, "main") is None
    assert host.evaluate("() => document.querySelectorAll('main img').length") == 0
    assert [url for url in requests if not url.startswith(("blob:", "data:"))] == []
    assert host.errors() == []


def test_nothing_runs_or_loads_in_the_static_form(host: Any, scene: Any) -> None:
    for number, text in enumerate(ATTACKS):
        attack(scene, number, text)
    html = to_html(scene.conversation)
    requests = host.requests()
    page = f"<!doctype html><meta charset=utf-8><main>{html}</main>"
    host.thread.run(host.page.set_content(page))
    assert host.evaluate(LOOK, "main") == []
    assert host.evaluate(POKE, "main") is None
    assert requests == []
    assert all(
        text.split("\n")[0] in to_text(scene.conversation) for text in ATTACKS[:30]
    )


def test_a_remote_image_loads_on_a_click_and_not_before(host: Any, scene: Any) -> None:
    requests = host.requests()
    scene.show()
    scene.start()
    scene.say("![a chart](https://127.0.0.1:9/chart.png)")
    host.wait("text=Load image from 127.0.0.1:9")
    assert not any("chart" in url for url in requests)
    host.click("text=Load image from 127.0.0.1:9")
    host.wait_until("() => document.querySelector('main img')")
    assert any("chart" in url for url in requests)


PAGE: Final = """<div onclick="ran()" id="main" class="jp-Cell" style="position:fixed">
<h2>Report</h2><script>window.ran = 1</script><style>body { display: none }</style>
<table><tr><th>a</th></tr><tr><td onmouseover="ran()">1</td></tr></table>
<img src="http://127.0.0.1:9/spy.png" alt="a spy"><img src=x onerror="window.ran = 1">
<a href="javascript:window.ran=1">no</a> <a href="https://example.org/a">yes</a>
<form action="http://127.0.0.1:9/"><input name="q"><button>Go</button></form>
<iframe src="http://127.0.0.1:9/"></iframe><svg onload="window.ran = 1"></svg>
<object data="http://127.0.0.1:9/"></object><math><mtext></mtext></math>
<details open ontoggle="window.ran = 1"><summary>more</summary>text</details></div>"""


def test_html_is_a_page_on_request_and_nothing_runs_or_loads(
    host: Any, scene: Any
) -> None:
    requests = host.requests()
    scene.show()
    scene.start()
    scene.call("c1", "report", "{}")
    scene.result("c1", PAGE)
    assert host.count(".aistream-page") == 0
    assert "<h2>Report</h2>" in host.text(".aistream-plain")
    host.click("text=Show as a page")
    host.wait(".aistream-page h2")
    host.picture("page")
    assert host.evaluate(LOOK, ".aistream-page") == []
    assert host.evaluate(POKE, ".aistream-page") is None
    forbidden = "script, style, img, form, input, button, iframe, svg, object, [id],"
    forbidden += "[class], [style], [name]"
    assert host.count(f".aistream-page :is({forbidden})") == 0
    assert "[a spy]" in host.text(".aistream-page")
    links = "() => [...document.querySelectorAll('.aistream-page a')]"
    assert host.evaluate(links + ".map((it) => [it.getAttribute('href'), it.rel])") == [
        [None, "noopener noreferrer nofollow"],
        ["https://example.org/a", "noopener noreferrer nofollow"],
    ]
    assert requests == []
    assert host.evaluate("() => window.ran") is None
    host.click("text=Show the source")
    assert host.count(".aistream-page") == 0


@pytest.mark.parametrize("number", range(0, len(ATTACKS), 8))
def test_no_attack_survives_as_a_page(host: Any, scene: Any, number: int) -> None:
    requests = host.requests()
    scene.show()
    scene.start()
    html = "".join(f"<p>{text}</p>" for text in ATTACKS[number : number + 8])
    scene.call("c1", "report", "{}")
    scene.result("c1", f"<div>{html}</div>")
    host.click("text=Show as a page")
    host.wait(".aistream-page")
    assert host.evaluate(LOOK, ".aistream-page") == []
    assert host.evaluate(POKE, ".aistream-page") is None
    assert [url for url in requests if not url.startswith(("blob:", "data:"))] == []


# What else is shown of a stream: events, findings, differences, tables.


class Writer:
    """Takes down what a scene would tell its conversation."""

    def __init__(self, scene: Any) -> None:
        self.events: list[dict[str, Any]] = []
        scene.receive = self.receive

    def receive(self, kind: str, **fields: Any) -> None:
        self.events.append({"type": kind, **fields})


def attacks(scene: Any) -> list[dict[str, Any]]:
    writer = Writer(scene)
    for number, text in enumerate(ATTACKS):
        attack(scene, number, text)
        # What breaks a rule is told of with its ids, and unknown types by name.
        writer.events.append({"type": text, "id": text, text: [text]})
        writer.events.append(
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"x{text}", "delta": text}
        )
        writer.events.append({"type": "STATE_SNAPSHOT", "snapshot": {text: text}})
        writer.events.append({"type": "RUN_ERROR", "message": text, "code": text})
    return writer.events


def of_inspector(events: list[dict[str, Any]]) -> str:
    inspector = Inspector(events)
    inspector.seek(len(inspector))
    return inspector._repr_mimebundle_()["text/html"]


def of_player(events: list[dict[str, Any]]) -> str:
    player = ai.Player(Recording.of(events))
    player.seek(len(events))
    return player._repr_mimebundle_()["text/html"]


def of_report(events: list[dict[str, Any]]) -> str:
    return ai.check_ordering(events)._repr_html_()


def of_recording(events: list[dict[str, Any]]) -> str:
    return Recording.of(events)._repr_html_()


def of_difference(events: list[dict[str, Any]]) -> str:
    one, other = Recording.of(events), Recording.of(events[::2])
    return one.diff(other)._repr_html_()


def ledger_rows() -> tuple[LedgerRow, ...]:
    return tuple(LedgerRow(1, it, it, (it,), it, 1, it) for it in ATTACKS)


def of_ledger(_events: list[dict[str, Any]]) -> str:
    return Ledger(ledger_rows())._repr_html_()


def of_chat_ledger(_events: list[dict[str, Any]]) -> str:
    return ledger_html(ledger_rows())


FORMS: Final = (
    of_inspector,
    of_player,
    of_report,
    of_recording,
    of_difference,
    of_ledger,
    of_chat_ledger,
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_nothing_runs_or_loads_in_a_static_form(
    host: Any, scene: Any, form: Callable[[list[dict[str, Any]]], str]
) -> None:
    html = form(attacks(scene))
    assert "__hit" in html
    requests = host.requests()
    page = f"<!doctype html><meta charset=utf-8><main>{html}</main>"
    host.thread.run(host.page.set_content(page))
    assert host.evaluate(LOOK, "main") == []
    assert host.evaluate(POKE, "main") is None
    assert requests == []


def test_nothing_runs_or_loads_in_a_live_inspector(host: Any, scene: Any) -> None:
    requests = host.requests()
    events = attacks(scene)
    inspector = Inspector(events)
    inspector._widget = InspectorWidget(
        inspector, on_action=inspector._act, pulse=Pulse(interval=0)
    )
    host.show(inspector._widget)
    host.wait(".aistream-events")
    host.evaluate("() => document.querySelector('.aistream-events').focus()")
    for position in range(0, len(events), 397):
        inspector.seek(position)
        host.pump()
        host.press("ArrowDown")
        assert host.evaluate(LOOK, "main") == []
    assert host.evaluate(POKE, "main") is None
    assert [url for url in requests if not url.startswith(("blob:", "data:"))] == []
    assert host.errors() == []
    inspector._widget.close()


def test_nothing_runs_or_loads_in_a_live_ledger(host: Any) -> None:
    requests = host.requests()
    ledger = LedgerWidget(ledger_rows, pulse=Pulse(interval=0))
    host.show(ledger)
    host.wait_until("() => document.querySelectorAll('main tr').length > 90")
    assert host.evaluate(LOOK, "main") == []
    assert host.evaluate(POKE, "main") is None
    assert [url for url in requests if not url.startswith(("blob:", "data:"))] == []
    assert host.errors() == []
    ledger.close()
