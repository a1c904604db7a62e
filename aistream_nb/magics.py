"""IPython magics: ``%load_ext aistream_nb``, then send cells to a chat.

    %%agent --provider offline --name chat
    Should we take the ferry to Hvar?

A cell that begins with ``%%agent`` is awaited like one that says
``await chat.send(…)``: clicks are seen while it runs and the stop button ends it. For
that the cell is rewritten before IPython reads it (:func:`awaited_cell`), because
IPython calls magics without awaiting them.

Chats live in the notebook's variables, and nowhere else: what the magics make can be
used in code, and what code makes can be used by the magics.
"""
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# IPython's decorators and the namespace of its shell are untyped: "unknown" is theirs.

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from aistream_nb.chat import Chat, Reply
from aistream_nb.core.ordering.report import OrderingReport, check_ordering
from aistream_nb.core.tool_spec import ClientTool, Gate
from aistream_nb.errors import RecordingError
from aistream_nb.gate import ApprovalGate
from aistream_nb.providers.registry import PROVIDERS
from aistream_nb.recording import Recording

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from aistream_nb.testing import Replay

__all__ = ["AgentMagics", "awaited_cell", "complete", "load", "unload"]

_CELL: Final = "%%agent"
_NAME: Final = "chat"
_POLICIES: Final = ("always", "destructive", "never")
_WHICH: Final = (
    "the variable that holds the chat (default: the one that a magic used last, or "
    "`chat`, or the only one)"
)
_REGISTRY: Final = "get_ipython().magics_manager.registry['AgentMagics']"
_COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "%%agent": ("--gate", "--live", "--name", "--provider", "--tools"),
    "%agent_check": ("--name",),
    "%agent_record": ("--force", "--name"),
}


@magics_class
class AgentMagics(Magics):
    """``%%agent``, ``%agent_record`` and ``%agent_check``."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._current = _NAME

    # ------------------------------------------------------------ %%agent

    @magic_arguments()
    @argument(
        "--provider",
        help="begin a new chat with this agent: offline, anthropic:MODEL, "
        "http://…, or whatever ai.Chat understands",
    )
    @argument(
        "--tools",
        action="append",
        help="names of tools, or of lists of tools, in this notebook; with commas",
    )
    @argument(
        "--gate",
        help="always, destructive or never (when a person is asked), or the name of "
        "a gate in this notebook",
    )
    @argument("--name", help=_WHICH)
    @argument(
        "--live",
        action="store_true",
        help="show the live view below the cell, and not the finished answer",
    )
    @cell_magic
    def agent(self, line: str, cell: str) -> Reply | None:
        """Send the cell to the current chat, and show the answer.

        The first cell says whom to talk to (--provider); later ones go on with the
        same chat. Without options the chat is the one that was used last, or the
        variable ``chat``.
        """
        return asyncio.run(self.ask(line, cell))

    async def ask(self, line: str, cell: str) -> Reply | None:
        """What ``%%agent`` does, to be awaited.

        Raises:
            UsageError: The options are wrong, or there is nothing to send.
        """
        if {"--help", "-h"} & set(line.split()):
            print(self.agent.__doc__)  # noqa: T201 # a magic tells in the cell
            return None
        options = parse_argstring(self.agent, line)
        text = cell.strip()
        if not text:
            raise UsageError("Write your message below the line of %%agent.")
        chat = self._chat_of(options)
        if not options.live:
            return await chat.send(text)
        shown: Any = display(_bundle(chat), raw=True, display_id=True)
        await chat.send(text)
        # The saved notebook holds what was said, and not the empty beginning.
        shown.update(_bundle(chat), raw=True)
        return None

    # ------------------------------------------------------------ the others

    @magic_arguments()
    @argument("path", nargs="?", help="the file; .gz compresses")
    @argument("--name", help=_WHICH)
    @argument("--force", action="store_true", help="replace whatever file is there")
    @line_magic
    def agent_record(self, line: str) -> None:
        """Write the chat's recording to a file, now and as it grows.

        A recording of a chat with the same agent is replaced, as when a notebook is
        run again. Any other file stays, unless --force is given.
        """
        options = parse_argstring(self.agent_record, line)
        recording = self._known(options.name).recording
        if options.path is not None:
            if not options.force:
                _check_own(Path(options.path), recording)
            recording.record_to(options.path)
        print(f"{recording!r} in {recording.name}".replace("<", "").replace(">", ""))  # noqa: T201 # a magic tells in the cell

    @magic_arguments()
    @argument("path", nargs="?", help="a recording to hold the chat's tools against")
    @argument("--name", help=_WHICH)
    @line_magic
    def agent_check(self, line: str) -> OrderingReport | Replay:
        """Check the order of the chat's events, or replay a recording.

        With a path, the recording runs again against the tools of this chat, and
        what differs is shown, call by call.
        """
        options = parse_argstring(self.agent_check, line)
        chat = self._known(options.name)
        if options.path is None:
            return check_ordering(chat.recording.events)
        from aistream_nb.testing import replay  # noqa: PLC0415 # only a replay needs it

        return replay(options.path, tools=chat.tools)

    # ------------------------------------------------------------ whose chat

    def _chat_of(self, options: Any) -> Chat:
        """The chat that is meant; a new one where the options describe one."""
        if options.provider is None:
            if options.tools or options.gate:
                raise UsageError(
                    "--tools and --gate belong to a new chat: say --provider too."
                )
            return self._known(options.name)
        name = options.name or _NAME
        if not name.isidentifier():
            raise UsageError(f"--name {name!r} is no name of a variable.")
        taken = self._variables.get(name)
        if taken is not None and not isinstance(taken, Chat):
            raise UsageError(f"{name} is a {type(taken).__name__}; use another --name.")
        chat = Chat(
            options.provider,
            tools=self._tools(options.tools),
            gate=self._gate(options.gate),
        )
        self._variables[name] = chat
        self._current = name
        return chat

    def _known(self, name: str | None) -> Chat:
        chats = self.chats()
        if name is not None:
            if name not in chats:
                raise UsageError(f"There is no chat {name!r}. {_there_are(chats)}")
            self._current = name
            return chats[name]
        if self._current not in chats:
            if len(chats) != 1:
                raise UsageError(f"Which chat? {_there_are(chats)}")
            (self._current,) = chats
        return chats[self._current]

    def chats(self) -> dict[str, Chat]:
        """The chats in the notebook's variables, by name."""
        names = self._variables.items()
        return {
            name: value
            for name, value in names
            if isinstance(value, Chat) and not name.startswith("_")
        }

    @property
    def _variables(self) -> dict[str, Any]:
        return self._shell.user_ns

    def _tools(self, given: Iterable[str] | None) -> list[Any] | None:
        if given is None:
            return None
        found: list[Any] = []
        for name in ",".join(given).split(","):
            value = self._variable(name.strip(), "tool")
            found += value if isinstance(value, (list, tuple)) else [value]
        return found

    def _gate(self, given: str | None) -> Gate | None:
        if given is None:
            return None
        if given in _POLICIES:
            return ApprovalGate(given)
        return self._variable(given, "gate")

    def _variable(self, name: str, kind: str) -> Any:
        if name not in self._variables:
            raise UsageError(f"There is no {kind} {name!r} in this notebook.")
        return self._variables[name]


def _check_own(path: Path, recording: Recording) -> None:
    """See that ``path`` is free, or a recording that a notebook like this one made.

    What a test holds on to names its owner, and is never taken for one's own.
    """
    if not path.exists():
        return
    agent = recording.header.get("agent")
    try:
        kept = Recording.load(path).header
    except RecordingError:
        kept = {}
    if kept.get("agent") != agent or "owner" in kept:
        raise UsageError(
            f"{path} is there already, and no recording of a chat like this one "
            f"({agent}); --force replaces it, or name another file."
        )


def _there_are(chats: Mapping[str, Chat]) -> str:
    if not chats:
        return "There is none yet: begin with %%agent --provider offline."
    return f"There are: {', '.join(chats)}. Say --name."


def _bundle(chat: Chat) -> dict[str, Any]:
    return chat._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage] - the name is IPython's


# ---------------------------------------------------------------- around them


def awaited_cell(lines: list[str]) -> list[str]:
    """The lines of a cell; where they begin with ``%%agent``, as a line that awaits.

    >>> awaited_cell(["%%agent --live", "Hi"])[0][:21]
    'await get_ipython().m'
    >>> awaited_cell(["%%agent?"])
    ['%%agent?']
    """
    head, *body = lines or [""]
    word, _, options = head.partition(" ")
    if word.strip() != _CELL:
        return lines
    return [f"await {_REGISTRY}.ask({options.strip()!r}, {''.join(body)!r})\n"]


# Whether a cell is complete is asked of the cell as it was typed.
awaited_cell.has_side_effects = True  # pyright: ignore[reportFunctionMemberAccess] - IPython asks the function


def complete(shell: InteractiveShell, event: Any) -> list[str]:
    """What can follow in a line of ours."""
    words = event.text_until_cursor.split()
    if words and words[-1] == event.symbol:
        words.pop()
    last = words[-1] if words else ""
    variables: Mapping[str, Any] = shell.user_ns
    if last == "--provider":
        return ["offline", "http://", *(f"{name}:" for name in PROVIDERS)]
    if last == "--gate":
        return [*_POLICIES, *_names(variables, ApprovalGate)]
    if last == "--tools":
        return _names(variables, ClientTool)
    if last == "--name":
        return _names(variables, Chat)
    return list(_COMMANDS.get(event.command, ()))


def _names(variables: Mapping[str, Any], kind: type) -> list[str]:
    return sorted(
        name
        for name, value in variables.items()
        if isinstance(value, kind) and not name.startswith("_")
    )


def load(shell: InteractiveShell) -> None:
    """Give the shell our magics, their completion, and cells that are awaited."""
    shell.register_magics(AgentMagics)
    if awaited_cell not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.append(awaited_cell)
    for command in _COMMANDS:
        shell.set_hook("complete_command", complete, str_key=command)


def unload(shell: InteractiveShell) -> None:
    """Take away what :func:`load` gave."""
    if awaited_cell in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(awaited_cell)
    registry: dict[str, Any] = shell.magics_manager.registry
    registry.pop(AgentMagics.__name__, None)
    for kind, name in (
        ("cell", "agent"),
        ("line", "agent_record"),
        ("line", "agent_check"),
    ):
        shell.magics_manager.magics[kind].pop(name, None)
