"""Asks whether something that we ship is known to be broken: ``poe audit``.

What is asked about is what reaches a user: the requirements of the package, with
theirs, as they are installed here, and the packages that are bundled for the browser.
Python's are looked up in OSV, npm's by ``npm audit``. Three things may come out, and
each is said in plain words:

- *clean*: the service answered for every package, and knows of nothing.
- *found*: it knows of something. Only this ends with 1.
- *not audited*: no service answered, or not for everything. That is no failure of the
  code, so it ends with 0; but it is never called clean. ``--strict`` ends with 2.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = "aistream-nb"
OSV = "https://api.osv.dev/v1/querybatch"
SECONDS = 20


class NotAuditedError(Exception):
    """Nobody answered, or not for everything; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of one half."""

    half: str
    looked: int = 0
    """Packages for which a service answered."""
    found: tuple[str, ...] = ()
    why_not: str = ""
    """Why it was not audited; empty where it was."""

    def __str__(self) -> str:
        if self.why_not:
            return f"{self.half}: NOT AUDITED: {self.why_not}"
        if not self.found:
            return f"{self.half}: clean: nothing is known of {self.looked} packages"
        return "\n".join([f"{self.half}: FOUND:", *(f"  {it}" for it in self.found)])


def installed(package: str = PACKAGE) -> dict[str, str]:
    """The requirements of a package, with theirs, and their versions here."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    due = [(package, "")]
    while due:
        name, extra = due.pop()
        for line in requires(name) or ():
            needed = Requirement(line)
            if needed.marker and not needed.marker.evaluate({"extra": extra}):
                continue
            version = _version(needed.name)
            if version is None:
                continue  # for another system
            found[canonicalize_name(needed.name)] = version
            wanted = {(needed.name, each) for each in ("", *needed.extras)} - seen
            seen |= wanted
            due.extend(wanted)
    return dict(sorted(found.items()))


def _version(name: str) -> str | None:
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return None


def audit_python(packages: Mapping[str, str], *, service: str = OSV) -> Verdict:
    """What OSV knows of these versions."""
    half = "python"
    try:
        told = ask_osv(packages, service)
    except NotAuditedError as reason:
        return Verdict(half=half, why_not=str(reason))
    found = [
        f"{name} {packages[name]}: {', '.join(ids)}"
        for name, ids in told.items()
        if ids
    ]
    return Verdict(half=half, looked=len(told), found=tuple(found))


def ask_osv(packages: Mapping[str, str], service: str) -> dict[str, list[str]]:
    """For each package the names of what is known of it.

    Raises:
        NotAuditedError: The service did not answer for each.
    """
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": version}
        for name, version in packages.items()
    ]
    request = urllib.request.Request(  # noqa: S310 the address is ours
        service,
        data=json.dumps({"queries": queries}).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 as above
            results = json.load(answer)["results"]
        if len(results) != len(packages):
            raise NotAuditedError(
                f"{service} answered for {len(results)} packages only"
            )
        return {
            name: [str(one["id"]) for one in result.get("vulns", ())]
            for name, result in zip(packages, results, strict=True)
        }
    except urllib.error.URLError as error:
        raise NotAuditedError(f"{service} cannot be reached ({error})") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        name = type(error).__name__
        raise NotAuditedError(
            f"{service} did not answer as it does ({name})"
        ) from error


def audit_npm() -> Verdict:
    """What npm's registry knows of the packages that are bundled."""
    command = [sys.executable, "js/npm.py", "audit", "--omit=dev", "--json"]
    try:
        done = subprocess.run(  # noqa: S603 our own words
            command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Verdict(half="npm", why_not=f"npm did not run ({type(error).__name__})")
    return read_npm(done.stdout)


def read_npm(told: str) -> Verdict:
    """The verdict that stands in what ``npm audit --json`` printed."""
    try:
        report: Any = json.loads(told)
        if "error" in report or "message" in report:
            reason = report.get("message") or report["error"].get("summary")
            return Verdict(half="npm", why_not=f"its registry does not say ({reason})")
        known: Any = report["vulnerabilities"]
        looked = int(report["metadata"]["dependencies"]["prod"])
        found = [f"{name}: {one['severity']}" for name, one in known.items()]
    except (ValueError, KeyError, TypeError, AttributeError):
        return Verdict(half="npm", why_not="npm audit did not answer as it does")
    return Verdict(half="npm", looked=looked, found=tuple(found))


def exit_code(verdicts: Sequence[Verdict], *, strict: bool) -> int:
    """1 where something was found, 2 where a strict caller was not answered."""
    if any(one.found for one in verdicts):
        return 1
    return 2 if strict and any(one.why_not for one in verdicts) else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Ask for both halves, and say what came of it."""
    parser = argparse.ArgumentParser(description="Is what we ship known to be broken?")
    parser.add_argument(
        "--strict", action="store_true", help="end with 2 where nobody could be asked"
    )
    asked = parser.parse_args(argv)
    verdicts = [audit_python(installed()), audit_npm()]
    for verdict in verdicts:
        sys.stdout.write(f"audit of {verdict}\n")
    return exit_code(verdicts, strict=asked.strict)


if __name__ == "__main__":
    sys.exit(main())
