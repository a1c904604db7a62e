"""May this call run? Five small machines, and the rules that couple them.

Exactly once is a property of these tables. ``claim`` leads out of ``PENDING`` and
``invoke`` out of ``CLAIMED``; no row leads back into ``PENDING`` but ``promote``,
out of ``RESTORED``, and no row leads back into ``RESTORED`` but ``restore``, out of
``RECORDED``. So no path runs a call twice, whatever snapshots, results, resets and
aborts come in whatever order.

Rule 1: a missing cell is a refusal, and a refused move changes nothing.
Rule 2: a state in which nothing may follow has an empty row.
Rule 3: the tables are read in one place, :meth:`Standing.move`.
Rule 4: what is judged is one call in one epoch; a reset makes a new one.

Reading snapshots and the text of arguments is not here; see
:mod:`aistream_nb.core.invocation.calls`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

__all__ = [
    "CONDITIONS",
    "INPUT",
    "IN_FLIGHT",
    "MACHINES",
    "OPENING",
    "OUTCOME",
    "OWNER",
    "PERMISSION",
    "REPORT_WHEN",
    "RESOLVED",
    "Condition",
    "Input",
    "Move",
    "Opening",
    "Outcome",
    "Owner",
    "Permission",
    "Standing",
    "diagram",
]


class Opening(Enum):
    """Whether the tool's ``stream_call`` was told of the call."""

    DUE = "due"
    OPENED = "opened"
    MISSED = "missed"


class Input(Enum):
    """How far the arguments are."""

    AWAITING = "awaiting-input"
    STREAMING = "input-streaming"
    DIVERGED = "input-diverged"
    COMPLETE = "input-complete"


class Permission(Enum):
    """What the host's gate says."""

    NOT_NEEDED = "not-needed"
    UNASKED = "unasked"
    REQUESTED = "approval-requested"
    APPROVED = "approved"
    DENIED = "denied"


class Owner(Enum):
    """Whose work it is to run the call."""

    UNKNOWN = "unknown"
    OURS = "ours"
    PROVIDERS = "provider's"


class Outcome(Enum):
    """What became of the call."""

    RESTORED = "restored"
    RECORDED = "recorded"
    PENDING = "pending"
    CLAIMED = "claimed"
    EXECUTING = "executing"
    SETTLED = "settled"
    MUTED = "muted"
    HUSHED = "hushed"
    OVERRULED = "overruled"
    ANSWERED = "answered"
    DISCARDED = "discarded"
    ABANDONED = "abandoned"


State: TypeAlias = Opening | Input | Permission | Owner | Outcome


class Move(Enum):
    """Everything that can happen to a call. Each belongs to one machine."""

    OPEN = "open"
    MISS = "miss"
    RECEIVE = "receive"
    DIVERGE = "diverge"
    REJOIN = "rejoin"
    CLOSE = "close"
    ASK = "ask"
    APPROVE = "approve"
    DENY = "deny"
    OWN = "own"
    CEDE = "cede"
    RECORD = "record"
    RESTORE = "restore"
    PROMOTE = "promote"
    CLAIM = "claim"
    INVOKE = "invoke"
    SETTLE = "settle"
    MUTE = "mute"
    ANSWER = "answer"
    DISCARD = "discard"
    ABANDON = "abandon"


OPENING: Final[Mapping[Opening, Mapping[Move, Opening]]] = {
    Opening.DUE: {Move.OPEN: Opening.OPENED, Move.MISS: Opening.MISSED},
    Opening.OPENED: {},
    Opening.MISSED: {},
}

INPUT: Final[Mapping[Input, Mapping[Move, Input]]] = {
    Input.AWAITING: {Move.RECEIVE: Input.STREAMING, Move.CLOSE: Input.COMPLETE},
    Input.STREAMING: {Move.DIVERGE: Input.DIVERGED, Move.CLOSE: Input.COMPLETE},
    # A.2: only a text that extends what was streamed leads back.
    Input.DIVERGED: {Move.REJOIN: Input.STREAMING, Move.CLOSE: Input.COMPLETE},
    Input.COMPLETE: {},
}

PERMISSION: Final[Mapping[Permission, Mapping[Move, Permission]]] = {
    Permission.NOT_NEEDED: {},
    Permission.UNASKED: {Move.ASK: Permission.REQUESTED},
    Permission.REQUESTED: {
        Move.APPROVE: Permission.APPROVED,
        Move.DENY: Permission.DENIED,
    },
    Permission.APPROVED: {},
    Permission.DENIED: {},
}

OWNER: Final[Mapping[Owner, Mapping[Move, Owner]]] = {
    Owner.UNKNOWN: {Move.OWN: Owner.OURS, Move.CEDE: Owner.PROVIDERS},
    # A.8: a provider's approval may land late, even while the call runs.
    Owner.OURS: {Move.CEDE: Owner.PROVIDERS},
    Owner.PROVIDERS: {},
}

OUTCOME: Final[Mapping[Outcome, Mapping[Move, Outcome]]] = {
    # C.2, C.3: history, unanswered. Only a change makes it a live call.
    Outcome.RESTORED: {Move.RECORD: Outcome.RECORDED, Move.PROMOTE: Outcome.PENDING},
    # D4: history, answered. Live snapshots never touch it again.
    Outcome.RECORDED: {Move.RESTORE: Outcome.RESTORED},
    Outcome.PENDING: {
        Move.CLAIM: Outcome.CLAIMED,
        Move.MUTE: Outcome.MUTED,
        Move.ANSWER: Outcome.ANSWERED,
        Move.DISCARD: Outcome.DISCARDED,
        Move.ABANDON: Outcome.ABANDONED,
    },
    # In flight, and the tool's own code not yet reached: validation, the gate.
    Outcome.CLAIMED: {
        Move.INVOKE: Outcome.EXECUTING,
        Move.SETTLE: Outcome.SETTLED,
        Move.MUTE: Outcome.HUSHED,
        Move.ANSWER: Outcome.OVERRULED,
        Move.ABANDON: Outcome.ABANDONED,
    },
    Outcome.EXECUTING: {
        Move.SETTLE: Outcome.SETTLED,
        Move.MUTE: Outcome.HUSHED,
        Move.ANSWER: Outcome.OVERRULED,
        Move.ABANDON: Outcome.ABANDONED,
    },
    # Reported by us; not answered until a snapshot carries the result.
    Outcome.SETTLED: {Move.ANSWER: Outcome.ANSWERED, Move.ABANDON: Outcome.ABANDONED},
    # A.12: the backend gave an interim result, so the call is its own.
    Outcome.MUTED: {Move.ANSWER: Outcome.ANSWERED, Move.ABANDON: Outcome.ABANDONED},
    Outcome.HUSHED: {
        Move.SETTLE: Outcome.MUTED,
        Move.ANSWER: Outcome.OVERRULED,
        Move.ABANDON: Outcome.ABANDONED,
    },
    # D1: answered by the backend while our own execution was in flight.
    Outcome.OVERRULED: {Move.SETTLE: Outcome.ANSWERED, Move.ABANDON: Outcome.ABANDONED},
    Outcome.ANSWERED: {Move.ABANDON: Outcome.ABANDONED},
    Outcome.DISCARDED: {Move.ANSWER: Outcome.ANSWERED, Move.ABANDON: Outcome.ABANDONED},
    # D3: a reset came. Nothing of this call is heard of again.
    Outcome.ABANDONED: {},
}

MACHINES: Final[Mapping[str, Mapping[State, Mapping[Move, State]]]] = {
    "opening": OPENING,
    "input": INPUT,
    "permission": PERMISSION,
    "owner": OWNER,
    "outcome": OUTCOME,
}  # pyright: ignore[reportAssignmentType] -- five tables in one; their rows keep their own types above

RESOLVED: Final = frozenset({Outcome.RECORDED, Outcome.ANSWERED, Outcome.OVERRULED})
"""The outcomes in which a result was observed."""

IN_FLIGHT: Final = frozenset(
    {Outcome.CLAIMED, Outcome.EXECUTING, Outcome.HUSHED, Outcome.OVERRULED}
)
"""The outcomes in which an execution of ours has not settled."""


class Condition(NamedTuple):
    """What the other machines must say before a move is made; ``None``: anything."""

    input: frozenset[Input] | None = None
    permission: frozenset[Permission] | None = None
    owner: frozenset[Owner] | None = None
    outcome: frozenset[Outcome] | None = None

    def met_by(self, standing: Standing) -> bool:
        """Whether every machine that is named is in a state that is named."""
        return (
            (self.input is None or standing.input in self.input)
            and (self.permission is None or standing.permission in self.permission)
            and (self.owner is None or standing.owner in self.owner)
            and (self.outcome is None or standing.outcome in self.outcome)
        )


_GRANTED: Final = frozenset({Permission.NOT_NEEDED, Permission.APPROVED})
_OURS: Final = frozenset({Owner.OURS})
_WHOLE: Final = frozenset({Input.COMPLETE})

CONDITIONS: Final[Mapping[Move, Condition]] = {
    Move.OPEN: Condition(
        outcome=frozenset(Outcome) - {Outcome.DISCARDED, Outcome.ABANDONED}
    ),
    Move.CLAIM: Condition(input=_WHOLE, owner=_OURS),
    Move.ASK: Condition(owner=_OURS, outcome=frozenset({Outcome.CLAIMED})),
    Move.INVOKE: Condition(input=_WHOLE, permission=_GRANTED, owner=_OURS),
    # Our own gate asks through the same part; only before that is it another's.
    Move.CEDE: Condition(
        permission=frozenset({Permission.NOT_NEEDED, Permission.UNASKED})
    ),
}
"""The state-triggered rules: a move that is listed waits for the other machines."""

REPORT_WHEN: Final = Condition(owner=_OURS, outcome=frozenset({Outcome.SETTLED}))
"""When the value of an execution that has just settled is told to the host."""

_MACHINE_OF: Final[Mapping[Move, str]] = {
    move: name
    for name, table in MACHINES.items()
    for row in table.values()
    for move in row
}

_SAID_ONCE: Final = frozenset({Move.RECEIVE, Move.DIVERGE, Move.REJOIN})


class Standing:
    """Where one call stands in each machine, and the moves that led there.

    >>> standing = Standing()
    >>> standing.move(Move.CLAIM)
    False
    >>> [standing.move(move) for move in (Move.OWN, Move.CLOSE, Move.CLAIM)]
    [True, True, True]
    >>> standing.move(Move.CLAIM)
    False
    >>> standing.outcome
    <Outcome.CLAIMED: 'claimed'>
    """

    __slots__ = (
        "input",
        "opening",
        "outcome",
        "owner",
        "path",
        "permission",
        "resolved",
    )

    def __init__(
        self, *, outcome: Outcome = Outcome.PENDING, gated: bool = False
    ) -> None:
        self.opening: Opening = Opening.DUE
        self.input: Input = Input.AWAITING
        self.permission: Permission = (
            Permission.UNASKED if gated else Permission.NOT_NEEDED
        )
        self.owner: Owner = Owner.UNKNOWN
        self.outcome: Outcome = outcome
        self.resolved: bool = outcome in RESOLVED
        """Whether a result of the backend was observed."""
        self.path: list[Move] = []

    def allows(self, move: Move) -> bool:
        """Whether the tables and the conditions let the call make ``move`` now."""
        machine = _MACHINE_OF[move]
        if move not in MACHINES[machine][getattr(self, machine)]:
            return False
        condition = CONDITIONS.get(move)
        return condition is None or condition.met_by(self)

    def move(self, move: Move) -> bool:
        """Make ``move`` if it is allowed; otherwise change nothing and say so."""
        if not self.allows(move):
            return False
        machine = _MACHINE_OF[move]
        setattr(self, machine, MACHINES[machine][getattr(self, machine)][move])
        self.resolved = self.outcome in RESOLVED
        if move not in _SAID_ONCE or move not in self.path:
            self.path.append(move)
        return True

    @property
    def in_flight(self) -> bool:
        """Whether an execution of ours has begun and not settled."""
        return self.outcome in IN_FLIGHT

    @property
    def invoked(self) -> bool:
        """Whether the tool's ``execute`` was reached."""
        return Move.INVOKE in self.path


def diagram() -> str:
    """The tables as a Mermaid drawing, so that the drawing cannot lie.

    >>> print(diagram().splitlines()[1])
      state "opening" as opening {
    """
    lines = ["stateDiagram-v2"]
    for name, table in MACHINES.items():
        lines.append(f'  state "{name}" as {name} {{')
        for state, row in table.items():
            lines.append(f"    {_node(name, state)} : {state.value}")
            lines += [
                f"    {_node(name, state)} --> {_node(name, after)} : {move.value}"
                for move, after in row.items()
            ]
        lines.append("  }")
    return "\n".join(lines)


def _node(machine: str, state: State) -> str:
    return f"{machine}_{state.name.lower()}"
