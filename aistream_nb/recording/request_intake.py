"""Requests on their way into a recording: without secrets, and without repeating.

What a request shares with the one before it is neither copied nor looked through for
secrets again; what that means is told in :mod:`aistream_nb.recording.request_bodies`.

Rules that a change must keep:

1. Only what is kept is remembered, and never a request as it came: it holds secrets,
   and who sent it may change it.
2. What was kept before a secret was learned is no measure for what comes after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aistream_nb.core.redaction import Redactor
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.recording.request_bodies import (
    AS_BEFORE,
    Grown,
    Items,
    is_items,
    is_same,
    plain_items,
    rebuilt,
)

__all__ = ["RequestIntake"]

_NAMED: Final = 5
_LONGEST: Final = 20


class RequestIntake:
    """Makes the requests that came into what is kept of them."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._known = 0
        """How many secrets were known when the body before was taken in."""
        self._round: object = None
        self._body: Mapping[str, Any] | None = None
        self._lost: list[object] = []

    def go_on_after(self, wire: Mapping[str, Any]) -> None:
        """What comes next is compared with the request in here, if there is one."""
        request = wire.get("request")
        body = request.get("body") if is_mapping(request) else None
        if is_mapping(body):
            self._remember(wire.get("round"), body)

    def live(self, number: object, request: Mapping[str, Any]) -> dict[str, Any]:
        """What is kept of a request that is whole."""
        body = request.get("body")
        if not is_mapping(body):
            return self._plain(request)
        kept = self._plain({**request, "body": None})
        try:
            kept["body"] = self._shared_body(body)
        except Exception:  # noqa: BLE001 somebody's own object may raise when looked into
            kept["body"] = self._plain({"body": body})["body"]
        if is_mapping(kept["body"]):
            self._remember(number, kept["body"])
        return kept

    def loaded(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        """What is kept of what a file says of the wire."""
        request = wire.get("request")
        if not is_mapping(request):
            if AS_BEFORE in wire:
                self._lose(self._plain(wire).get("round"))
            return self._plain(wire)
        number = self._plain({"round": wire.get("round")})["round"]
        rest = {k: None if k == "request" else v for k, v in wire.items()}
        told: object = rest.pop(AS_BEFORE, None)
        kept = self._plain(rest)
        if AS_BEFORE not in wire:
            return {**kept, "request": self.live(number, request)}
        return self._repeated(number, kept, request, told)

    @property
    def notices(self) -> list[str]:
        """What was lost, in words."""
        if not self._lost:
            return []
        named = ", ".join(str(one)[:_LONGEST] for one in self._lost[:_NAMED])
        more = ", …" if len(self._lost) > _NAMED else ""
        count = len(self._lost)
        told = (
            f"requests without their bodies: {count} (round {named}{more}). "
            "Each repeats an earlier request that is not in the file, or not like this"
        )
        return [told]

    def _repeated(
        self,
        number: object,
        kept: dict[str, Any],
        request: Mapping[str, Any],
        told: object,
    ) -> dict[str, Any]:
        """What is kept of a request that tells only what it adds."""
        parts = dict(request)
        new = self._plain({"body": parts.pop("body", None)})["body"]
        body = self._rebuilt(told, new)
        if body is None:
            self._lose(number)
            told = self._plain({AS_BEFORE: told})[AS_BEFORE]
            lost = {AS_BEFORE: told, "body": new}
            return {**kept, "request": self._plain(parts), "unreadable": lost}
        self._remember(number, body)
        return {**kept, "request": {**self._plain(parts), "body": body}}

    def _rebuilt(self, told: object, new: object) -> dict[str, Any] | None:
        if self._body is None or not is_mapping(told):
            return None
        if type(self._round) is not int or not is_same(told.get("round"), self._round):
            return None
        return rebuilt(self._body, told.get("body"), new)

    def _lose(self, number: object) -> None:
        # The next one may build on this: it must not build on an older one.
        self._round, self._body = None, None
        self._lost.append(number)

    def _remember(self, number: object, body: Mapping[str, Any]) -> None:
        self._known = len(self._redactor.known)
        self._round, self._body = number, body

    def _shared_body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        before = self._body or {}
        kept: dict[str, Any] = {}
        for name, member in body.items():
            former = before.get(str(name))
            if is_array(member) and is_items(former):
                kept[str(name)] = self._shared_list(str(name), member, former)
            else:
                kept.update(self._shared_member(name, member, former))
        return kept

    def _shared_member(self, name: str, member: Any, former: Any) -> dict[str, Any]:
        plain = self._in_its_place(name, member)
        return {
            key: former if is_same(value, former) else value
            for key, value in plain.items()
        }

    def _shared_list(self, name: str, member: Any, former: Items) -> Items:
        old = plain_items(former)
        # What is just like what was kept holds no secret, unless one became known.
        is_clean = self._known == len(self._redactor.known)
        for at, item in enumerate(member):
            if at < len(old) and is_clean and is_same(item, old[at]):
                continue
            kept = self._in_its_place(name, [item])[name][0]
            if at < len(old) and is_same(kept, old[at]):
                continue
            rest = [kept, *self._in_its_place(name, member[at + 1 :])[name]]
            return Grown(former, at, rest) if at else rest
        return former if len(member) == len(old) else Grown(former, len(member), [])

    def _in_its_place(self, name: str, member: object) -> dict[str, Any]:
        """A member without secrets: its name and its depth count in that."""
        return self._plain({"body": {name: member}})["body"]

    def _plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        plain = self._redactor.redact(value)
        return plain if isinstance(plain, dict) else {}
