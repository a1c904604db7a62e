"""Every state of every card: pictures to look at, and an audit of each.

The pictures go to ``artefacts/``, light and dark, wide and narrow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = pytest.mark.browser

AXE: Final = Path(__file__).parents[2] / "js/node_modules/axe-core/axe.min.js"
PIXEL: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk"
    "YPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
)
ANSWER: Final = """\
I looked at **three** folders and found `42` files. The largest are old logs[^1].

## What I would keep

| file | size | kept |
|:-----|-----:|:----:|
| `notes/plan.md` | 4,210 | yes |
| `logs/2021.log` | 88,100,200 | no |

1. Everything under `notes/`,
   - also the drafts,
   - and *their* images.
2. The newest log.

> A file that nobody opened for a year is not missed.

```python
from pathlib import Path

def total(folder: Path) -> int:
    # Links are counted once.
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
```

The mean size is $\\bar{x} = \\frac{1}{n}\\sum_{i=1}^{n} x_i$, see
[the manual](https://example.org/manual) or https://example.org/a?b=1.

$$\\int_0^1 x^2\\,dx = \\tfrac13$$

![A chart](https://example.org/chart.png)
"""


def writing(scene: Any) -> None:
    scene.start()
    scene.think("The person wants the folder tidy. I should look before I delete. " * 6)
    scene.stop_thinking()
    scene.say("I will look at what is there. Then I will **ask before")


def thinking(scene: Any) -> None:
    scene.start()
    scene.think(
        "The person wants the folder tidy.\nI should look before I delete. " * 9
    )


def arguments(scene: Any) -> None:
    scene.start()
    scene.say("First a look.")
    scene.receive(
        "TOOL_CALL_START",
        toolCallId="c1",
        toolCallName="list_files",
        parentMessageId="m1",
    )
    text = (
        '{"folder": "scratch", "filters": {"older_than_days": 30, "kinds": ["log", "t'
    )
    scene.receive("TOOL_CALL_ARGS", toolCallId="c1", delta=text)


def asking(scene: Any) -> None:
    scene.start()
    scene.say("Two files look useless.")
    scene.call("c1", "delete_file", '{"path": "scratch/a.txt", "keep_copy": true}')
    scene.call("c2", "list_files", '{"folder": "scratch"}')
    scene.ask("c1", "delete_file")
    scene.ask("c2", "list_files")


def denying(scene: Any) -> None:
    asking(scene)
    scene.host.wait("text=Deny…")
    scene.host.click("text=Deny… >> nth=0")
    scene.host.fill(".aistream-step input", "not this folder")


def editing(scene: Any) -> None:
    asking(scene)
    scene.host.wait("text=Edit…")
    scene.host.click("text=Edit… >> nth=0")
    scene.host.fill(".aistream-step textarea", '{"path": 3, "force": true}')


TRACE: Final = (
    "Traceback (most recent call last):\n"
    '  File "tools.py", line 12, in delete_file\n    os.remove(path)\n'
    "FileNotFoundError: [Errno 2] No such file or directory: 'scratch/b.txt'"
)


def outcomes(scene: Any) -> None:
    scene.start()
    names = ["done", "records", "denied", "failed", "picture", "text", "stopped"]
    scene.say("Here is what came of it.")
    for name in names:
        scene.call(name, "delete_file", json.dumps({"path": f"scratch/{name}.txt"}))
    scene.ask("done", "delete_file")
    scene.decide("done", "proceed", by="you", arguments={"path": "scratch/done.md"})
    scene.custom("aistream:executing", {"toolCallId": "text"})
    scene.result("done", '{"deleted": true, "freed": {"bytes": 4210, "files": ["a"]}}')
    rows = [{"file": f"log-{n}", "bytes": n * 1031, "kept": n > 1} for n in range(4)]
    scene.result("records", json.dumps(rows))
    scene.ask("denied", "delete_file")
    scene.decide("denied", "deny", by="you", reason="not this folder")
    scene.result("failed", TRACE, failed=True)
    scene.result("picture", PIXEL)
    scene.receive("RUN_ERROR", message="The provider broke off: overloaded")


def answered(scene: Any) -> None:
    scene.start()
    scene.think("I should look before I answer.")
    scene.stop_thinking()
    scene.say(ANSWER)
    scene.custom(
        "aistream:round",
        {"round": 1, "model": "m", "usage": {"inputTokens": 812, "outputTokens": 431}},
    )
    scene.finish()
    scene.host.wait(".aistream-footer")
    scene.host.pump()


def gone(scene: Any) -> None:
    asking(scene)
    scene.host.evaluate("(id) => host.kill(id)", scene.widget.model_id)
    scene.host.wait(".aistream-bar")


STATES: Final[dict[str, Callable[[Any], None]]] = {
    "writing": writing,
    "thinking": thinking,
    "arguments": arguments,
    "asking": asking,
    "denying": denying,
    "editing": editing,
    "outcomes": outcomes,
    "answered": answered,
    "gone": gone,
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_looks_right_and_passes_the_audit(
    host: Any, scene: Any, name: str
) -> None:
    scene.show()
    STATES[name](scene)
    host.evaluate(UNROLL)
    for width, size in ((900, "wide"), (360, "narrow")):
        host.resize(width)
        for dark in (False, True):
            host.dark(on=dark)
            host.picture(f"{name}-{size}-{'dark' if dark else 'light'}")
            assert audit(host) == []
    assert host.errors() == []


UNROLL: Final = """() => {
  const style = document.createElement("style");
  style.textContent = ".aistream-scroll { max-height: none !important }";
  document.head.append(style);
  return new Promise((done) => setTimeout(done, 150));
}"""


def audit(host: Any) -> list[str]:
    """What axe-core finds that is serious or worse."""
    host.evaluate(AXE.read_text(encoding="utf-8") + "; void 0")
    found = host.evaluate("() => axe.run(document.querySelector('main'))")
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]
