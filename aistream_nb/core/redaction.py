r"""Secrets taken out of values before they are kept or shown.

Three nets, one behind the other: values that we were told are secret, values that look
like a key (``sk-…``, ``AIza…``, ``Bearer …``, a JWT, a private key), and values
that stand under a name such as ``api_key`` or ``password``, also in JSON text inside
text. What comes out is plain JSON, so that it can be written down.

Rules that a change must keep:

1. Nothing here raises: a recording must not end a run. What JSON cannot say is
   replaced by words that name its type.
2. The input is never changed, and nothing in the output is shared with it.
3. A net catches what is in one value. A secret that comes in pieces is caught by
   :mod:`aistream_nb.core.running_redaction`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from aistream_nb.core.json_text import encode_json, parse_json
from aistream_nb.core.values import ABSENT, JSONValue, is_array, is_mapping

__all__ = ["KEY_SHAPES", "KEY_SIGNS", "NAME", "REDACTED", "Redactor", "is_secret_name"]

REDACTED: Final = "[redacted]"
"""What stands where a secret stood."""

_SHORTEST_KNOWN: Final = 6
"""Shorter words are no secrets, and replacing them would spoil texts."""

_DEEPEST: Final = 150

_NAMES: Final = (
    "api[-_ ]?key",
    "access[-_ ]?key(?:[-_ ]?id)?",
    "private[-_ ]?key",
    "secret[-_ ]?key",
    "secret",
    "client[-_ ]?secret",
    "pass(?:word|wd|phrase)",
    "(?:access|auth|api|bearer|id|refresh|session|security|csrf)[-_ ]?token",
    "token",
    "(?:proxy[-_ ]?)?authorization",
    "(?:set[-_ ]?)?cookie",
    "credentials?",
    "connection[-_ ]?string",
)
_LONGEST_NAME: Final = 200
NAME: Final = rf"(?:[\w-]*[-_ ])?(?:x[-_ ]?)?(?:{'|'.join(_NAMES)})"
"""A pattern for names whose values are secrets."""
_SECRET_NAME: Final = re.compile(NAME, re.IGNORECASE)
# camelCase: the part in front of the name ends where the capital begins.
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

KEY_SHAPES: Final = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk-[A-Za-z0-9_-]{12,}
    | xai-[A-Za-z0-9_-]{12,}
    | gsk_[A-Za-z0-9_-]{12,}
    | AIza[A-Za-z0-9_-]{20,}
    | gh[pousr]_[A-Za-z0-9]{20,}
    | github_pat_\w{20,}
    | glpat-[\w-]{16,}
    | hf_[A-Za-z0-9]{16,}
    | xox[abeoprs]-[A-Za-z0-9-]{10,}
    | (?:AKIA|ASIA)[0-9A-Z]{16}
    | (?<![\w-])eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]{6,}
    )""",
    re.VERBOSE,
)
"""What keys of well-known services look like."""
_BEARER: Final = re.compile(r"(?i)\b(bearer\s+)(?=\S*\d)[A-Za-z0-9._~+/=-]{12,}")
_BASIC: Final = re.compile(r"(?i)(authorization\W{1,6}basic\s+)[A-Za-z0-9+/=]{4,}")
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_USER_IN_URL: Final = re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)")
_QUERY: Final = re.compile(
    r"(?i)([?&](?:key|api[-_]?key|token|access_token|secret)=)[^&\s\"'\\]+"
)
_MEMBER: Final = re.compile(rf'(?i)("{NAME}"\s*:\s*")(?:[^"\\]|\\.)+')
_QUOTED_MEMBER: Final = re.compile(
    rf'(?i)(\\"{NAME}\\"\s*:\s*\\")'
    r'(?:[^"\\]|\\[^"\\]|\\\\(?:\\\\|\\"|[^"\\]))+'
)

KEY_SIGNS: Final = (
    *("sk-", "xai-", "gsk_", "AIza", "glpat-", "hf_", "xox", "AKIA", "ASIA", "eyJ"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
)
"""A text in which none of these is holds no such key."""
_BY_SIGN: Final = (
    (("bearer",), (_BEARER,)),
    (("basic",), (_BASIC,)),
    (("=",), (_QUERY,)),
    (
        ("key", "secret", "pass", "token", "author", "cook", "cred", "connect"),
        (_MEMBER, _QUOTED_MEMBER),
    ),
)
"""What a text must hold for patterns to match it. Looking for a plain word is so much
quicker that a long text costs little more than its length."""


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name is to be hidden.

    >>> [is_secret_name(one) for one in ("api_key", "clientSecret", "input_tokens")]
    [True, True, False]
    """
    name = name[-_LONGEST_NAME:]  # a hostile name must not cost more than a plain one
    if _SECRET_NAME.fullmatch(name):
        return True
    return bool(_SECRET_NAME.fullmatch(_CAMEL.sub("_", name)))


class Redactor:
    """Takes secrets out of text, JSON and bytes.

    >>> Redactor(["hunter2!"]).redact({"say": "hunter2!", "password": "x"})
    {'say': '[redacted]', 'password': '[redacted]'}
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: Final[set[str]] = set()
        for secret in secrets:
            self.learn(secret)

    def __repr__(self) -> str:
        return f"<Redactor of {len(self._known)} known secrets>"

    @property
    def known(self) -> Collection[str]:
        """The values that we were told are secret."""
        return self._known

    def learn(self, secret: str) -> None:
        """Hide this value from now on. Short ones are ignored."""
        if len(secret) >= _SHORTEST_KNOWN:
            self._known.add(secret)

    def redact_text(self, text: str) -> str:
        """``text`` without secrets.

        >>> Redactor().redact_text("Bearer abcdef123456789")
        'Bearer [redacted]'
        """
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, REDACTED)
        if any(sign in text for sign in KEY_SIGNS):
            text = KEY_SHAPES.sub(REDACTED, text)
        folded = text.casefold()
        for signs, patterns in _BY_SIGN:
            if any(sign in folded for sign in signs):
                for pattern in patterns:
                    text = pattern.sub(rf"\g<1>{REDACTED}", text)
        for pattern in (_PRIVATE_KEY, _USER_IN_URL):
            text = pattern.sub(REDACTED, text)
        return text

    def redact_bytes(self, content: bytes) -> bytes:
        """``content`` without secrets; what is no text passes unharmed."""
        # Latin-1 gives every byte a character and takes it back. Known secrets that
        # are not ASCII are looked for in the same disguise.
        text = content.decode("latin-1")
        for secret in self._known:
            text = text.replace(
                secret.encode("utf-8", "surrogatepass").decode("latin-1"), REDACTED
            )
        return self.redact_text(text).encode("latin-1")

    def redact(self, value: object) -> JSONValue:
        """A plain JSON copy of ``value`` without secrets."""
        return self._copy(value, 0)

    def _copy(self, value: object, depth: int) -> JSONValue:
        if isinstance(value, str):
            return self.redact_text(str(value))
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        if depth >= _DEEPEST:
            return "[nested too deeply to be kept]"
        try:
            return self._composite(value, depth + 1)
        except Exception:  # noqa: BLE001 somebody's own object may raise when looked into
            return _unsayable(value)

    def _composite(self, value: object, depth: int) -> JSONValue:
        if is_mapping(value):
            return self._object(value, depth)
        if is_array(value):
            return [self._copy(item, depth) for item in value]
        return self._copy(parse_json(encode_json(value)), depth)

    def _object(self, value: Mapping[Any, Any], depth: int) -> dict[str, JSONValue]:
        copy: dict[str, JSONValue] = {}
        for key, member in value.items():
            name = str(key)
            if member is ABSENT:
                continue
            if is_secret_name(name):
                copy[name] = self._hidden(member, depth)
            else:
                copy[name] = self._copy(member, depth)
        return copy

    def _hidden(self, member: object, depth: int) -> JSONValue:
        """A member under a secret name: its text goes, its structure may stay.

        A JSON schema describes a parameter called ``password`` with an object, and
        that is no secret.
        """
        if isinstance(member, str):
            return REDACTED if member else ""
        if is_array(member):
            return [self._hidden(item, depth + 1) for item in member]
        return self._copy(member, depth)


def _unsayable(value: object) -> str:
    return f"[a value of type {type(value).__name__!r} that JSON cannot say]"
