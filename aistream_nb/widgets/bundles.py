"""The built JavaScript and CSS of a widget, or a page that says how to build them.

The bundles are made from ``js/`` when the package is built and are not in git. A
clone that was never built must still import: anywidget raises when a file that a
class names is missing, so a class asks :func:`find_bundle` and gets a small module
instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["STATIC", "Bundle", "find_asset", "find_bundle"]

STATIC: Final = Path(__file__).parent / "static"
"""Where the build puts its files."""

_MISSING: Final = """\
export default {
  render({ el }) {
    el.textContent =
      "The browser half of aistream-nb (NAME) is not built. " +
      "Run: npm --prefix js ci && npm --prefix js run build " +
      "(or install the package again), then restart the kernel.";
  },
};
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What anywidget needs of one widget: a path, or the text itself."""

    esm: Path | str
    css: Path | str


def find_bundle(name: str, *, folder: Path = STATIC) -> Bundle:
    """The bundle called ``name``; never raises, whatever is missing."""
    esm, css = folder / f"{name}.js", folder / f"{name}.css"
    if not esm.is_file():
        return Bundle(esm=_MISSING.replace("NAME", name), css="")
    return Bundle(esm=esm, css=css if css.is_file() else "")


def find_asset(name: str, *, folder: Path = STATIC) -> str | None:
    """The text of a bundle that the page loads later, or ``None`` without one."""
    path = folder / f"{name}.js"
    return path.read_text(encoding="utf-8") if path.is_file() else None
