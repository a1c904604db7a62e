"""What a MESSAGES_SNAPSHOT leaves of the messages that are there (AG-UI, section 10).

A snapshot is the server's word on the history, and the server does not know all of
it: reasoning and activities may live in the client alone. So they stay, unless the
snapshot shows that it knows of such things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from aistream_nb.core.values import ABSENT, is_array, is_mapping

__all__ = ["Message", "reconcile"]

Message: TypeAlias = dict[str, Any]
"""An AG-UI message, as on the wire."""

_CLIENT_KEY: Final = "@ag-ui/client"
_TYPES_KEY: Final = "authoritativeActivityTypes"


def reconcile(
    held: Sequence[Message],
    snapshot: Sequence[Message],
    *,
    metadata: Mapping[str, Any] | None = None,
) -> list[Message]:
    """The messages after a snapshot: in place by id, the new ones at the end.

    >>> reconcile(
    ...     [{"id": "m1", "role": "user"}, {"id": "q", "role": "reasoning"}],
    ...     [{"id": "m2", "role": "assistant"}],
    ... )
    [{'id': 'q', 'role': 'reasoning'}, {'id': 'm2', 'role': 'assistant'}]
    """
    named = {message["id"]: message for message in snapshot}  # the last one wins
    known = {message["id"] for message in held}
    roles = {message.get("role") for message in snapshot}
    # NB: two held messages with one id become the same object, as in the official
    # client: what is said to one from now on is said to both.
    kept = [
        named.get(message["id"], message)
        for message in held
        if message["id"] in named or _is_client_s_own(message, roles, metadata or {})
    ]
    return kept + [message for message in snapshot if message["id"] not in known]


def _is_client_s_own(
    message: Message, roles: set[Any], metadata: Mapping[str, Any]
) -> bool:
    """Whether a message stays although the snapshot does not name it."""
    role = message.get("role")
    if role == "reasoning":
        return "reasoning" not in roles
    if role != "activity":
        return False
    ours = metadata.get(_CLIENT_KEY)
    types = ours.get(_TYPES_KEY, ABSENT) if is_mapping(ours) else ABSENT
    if types is None:
        return False
    if is_array(types):
        return message.get("activityType") not in types
    return "activity" not in roles
