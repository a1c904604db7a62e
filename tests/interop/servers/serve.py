"""Serve an application on a free port of loopback, and say on which."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn


def serve(app: Any) -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    print(f"PORT {listener.getsockname()[1]}", flush=True)  # noqa: T201 # read by the test
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    asyncio.run(server.serve(sockets=[listener]))
