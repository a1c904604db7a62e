"""How our rules relate to those of ag-ui-validate 0.4.0, one by one (AG-UI, 15).

Whoever moves here from that checker finds each of its rules: which of ours says the
same, and where we differ on purpose, and why. A test walks this table over every case:
what that checker refuses is refused or remarked here too, or the reason is on record.
One slip is one message here, so a rule may be silent after another has spoken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["AG_UI_VALIDATE", "Counterpart"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterpart:
    """Our side of a rule of ag-ui-validate."""

    rules: tuple[str, ...] = ()
    """Our rules that say the same."""
    difference: str = ""
    """Why we may be silent where that rule speaks; empty if we never are."""


def _same(*rules: str) -> Counterpart:
    return Counterpart(rules=rules)


def _differs(difference: str, *rules: str) -> Counterpart:
    return Counterpart(rules=rules, difference=difference)


_REOPENED: Final = "a closed message or call may be started again; its content goes on"
_STYLE: Final = "a matter of style, which no reader suffers from"

AG_UI_VALIDATE: Final[Mapping[str, Counterpart]] = {
    "AGUI001": _differs("a run may fail before it begins", "run.first_event"),
    "AGUI002": _same("run.nested"),
    "AGUI003": _same("stream.truncated"),
    "AGUI004": _same("run.after_finished", "run.after_error"),
    "AGUI005": _same("run.late_error_means_failed", "run.after_error"),
    "AGUI006": _same("step.finish_unopened", "step.finish_owner"),
    "AGUI007": _same("end.step_open", "stream.truncated"),
    "AGUI008": _same("run.id_mismatch", "run.thread_mismatch"),
    "AGUI101": _differs(_REOPENED, "text.content_unopened"),
    "AGUI102": _differs(_REOPENED, "text.end_unopened"),
    "AGUI103": _same("end.text_open", "stream.truncated"),
    "AGUI104": _differs(_REOPENED),
    "AGUI105": _differs("an empty delta is legal"),
    "AGUI106": _same("text.start_open"),
    "AGUI201": _differs(_REOPENED, "tool.args_unopened"),
    "AGUI202": _differs(_REOPENED, "tool.end_unopened"),
    "AGUI203": _same("end.tool_open", "stream.truncated"),
    "AGUI204": _differs(
        "what another rule has told is told once", "tool.args_not_json"
    ),
    "AGUI205": _differs(_REOPENED),
    "AGUI206": _same("tool.result_before_end"),
    "AGUI207": _differs(
        "the call may be in the history or in a snapshot", "tool.result_without_call"
    ),
    "AGUI208": _differs("a call may name a message that comes later"),
    "AGUI301": _differs("the state of the request is a baseline"),
    "AGUI302": _same("state.patch_failed", "activity.patch_failed"),
    "AGUI303": _same("schema.malformed", "schema.unknown_member"),
    "AGUI304": _differs(_STYLE),
    "AGUI305": _differs(_STYLE),
    "AGUI401": _same("reasoning.content_unopened"),
    "AGUI402": _same("end.reasoning_message_open", "end.reasoning_span_open"),
    "AGUI501": _same("transport.crlf", "transport.json_line_without_data"),
    "AGUI502": _same("frame.bad_json"),
    "AGUI503": _same("schema.unknown_type", "schema.misspelt_type"),
    "AGUI504": _differs(
        "its table of fields is older than AG-UI 1.0", "schema.malformed"
    ),
    "AGUI505": _same("transport.content_type"),
    "AGUI506": _differs("keep-alive cannot be seen in a recording"),
    "AGUI507": _differs("buffering cannot be seen in a recording"),
    "AGUI508": _same("stream.truncated"),
    "AGUI601": _same("subagent.start_open", "subagent.start_reused"),
    "AGUI602": _same("subagent.end_unopened"),
    "AGUI603": _same("subagent.end_unopened", "subagent.start_reused"),
    "AGUI604": _same("end.subagent_open", "subagent.parent_unknown"),
    "AGUI605": _same("subagent.parent_unknown"),
    "AGUI606": _differs(
        "a parent and its subagent may each have a step of one name",
        "owner.mismatch",
        "tool.parent_owner",
        "step.finish_owner",
    ),
    "AGUI901": _differs(_STYLE),
    "AGUI902": _differs(_STYLE),
    "AGUI903": _same("custom.unprefixed"),
}
"""The id there, and our side of it."""
