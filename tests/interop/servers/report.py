"""Say what was shown, in one line of JSON."""

from __future__ import annotations

import json

from aistream_nb.showing import Shown


def report(shown: Shown) -> None:
    calls = shown.conversation.tool_calls.values()
    told = {
        "status": shown.conversation.status,
        "texts": [message.text for message in shown.conversation.messages],
        "calls": [[call.name, call.status, call.result] for call in calls],
        "rules": [violation.rule for violation in shown.violations],
    }
    print(json.dumps(told))  # noqa: T201 # read by the test
