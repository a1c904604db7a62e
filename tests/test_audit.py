"""The audit never calls clean what nobody looked at, and never fails for silence."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest
from audit import (
    Verdict,
    audit_python,
    exit_code,
    installed,
    read_npm,
)

PACKAGES = {"httpx": "0.28.1", "pydantic": "2.14.4"}
KNOWN = {"results": [{}, {"vulns": [{"id": "GHSA-1"}, {"id": "PYSEC-2"}]}]}
Serve = Callable[[bytes, int], str]


@pytest.fixture
def serve() -> Generator[Serve, None, None]:
    """A service on loopback that answers everything alike; gives its address."""
    servers: list[http.server.HTTPServer] = []

    def serve(body: bytes, status: int = 200) -> str:
        class Service(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

            def log_request(self, code: object = "", size: object = "") -> None:
                """Say nothing."""

        server = http.server.HTTPServer(("127.0.0.1", 0), Service)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_what_is_known_of_a_version_is_found(serve: Serve):
    verdict = audit_python(PACKAGES, service=serve(json.dumps(KNOWN).encode(), 200))
    assert str(verdict) == "python: FOUND:\n  pydantic 2.14.4: GHSA-1, PYSEC-2"
    assert exit_code([verdict], strict=False) == 1


def test_clean_says_of_how_many_packages(serve: Serve):
    verdict = audit_python(PACKAGES, service=serve(b'{"results": [{}, {}]}', 200))
    assert str(verdict) == "python: clean: nothing is known of 2 packages"
    assert exit_code([verdict], strict=True) == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"results": [{}]}', 200),
        (b'{"results": {}}', 200),
        (b'{"results": [{}, 7]}', 200),
        (b'{"results": [{}, {"vulns": [7]}]}', 200),
        (b"{}", 200),
        (b"<html>a wall</html>", 200),
        (b"", 404),
        (b"", 503),
    ],
)
def test_an_answer_that_is_none_is_not_clean(serve: Serve, body: bytes, status: int):
    verdict = audit_python(PACKAGES, service=serve(body, status))
    assert str(verdict).startswith("python: NOT AUDITED: ")
    assert "clean" not in str(verdict)
    assert (exit_code([verdict], strict=False), exit_code([verdict], strict=True)) == (
        0,
        2,
    )


@pytest.mark.parametrize("service", ["http://127.0.0.1:9/", "http://nobody.invalid/"])
def test_a_service_that_is_not_there_is_told(service: str):
    verdict = audit_python(PACKAGES, service=service)
    assert "NOT AUDITED" in str(verdict)
    assert service in str(verdict)


def npm(**report: Any) -> Verdict:
    return read_npm(json.dumps(report))


def test_what_npm_says_is_read():
    counts = {"dependencies": {"prod": 9}}
    clean = npm(vulnerabilities={}, metadata=counts)
    assert str(clean) == "npm: clean: nothing is known of 9 packages"
    known = {"dompurify": {"severity": "high"}}
    found = npm(vulnerabilities=known, metadata=counts)
    assert found.found == ("dompurify: high",)


@pytest.mark.parametrize(
    "told",
    [
        "",
        "[]",
        "{}",
        '{"vulnerabilities": {}}',
        '{"error": {"summary": "no audit here"}}',
        '{"message": "405 Method Not Allowed", "error": {"summary": ""}}',
    ],
)
def test_what_npm_does_not_say_is_not_clean(told: str):
    verdict = read_npm(told)
    assert verdict.why_not
    assert "NOT AUDITED" in str(verdict)


def test_what_is_asked_about_is_what_a_user_gets():
    packages = installed()
    assert {"httpx", "pydantic-core", "h2", "ipywidgets", "traitlets"} <= {*packages}
    assert not {"pytest", "ruff", "jupyterlab", "aistream-nb"} & {*packages}
