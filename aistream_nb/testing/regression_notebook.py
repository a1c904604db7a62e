"""A notebook that holds today's code against a recording, written and run here.

The notebook plays the recording, or makes it anew where ``AISTREAM_RECORD=all`` says
so, and its last cell says whether it holds. The transcripts are for people and are
not compared; the check is stricter than they are. So the notebook stays green when
the recording is made anew, and needs no second look.

Each cell is run once while the notebook is written, in this process, so that it is
readable before anybody opens a kernel.
"""

from __future__ import annotations

import ast
import asyncio
import io
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from importlib.machinery import PathFinder
from inspect import CO_COROUTINE
from pathlib import Path
from typing import Any, Final

from aistream_nb.chat.told_options import read_options
from aistream_nb.core.notebook_document import (
    code_cell,
    markdown_cell,
    notebook_text,
    shown,
    stream,
)
from aistream_nb.providers.base import OutputSchema
from aistream_nb.providers.offline import OFFLINE_SYSTEM
from aistream_nb.recording import Recording
from aistream_nb.testing.recorded_tools import recorded_tools
from aistream_nb.testing.script_of import Question, questions_of
from aistream_nb.tools.travel import offline_tools

__all__ = ["regression_notebook"]

_NOT_COMPARED: Final = ("nbval-ignore-output",)
_OFFLINE: Final = "offline"
_VARIABLE: Final = "AISTREAM_RECORD"
_EMBEDDED: Final[Mapping[str, Any]] = {
    "system": OFFLINE_SYSTEM,
    "thinking": {"effort": "low"},
}
"""What the embedded agent is asked with where nothing else is said."""


def regression_notebook(
    recording: Path, out: Path, *, tools: Sequence[str] = ()
) -> str:
    """The notebook's text, with the outputs of a run of its cells.

    Args:
        recording: The file of the recording.
        out: Where the notebook will be; its cells name the recording from there.
        tools: Today's tools, each as ``module:name``.

    Raises:
        RecordingError: The recording cannot be read.
        AssertionError: Today's tools and code do not come to what was recorded.
    """
    loaded = Recording.load(recording)
    name = Path(os.path.relpath(recording, out.parent)).as_posix()
    beside = _path_to_modules(tools, out.parent)
    cells = (
        _live_cells(loaded, name, tools, beside)
        if loaded.rounds
        else _event_cells(name)
    )
    with _as_in_a_kernel(out.parent):
        ran = asyncio.run(_run(cells))
    return notebook_text([markdown_cell(_opening(recording.name, out.name)), *ran])


def _opening(recording: str, notebook: str) -> str:
    return (
        f"# Does `{recording}` still hold?\n\n"
        "This notebook runs a recorded conversation again, against today's tools and "
        "code.\nIt talks to no agent and needs no key.\n\n"
        f"- In CI: `pytest --nbval {notebook}`\n"
        "- When a change is meant, make the recording anew: "
        f"`AISTREAM_RECORD=all pytest --nbval {notebook}`"
    )


# ---------------------------------------------------------------- cells

Cell = tuple[str, Sequence[str]]


def _live_cells(
    loaded: Recording, name: str, tools: Sequence[str], beside: Sequence[str]
) -> list[Cell]:
    questions = questions_of(loaded)
    return [
        ("\n".join([*beside, _setup(loaded, name, tools)]), ()),
        *((_asking(question), _NOT_COMPARED) for question in questions),
        ("recording.check()", ()),
    ]


def _path_to_modules(tools: Sequence[str], folder: Path) -> list[str]:
    """Lines that let a kernel in ``folder`` import what lies in the current folder."""
    here = Path.cwd()
    names = {one.partition(":")[0].partition(".")[0] for one in tools}
    if all(PathFinder.find_spec(name, [str(folder)]) for name in names):
        return []
    if not any(PathFinder.find_spec(name, [str(here)]) for name in names):
        return []  # they are installed
    way = Path(os.path.relpath(here, folder)).as_posix()
    return ["import sys", "", f"sys.path.insert(0, {_quoted(way)})", ""]


def _setup(loaded: Recording, name: str, tools: Sequence[str]) -> str:
    agent = str(loaded.header.get("agent", loaded.header.get("provider", _OFFLINE)))
    given = [one.partition(":") for one in tools]
    imports = [f"from {module} import {attribute}" for module, _, attribute in given]
    arguments = [_quoted(agent)]
    names = ["agent_recording"]
    if given:
        arguments.append(f"tools=[{', '.join(attribute for *_, attribute in given)}]")
    elif not _are_embedded(agent, loaded):
        names.append("recorded_tools")
        arguments.append(f"tools=recorded_tools({_quoted(name)})")
    arguments += _asked_with(agent, loaded)
    return "\n".join(
        [
            "import aistream_nb as ai",
            f"from aistream_nb.testing import {', '.join(names)}",
            *imports,
            "",
            f"recording = agent_recording({_quoted(name)})",
            f"chat = recording.chat({', '.join(arguments)})",
        ]
    )


def _are_embedded(agent: str, loaded: Recording) -> bool:
    """Whether the run had the tools that the embedded agent brings with it."""
    if not agent.startswith(_OFFLINE):
        return False
    offered = [tool.spec.to_wire() for tool in recorded_tools(loaded)]
    return offered == [tool.spec.to_wire() for tool in offline_tools()]


def _asked_with(agent: str, loaded: Recording) -> list[str]:
    """The system prompt and the options, as arguments of a chat."""
    system, told = loaded.header.get("system"), loaded.header.get("options")
    given: dict[str, Any] = {"system": str(system)} if system else {}
    given |= read_options(told)
    schema = given.get("output_schema")
    if isinstance(schema, OutputSchema):
        given["output_schema"] = dict(schema.schema)
    brought = _EMBEDDED if agent.startswith(_OFFLINE) else {}
    return [
        f"{name}={_quoted(value) if isinstance(value, str) else repr(value)}"
        for name, value in given.items()
        if brought.get(name) != value
    ]


def _quoted(text: str) -> str:
    plain = repr(text)
    return plain if '"' in plain else f'"{plain[1:-1]}"'


def _asking(question: Question) -> str:
    if question.place is None:
        asked = f"await chat.send({_quoted(question.text)})"
    else:
        asked = (
            'asked = [m for m in chat.conversation.messages if m.role == "user"]\n'
            f"await chat.edit(asked[{question.place}].id, {_quoted(question.text)})"
        )
    if question.ending != "failed":
        return asked
    inner = asked.replace("\n", "\n    ")
    return (
        f"try:\n    {inner}\nexcept ai.AIStreamError as error:\n"
        "    print(type(error).__name__)"
    )


def _event_cells(name: str) -> list[Cell]:
    """For events without a wire: nothing can run, but their reading can be held."""
    setup = [
        "import aistream_nb as ai",
        "from aistream_nb.testing import replay",
        "",
        f"run = replay({_quoted(name)})",
        "print(ai.check_ordering(run.recording.events))",
    ]
    return [
        ("\n".join(setup), ()),
        ("for row in run.outline:\n    print(row)", ()),
        ("run.check()", ()),
    ]


# ---------------------------------------------------------------- running them


@contextmanager
def _as_in_a_kernel(folder: Path) -> Generator[None]:
    """In the notebook's folder, from which modules can be imported, playing."""
    mode = os.environ.pop(_VARIABLE, None)
    sys.path.insert(0, str(folder.resolve()))
    try:
        with chdir(folder):
            yield
    finally:
        sys.path.pop(0)
        if mode is not None:
            os.environ[_VARIABLE] = mode


async def _run(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    ran: list[dict[str, Any]] = []
    for source, tags in cells:
        printed = io.StringIO()
        with redirect_stdout(printed):
            value = await _execute(source, namespace)
        outputs = [stream(printed.getvalue())] if printed.getvalue() else []
        if value is not None:
            outputs.append(shown(_forms(value)))
        ran.append(code_cell(source, outputs=outputs, tags=tags))
    return ran


async def _execute(source: str, namespace: dict[str, Any]) -> Any:
    """Run one of our own cells; the answer is the value of its last line."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        target = ast.Name(id="_", ctx=ast.Store())
        tree.body[-1] = ast.Assign(targets=[target], value=last.value)
    namespace["_"] = None
    ast.fix_missing_locations(tree)
    code = compile(tree, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    running = eval(code, namespace)  # noqa: S307 # cells that this module wrote itself
    if code.co_flags & CO_COROUTINE:
        await running
    return namespace["_"]


def _forms(value: Any) -> Mapping[str, str]:
    bundle = getattr(value, "_repr_mimebundle_", None)
    if bundle is not None:
        return dict(bundle())
    forms = {"text/plain": repr(value)}
    as_html = getattr(value, "_repr_html_", None)
    return forms if as_html is None else {**forms, "text/html": as_html()}
