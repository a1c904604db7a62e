"""Streaming is smooth: what one picture costs while 40 and 200 KB arrive.

What is counted is held tightly: nodes that came, went or changed. Clocks are wide,
since machines differ; their figures are printed.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Final

import pytest

pytestmark = pytest.mark.browser

MIX: Final = """\
## Section

A paragraph with **bold**, *emphasis*, `code` and a [link](https://example.org/a) that
goes on for a while, so that lines wrap and a reader has something to read.

- first item with some words
- second item with `code`
- third item, which is *longer* than the two before it

```python
def total(values: list[int]) -> int:
    return sum(value for value in values if value > 0)
```

| name | value | note |
|------|------:|------|
| one | 1 | first |
| two | 2 | second |

Then $x^2 + y^2 = z^2$ and more words to end the section.

"""
SHAPES: Final = {
    "mix": MIX * 80,
    "list": "- an item with `code` and **bold** words\n" * 1000,
    "code": "```js\n" + "const value = compute(1, 2, 3); // words\n" * 1000,
    "table": "| a | b |\n|---|---|\n" + "| a cell | another `cell` |\n" * 1500,
    "paragraph": "Words without an end, and then some more of them. " * 800,
}
PREPARE: Final = """(id) => {
  const model = host.models.get(id);
  const seq = { value: model.state._snapshot.seq };
  const tell = (...frames) =>
    model.emit("msg:custom", { type: "batch", seq: ++seq.value, frames }, []);
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      window.longest = Math.max(window.longest, duration);
  }).observe({ entryTypes: ["longtask"] });
  const run = { status: "running", error: null, can_send: true, can_stop: true,
    can_retry: false, notice: "" };
  tell({ type: "put-run", run },
    { type: "open-message", message: "m", role: "assistant" },
    { type: "open-part", message: "m", part: { kind: "text", text: "", done: false } });
  window.touched = [];
  const observer = new MutationObserver((records) =>
    window.touched.push(records.reduce(
      (sum, it) => sum + it.addedNodes.length + it.removedNodes.length
        + (it.type === "characterData"), 0)));
  const prose = { childList: true, characterData: true, subtree: true };
  const channel = new MessageChannel();
  const afterPaint = () => new Promise((done) => {
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  window.grow = async (text) => {
    await new Promise(requestAnimationFrame);
    tell({ type: "append-text", message: "m", part: 0, text });
    await afterPaint();
    observer.observe(document.querySelector(".aistream-prose"), prose);
  };
  window.end = async () => {
    tell({ type: "close-part", message: "m", part: 0, seconds: null });
    await new Promise((done) => setTimeout(done, 400));
    const { textContent } = document.querySelector(".aistream-prose");
    return [textContent.length, window.longest, window.touched];
  };
}"""
DELTA: Final = 5
DELTAS_A_FRAME: Final = 16


def stream(host: Any, scene: Any, text: str, step: int) -> dict[str, float]:
    """What each picture costs the main thread, in milliseconds of its own CPU time.

    A busy machine makes a task longer and not dearer, so this can be held to limits.
    """
    scene.show()
    return host.thread.run(measure(host.page, scene.widget.model_id, text, step))


async def measure(page: Any, model: str, text: str, step: int) -> dict[str, float]:
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    await page.evaluate(PREPARE, model)
    costs: list[float] = []
    before = await cpu(session)
    for at in range(0, len(text), step):
        await page.evaluate("(text) => grow(text)", text[at : at + step])
        now = await cpu(session)
        costs.append((now - before) * 1000)
        before = now
    shown, longest, touched = await page.evaluate("() => end()")
    rest = (await cpu(session) - before) * 1000
    costs.sort()
    return {
        "frames": len(costs),
        "p50": costs[len(costs) // 2],
        "p95": costs[int(len(costs) * 0.95)],
        "most": costs[-1],
        "total": sum(costs),
        "at the end": rest,
        "longest task (wall)": longest,
        "text": shown,
        "nodes, early": average(touched[5:105]),
        "nodes, late": average(touched[-100:]),
    }


def average(numbers: list[int]) -> float:
    return sum(numbers) / len(numbers)


async def cpu(session: Any) -> float:
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return next(it["value"] for it in metrics if it["name"] == "TaskDuration")


def show(name: str, figures: dict[str, float]) -> None:
    words = ", ".join(f"{key} {value:.1f}" for key, value in figures.items())
    sys.stdout.write(f"\n{name}: {words}\n")


@pytest.mark.parametrize("shape", SHAPES)
def test_forty_kilobytes_arrive_smoothly(host: Any, scene: Any, shape: str) -> None:
    figures = stream(host, scene, SHAPES[shape][:40_000], DELTA * DELTAS_A_FRAME)
    show(shape, figures)
    assert figures["text"] > 15_000
    assert 0 < figures["nodes, late"] <= figures["nodes, early"] * 1.1 + 1
    assert figures["p95"] < 30
    assert figures["most"] < 100
    assert host.errors() == []


def test_two_hundred_kilobytes_arrive_smoothly(host: Any, scene: Any) -> None:
    figures = stream(host, scene, (MIX * 400)[:200_000], 400)
    show("200 KB", figures)
    assert 0 < figures["nodes, late"] <= figures["nodes, early"] * 1.1 + 1
    assert figures["p95"] < 40


def test_what_is_far_from_the_end_is_left_out(host: Any, scene: Any) -> None:
    """A browser does not lay out or paint the stretches that nobody sees."""
    scene.start()
    scene.say(MIX * 60)
    scene.show()
    host.wait(".aistream-stretch")
    host.wait_until(f"() => {LEFT_OUT} > 5")
    stretches = host.count(".aistream-stretch")
    left_out = host.evaluate(f"() => {LEFT_OUT}")
    assert stretches > 10
    assert stretches - left_out < 8


LEFT_OUT: Final = """[...document.querySelectorAll(".aistream-stretch > :first-child")]
  .filter((it) => !it.checkVisibility({ contentVisibilityAuto: true })).length"""


TYPE: Final = """async () => {
  const field = document.querySelector(".aistream-composer textarea");
  field.focus();
  const costs = [];
  const channel = new MessageChannel();
  for (const letter of "some words that a person types") {
    await new Promise(requestAnimationFrame);
    const from = performance.now();
    document.execCommand("insertText", false, letter);
    await new Promise((done) => {
      channel.port1.onmessage = done;
      channel.port2.postMessage(0);
    });
    costs.push(performance.now() - from);
  }
  costs.sort((a, b) => a - b);
  return costs[Math.floor(costs.length * 0.9)];
}"""


def test_two_thousand_messages_leave_the_composer_quick(host: Any, scene: Any) -> None:
    messages = [
        {"id": f"m{n}", "role": ("user", "assistant")[n % 2], "content": f"{n}. {MIX}"}
        for n in range(2000)
    ]
    scene.receive("MESSAGES_SNAPSHOT", messages=messages)
    started = time.perf_counter()
    scene.show()
    host.wait(".aistream-composer textarea")
    opened = time.perf_counter() - started
    again = time.perf_counter()
    scene.show()
    second = time.perf_counter() - again
    typing = host.evaluate(TYPE)
    show("2,000 messages", {"first": opened, "second": second, "typing ms": typing})
    assert host.count(".aistream-turn") == 2000
    assert typing < 100
    assert second < 10
