"""Commands are values that name their call."""

from __future__ import annotations

from aistream_nb.core.invocation.call import Call
from aistream_nb.core.invocation.commands import Deliver, Execute, Open, Stream, Tell
from aistream_nb.core.invocation.events import Left, ToolResponse
from aistream_nb.core.invocation.machines import Standing


def test_every_command_names_its_call() -> None:
    call = Call(1, "c", "work", Standing())
    commands = (
        Open(call),
        Stream(call, "x"),
        Execute(call),
        Deliver(call, ToolResponse(1)),
        Tell(call, Left()),
    )
    assert all(command.call is call for command in commands)
    assert Stream(call, "x") == Stream(call, "x")
