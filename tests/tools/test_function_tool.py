from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import threading
from typing import Any

import pytest

from aistream_nb.core.tool_spec import ClientTool, ToolAnnotations
from aistream_nb.errors import ToolError, ToolExecutionError, ToolInputError
from aistream_nb.tools import Tool, tool

PLACE: contextvars.ContextVar[str] = contextvars.ContextVar("PLACE", default="nowhere")


@tool(destructive=True, title="Delete a file", timeout=5)
def delete_file(path: str, *, force: bool = False) -> str:
    """Delete one file.

    Args:
        path: Where it lies.
        force: Also a protected one.
    """
    return f"deleted {path}{' by force' if force else ''}"


def test_a_tool_is_a_client_tool():
    assert isinstance(delete_file, ClientTool)
    assert delete_file.spec.name == "delete_file"
    assert delete_file.spec.description == "Delete one file."
    assert delete_file.spec.annotations == ToolAnnotations(
        title="Delete a file", destructive=True
    )
    assert delete_file.timeout == 5
    path = delete_file.spec.parameters["properties"]["path"]
    assert path == {"type": "string", "description": "Where it lies."}


def test_a_tool_stays_the_function_it_was():
    assert delete_file("x", force=True) == "deleted x by force"
    assert delete_file.__name__ == "delete_file"
    assert delete_file.__doc__ is not None
    assert list(inspect.signature(delete_file).parameters) == ["path", "force"]
    assert repr(delete_file) == "<Tool destructive delete_file(path, force)>"


async def test_a_tool_runs_with_checked_arguments():
    checked = delete_file.validate({"path": "x"})
    assert await delete_file.execute(checked) == "deleted x"


async def test_arguments_that_were_not_checked_are_checked_before_the_run():
    assert await delete_file.execute({"path": "x", "force": True})
    with pytest.raises(ToolInputError):
        await delete_file.execute({"path": 1})


async def test_the_check_of_another_tool_does_not_count():
    @tool
    def other(path: int) -> int:
        """Other."""
        return path

    with pytest.raises(ToolInputError):
        await other.execute(delete_file.validate({"path": "x"}))


async def test_a_plain_function_runs_in_a_thread_with_the_callers_context():
    @tool
    def where() -> tuple[str, bool]:
        """Where it runs."""
        return PLACE.get(), threading.current_thread() is threading.main_thread()

    PLACE.set("here")
    assert await where.execute({}) == ("here", False)


async def test_a_coroutine_function_runs_in_the_loop():
    @tool
    async def where() -> bool:
        """Where it runs."""
        await asyncio.sleep(0)
        return threading.current_thread() is threading.main_thread()

    assert await where.execute({}) is True


async def test_whatever_gives_an_awaitable_is_awaited():
    async def double(n: int) -> int:
        return 2 * n

    class Doubler:
        async def __call__(self, n: int) -> int:
            return 2 * n

    tools = [
        tool(name="a")(lambda n: double(n)),  # noqa: PLW0108 a function that is not async itself
        tool(name="b")(functools.partial(double)),
        tool(name="c")(Doubler()),
    ]
    assert [await one.execute({"n": 2}) for one in tools] == [4, 4, 4]


async def test_positional_only_parameters_are_passed_by_position():
    @tool
    def power(base: int, exponent: int = 2, /, *, sign: int = 1) -> int:
        """Power."""
        return sign * base**exponent

    assert await power.execute({"base": 3}) == 9
    assert await power.execute({"base": 3, "exponent": 3, "sign": -1}) == -27


class Shelf:
    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    def put(self, thing: str) -> str:
        """Put it there."""
        return f"{thing} on {self.name}"

    @tool
    @staticmethod
    def empty(sure: bool) -> bool:  # noqa: FBT001 a model names it
        """Empty it."""
        return sure


async def test_a_method_is_a_tool_of_its_instance():
    shelf = Shelf("top")
    assert list(shelf.put.spec.parameters["properties"]) == ["thing"]
    assert await shelf.put.execute({"thing": "book"}) == "book on top"
    assert shelf.put("book") == "book on top"
    assert (
        await tool(Shelf("low").put.__wrapped__).execute({"thing": "x"}) == "x on low"
    )


async def test_a_method_of_the_class_says_what_it_needs():
    with pytest.raises(ToolError, match="offer it from an instance"):
        await Shelf.put.execute({"thing": "book"})


async def test_a_static_method_needs_no_instance():
    assert await Shelf.empty.execute({"sure": True}) is True


def test_a_class_method_is_refused_with_advice():
    with pytest.raises(TypeError, match=r"tool\(Class\.method\)"):
        tool(classmethod(lambda cls: cls))  # pyright: ignore[reportArgumentType] the point of the test


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="made of a function, not of a 'int'"):
        tool(3)  # pyright: ignore[reportArgumentType] the point of the test


def test_what_yields_is_refused():
    def count():
        yield 1

    async def count_slowly():
        yield 1

    for function in (count, count_slowly, functools.partial(count)):
        with pytest.raises(TypeError, match="return a list"):
            tool(function)


def test_a_tool_of_a_tool_has_the_new_options():
    renamed = tool(name="remove", description="Gone.")(delete_file)
    assert (renamed.spec.name, renamed.spec.description) == ("remove", "Gone.")
    assert renamed("x") == "deleted x"


def test_hints_can_be_given_to_somebody_elses_tool():
    kinder = delete_file.with_annotations(ToolAnnotations(read_only=True))
    assert kinder.spec.annotations.read_only
    assert kinder.validate({"path": "x"}) == {"path": "x", "force": False}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "no spaces"}, "cannot be the name"),
        ({"name": ""}, "cannot be the name"),
        ({"timeout": 0}, "timeout=0 is not a number of seconds above 0"),
        ({"timeout": "2"}, "timeout='2' is not a number of seconds above 0"),
        ({"read_only": True, "destructive": True}, "at once"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], words):
    def one() -> None: ...

    with pytest.raises(ValueError, match=words):
        tool(**options)(one)


def test_a_lambda_needs_a_name():
    with pytest.raises(ValueError, match="pass name="):
        tool(lambda: None)


def test_the_description_of_a_partial_is_that_of_its_function():
    partial = functools.partial(delete_file.__wrapped__, force=True)
    assert tool(partial).spec.description == "Delete one file."
    assert tool(partial).spec.name == "delete_file"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no such file"), "no such file"),
        (KeyError("path"), "KeyError: 'path'"),
        (RuntimeError(), "RuntimeError"),
        (SystemExit(3), "SystemExit: 3"),
        (StopIteration("end"), "end"),
        (GeneratorExit(), "GeneratorExit"),
        (TimeoutError("the server"), "the server"),
        (asyncio.CancelledError(), "the tool cancelled itself"),
    ],
)
async def test_whatever_a_tool_raises_is_a_failure_of_the_tool(error, words):
    def fail() -> None:
        raise error

    with pytest.raises(ToolExecutionError) as caught:
        await tool(fail).execute({})
    assert str(caught.value) == words
    assert caught.value.tool_name == "fail"
    assert caught.value.__cause__ is not None


async def test_what_a_coroutine_raises_is_a_failure_too():
    @tool
    async def fail() -> None:
        """Fail."""
        raise SystemExit(3)

    with pytest.raises(ToolExecutionError, match="SystemExit: 3"):
        await fail.execute({})


def test_the_stop_of_a_person_passes_through():
    @tool
    async def stop() -> None:
        """Stop."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(stop.execute({}))


async def test_no_person_stops_a_thread_so_that_is_a_failure_of_the_tool():
    @tool
    def stop() -> None:
        """Stop."""
        raise KeyboardInterrupt

    with pytest.raises(ToolExecutionError, match="KeyboardInterrupt"):
        await stop.execute({})


async def test_the_cancellation_of_the_caller_reaches_the_tool():
    reached = asyncio.Event()
    begun = asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            reached.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(wait.execute({}))
        await begun.wait()
        task.cancel()
    assert task.cancelled()
    assert reached.is_set()


async def test_a_tool_that_takes_too_long_fails():
    @tool(timeout=0.01)
    async def wait() -> None:
        """Wait."""
        await asyncio.Event().wait()

    with pytest.raises(ToolExecutionError, match=r"longer than its 0\.01 seconds$"):
        await wait.execute({})


async def test_of_a_plain_function_that_takes_too_long_it_is_said_that_it_goes_on():
    go_on = threading.Event()

    @tool(timeout=0.01)
    def dig() -> None:
        """Dig."""
        go_on.wait()

    with pytest.raises(ToolExecutionError, match="goes on in its thread"):
        await dig.execute({})
    (thread,) = (one for one in threading.enumerate() if one.name.endswith("tool dig"))
    go_on.set()
    thread.join(5)


async def test_an_error_without_words_is_told_by_its_name():
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError

    @tool
    def fail() -> None:
        """Fail."""
        raise MuteError

    with pytest.raises(ToolExecutionError, match="MuteError"):
        await fail.execute({})


async def test_a_raw_tool_gets_its_arguments_by_name():
    schema = {"properties": {"from": {"type": "string"}}}
    one: Tool[..., Any] = Tool.from_schema(
        "one", schema, lambda **given: given, description="One."
    )
    assert await one.execute({"from": "here"}) == {"from": "here"}
    assert one.spec.parameters["type"] == "object"
    assert one.spec.description == "One."


def test_a_raw_tool_is_described_by_its_function():
    def show(**_: object) -> None:
        """Show it.

        Args:
            _: Not told.
        """

    assert Tool.from_schema("show", {}, show).spec.description == "Show it."
