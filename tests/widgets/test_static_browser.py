"""The static form as a page shows it; the pictures are kept to be looked at."""

from __future__ import annotations

from typing import Any

import pytest

from aistream_nb.widgets.static_html import to_html

pytestmark = pytest.mark.browser


def test_the_static_form_reads_well_light_and_dark(host: Any, scene: Any) -> None:
    scene.start()
    scene.think("I should look before I delete.")
    scene.stop_thinking()
    scene.say("I looked at **three** files.\n\n| file | size |\n|---|--:|\n| a | 1 |\n")
    for name in ("done", "records", "denied", "failed"):
        scene.call(name, "delete_file", f'{{"path": "scratch/{name}.txt"}}')
    scene.ask("done", "delete_file")
    scene.decide("done", "proceed", by="you")
    scene.result("done", '{"deleted": true, "freed": {"bytes": 4210}}')
    scene.result("records", '[{"file": "a", "bytes": 1}, {"file": "b", "bytes": 2}]')
    scene.ask("denied", "delete_file")
    scene.decide("denied", "deny", by="you", reason="not this folder")
    scene.result("failed", "Traceback\nFileNotFoundError: no such file", failed=True)
    scene.say("```python\nprint('done')\n```\n", message="m2")
    scene.finish()
    script = "(html) => { document.querySelector('main').innerHTML = html }"
    host.evaluate(script, to_html(scene.conversation))
    for dark in (False, True):
        host.dark(on=dark)
        host.picture(f"static-{'dark' if dark else 'light'}")
    assert host.count("details") == 4
