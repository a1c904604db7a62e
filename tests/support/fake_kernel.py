"""As much of ipykernel 6 and 7 as the pump leans on, without sockets.

The real kernels are tried in tests/jupyter; here single rules are looked at.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any


class Frame:
    def __init__(self, body: bytes) -> None:
        self.bytes = body


def message(kind: str, name: str) -> list[Frame]:
    """Return frames as they arrive; ``name`` is the content."""
    header = json.dumps({"msg_type": kind, "msg_id": name}).encode()
    return [Frame(b"id"), Frame(b"<IDS|MSG>"), Frame(b"signature"), Frame(header)]


class Session:
    def feed_identities(self, frames: list[Frame], *, copy: bool) -> Any:
        assert not copy
        return [frames[0].bytes], frames[2:]

    def unpack(self, body: bytes) -> Any:
        return json.loads(body)

    def deserialize(self, frames: list[Frame], *, content: bool, copy: bool) -> Any:
        assert content
        assert not copy
        if frames[0].bytes != b"signature":
            raise ValueError("Invalid Signature")
        return {"header": json.loads(frames[1].bytes)}


class Stream:
    """A stream on which a test puts messages by hand."""

    def __init__(self) -> None:
        self._recv_callback: Callable[[Any], object] = lambda _: None
        self._recv_copy = True

    def on_recv(self, callback: Callable[[Any], object], *, copy: bool) -> None:
        self._recv_callback = callback
        self._recv_copy = copy

    def arrives(self, *frames: list[Frame]) -> None:
        for it in frames:
            self._recv_callback(it)


class FakeKernel:
    """``global_parent`` False is ipykernel 7.0: there it is only in the context."""

    def __init__(
        self, *, parts: bool = True, thread: bool = False, global_parent: bool = True
    ) -> None:
        self.log = logging.getLogger("fake-kernel")
        self.session = Session()
        self.calls: list[object] = []
        self.old_way: list[str] = []
        self.parent: Any = {"header": {"msg_id": "cell"}}
        self.context: ContextVar[Any] = ContextVar("parent")
        self.global_parent = global_parent
        self.shell_handlers: dict[str, Callable[..., object]] = dict.fromkeys(
            ("comm_open", "comm_msg", "comm_close"), self.take
        )
        if not parts:
            return
        stream = Stream()
        stream.on_recv(self.schedule, copy=False)
        if thread:
            pair = SimpleNamespace(to_stream=stream)
            manager = SimpleNamespace(_shell_channel_to_main=pair)
            self.shell_channel_thread = SimpleNamespace(manager=manager)
        else:
            self.msg_queue: SimpleQueue[Any] = SimpleQueue()
        self.shell_stream = stream

    def schedule(self, frames: list[Frame]) -> None:
        with suppress(IndexError):
            self.old_way.append(json.loads(frames[3].bytes)["msg_id"])

    def take(self, _stream: object, _identity: object, request: Any) -> None:
        self.calls.append(request["header"]["msg_id"])

    @property
    def _parent_ident(self) -> dict[str, Any]:
        return {"shell": self.get_parent("shell")["header"]["msg_id"].encode()}

    def get_parent(self, channel: str) -> Any:
        assert channel == "shell"
        return self.parent if self.global_parent else self.context.get()

    def set_parent(self, identity: object, parent: Any, *, channel: str) -> None:
        assert identity
        assert channel == "shell"
        self.parent = parent
        self.context.set(parent)

    def _publish_status(self, status: str, channel: str) -> None:
        self.calls.append((status, self.get_parent(channel)["header"]["msg_id"]))


FakeKernel.__module__ = "ipykernel.ipkernel"


class NativeKernel:
    """A kernel that serves comms while a cell awaits, as ipykernel 7.4 does."""

    def __init__(self, *, allow_stdin: bool = True) -> None:
        self._allow_stdin = allow_stdin

    def dispatch_shell(self, msg: object, *, concurrent: bool = False) -> None:
        raise NotImplementedError  # never called: only its signature is looked at


NativeKernel.__module__ = "ipykernel.ipkernel"


class Foreign:
    """A kernel of another make."""
