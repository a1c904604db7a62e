"""A real kernel in a process of its own, spoken to as a front end does it.

Outputs are kept by the request that they belong to, so that a test can say in
which cell something landed. Waiting is always for a message, never for a time.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import Any, Self

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[2]
CURRENT = "current"
PATIENCE = 20.0


def kernel_python(cache: Path, version: str) -> Path:
    """Return a Python that has this ipykernel; its environment is made once."""
    if version == CURRENT:
        return Path(sys.executable)
    home = cache / f"ipykernel-{version}-py{sys.version_info[0]}{sys.version_info[1]}"
    python = home / "bin" / "python"
    stamp = home / "complete"
    if not stamp.exists():
        venv.create(home, with_pip=True, clear=True, symlinks=True)
        # Our own requirements too, but not us: the source is put on the path.
        ours = [
            line for line in requires("aistream-nb") or [] if "extra ==" not in line
        ]
        install = [python, "-m", "pip", "install", "-q", f"ipykernel=={version}"]
        subprocess.run(  # noqa: S603  # our own words
            [*install, *ours], check=True, capture_output=True
        )
        tell_about_us(home)
        stamp.touch()
    return python


def tell_about_us(home: Path) -> None:
    """Copy our metadata: the version is read from it, the source from the path."""
    metadata = Path(str(distribution("aistream-nb").locate_file("")))
    (packages,) = home.glob("lib/python*/site-packages")
    for folder in metadata.glob("aistream_nb-*.dist-info"):
        shutil.copytree(folder, packages / folder.name)


class LiveKernel:
    """Start a kernel on entering, end it on leaving."""

    def __init__(self, python: Path, home: Path) -> None:
        spec = home / "kernels" / "live"
        spec.mkdir(parents=True)
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        described = {"argv": argv, "display_name": "live", "language": "python"}
        (spec / "kernel.json").write_text(json.dumps(described), encoding="utf-8")
        specs = KernelSpecManager(
            kernel_dirs=[str(spec.parent)], ensure_native_kernel=False
        )
        self.kernel = KernelManager(kernel_name="live", kernel_spec_manager=specs)
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "IPYTHONDIR": str(home / "ipython"),
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        }
        self.heard: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        self.kernel.start_kernel(env=self.environment)
        client: BlockingKernelClient = self.kernel.client()
        client.start_channels()
        client.wait_for_ready(timeout=PATIENCE)
        self.client = client
        return self

    def __exit__(self, *_: object) -> None:
        self.client.stop_channels()
        self.kernel.shutdown_kernel(now=True)
        self.kernel.cleanup_resources()

    def start(self, code: str, *, allow_stdin: bool = False) -> str:
        """Send a cell; return the id of the request.

        An error does not drop the cells behind it: for how long a kernel goes on
        dropping them depends on its version and on luck.
        """
        return self.client.execute(code, allow_stdin=allow_stdin, stop_on_error=False)

    def run(self, code: str, *, allow_stdin: bool = False) -> str:
        """Send a cell, wait for its end and return what it printed."""
        cell = self.start(code, allow_stdin=allow_stdin)
        self.wait_for_end(cell)
        self._reply(cell)
        assert self.error(cell) is None, self.error(cell)
        return self.text(cell)

    def click(self, comm: str, content: object, **header: str) -> str:
        """Send what a view sends when a button is pressed."""
        message = self.client.session.msg(
            "comm_msg", {"comm_id": comm, "data": content}
        )
        message["header"].update(header)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def wait_for(self, due: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message for which ``due`` holds, old ones included."""
        for message in self.heard:
            if due(message):
                return message
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            self.heard.append(message)
            if due(message):
                return message
        raise AssertionError(f"It never came. Heard: {self._short()}")

    def wait_for_end(self, request: str) -> None:
        """Wait until the kernel said ``idle`` to this request."""
        self.wait_for(
            lambda it: (
                it["msg_type"] == "status"
                and it["content"]["execution_state"] == "idle"
                and it["parent_header"].get("msg_id") == request
            )
        )

    def _reply(self, request: str) -> dict[str, Any]:
        """Wait for the reply too, before the next message is sent.

        ipykernel 7.0 to 7.3 may leave a message unread for good if it arrives at
        the moment when a reply goes out.
        """
        while True:
            reply = self.client.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def wait_for_text(self, request: str, text: str) -> None:
        """Wait until this cell has printed the text."""
        self.wait_for(lambda _: text in self.text(request))

    def text(self, request: str) -> str:
        """Return what landed in this cell as printed text."""
        return "".join(
            it["content"]["text"]
            for it in self.of(request)
            if it["msg_type"] == "stream"
        )

    def states(self, request: str) -> list[str]:
        """Return ``busy`` and ``idle`` as they were said to this request."""
        return [
            it["content"]["execution_state"]
            for it in self.of(request)
            if it["msg_type"] == "status"
        ]

    def error(self, request: str) -> str | None:
        """Return what the cell shows of the exception that ended it."""
        shown = [it for it in self.of(request) if it["msg_type"] == "error"]
        return "\n".join(shown[0]["content"]["traceback"]) if shown else None

    def of(self, request: str) -> list[dict[str, Any]]:
        """Return all that was published for one request, in order."""
        return [it for it in self.heard if it["parent_header"].get("msg_id") == request]

    def interrupt(self) -> None:
        """Press the stop button."""
        self.kernel.interrupt_kernel()

    def new_subshell(self) -> str | None:
        """Return the id of a new subshell, or None if the kernel has none."""
        known = self._reply(self.client.kernel_info())
        if "kernel subshells" not in known.get("supported_features", ()):
            return None
        request = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(request)
        reply = self.client.control_channel.get_msg(timeout=PATIENCE)
        return reply["content"].get("subshell_id")

    def _short(self) -> str:
        lines: list[str] = []
        for it in self.heard:
            request = str(it["parent_header"].get("msg_id", "none"))
            lines.append(f"{request[-4:]} {it['msg_type']}: {it['content']}")
        return "\n".join(lines)
