"""Where requests go: the provider's own base, or one that replaces it whole.

An override must hold the version segment (``/v1``), and cannot hold what would leak
or be lost: credentials, a query, a fragment.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult

from aistream_nb.core.address import split_address
from aistream_nb.errors import TurnError
from aistream_nb.providers.registry import ProviderRecord

__all__ = ["resolve_endpoint"]

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def resolve_endpoint(record: ProviderRecord, endpoint: object = None) -> str:
    """The base URL, without trailing slashes.

    Raises:
        TurnError: There is none, or the override is not a plain http(s) URL.

    >>> from aistream_nb.providers.registry import find_provider
    >>> resolve_endpoint(find_provider("vllm"), "http://LOCALHOST:80/x/../v1//?")
    'http://localhost/v1'
    """
    if endpoint is None:
        base = record.base_url.rstrip("/")
        if not base:
            raise TurnError(
                f'provider "{record.id}" has no API endpoint configured; pass '
                'endpoint, such as "http://localhost:8000/v1"'
            )
        return base
    try:
        return _checked(endpoint)
    except ValueError as problem:
        raise TurnError(f'provider "{record.id}": {problem}') from None


def _checked(endpoint: object) -> str:
    if not isinstance(endpoint, str) or not endpoint.strip():
        raise ValueError("endpoint must be a non-empty http(s) URL")
    url = _parsed(endpoint.strip())
    if url.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"endpoint must use http or https (got {url.scheme}:)")
    if url.query or url.fragment:
        raise ValueError("endpoint must not include a query string or fragment")
    if url.username or url.password:
        raise ValueError(
            "endpoint must not include userinfo; pass credentials via api_key instead"
        )
    return f"{url.scheme}://{_host(url)}{_path(url.path)}".rstrip("/")


def _parsed(endpoint: str) -> SplitResult:
    try:
        return split_address(endpoint)
    except ValueError:
        raise ValueError("endpoint is not a valid URL") from None


def _host(url: SplitResult) -> str:
    host = url.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    if url.port is None or url.port == _DEFAULT_PORTS[url.scheme]:
        return shown
    return f"{shown}:{url.port}"


def _path(path: str) -> str:
    """The path with its dot segments resolved, as a browser would."""
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        plain = segment.lower().replace("%2e", ".")
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(segment)
    return "".join(f"/{segment}" for segment in kept)
