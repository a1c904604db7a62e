"""Tool: a function with its schema and its annotations, called with checked arguments.

Rules that a change must keep:

1. A tool stays the function it was made of: calling it calls the function, with the
   same signature and the same docstring.
2. The loop never blocks: a plain function runs in a thread (with the caller's
   context variables), a coroutine function runs in the loop.
3. What a tool raises is a failure of the tool and of nothing else. ``SystemExit``
   is one too: a tool must not end the kernel. Two things pass through, because they
   are about us: ``KeyboardInterrupt`` (a person stops the kernel) and the
   cancellation of the task that awaits the tool.

A thread cannot be stopped from outside. When a call is cancelled or times out, a plain
function runs to its end, and what it returns is let go. The error of a time-out says
so, to the model and to people; write a coroutine where that matters.

How arguments are checked is told in :mod:`aistream_nb.tools.arguments`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MethodType
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

from aistream_nb.core.kinds import SECONDS, wrong_kind
from aistream_nb.core.running_on import words_on_running
from aistream_nb.core.tool_spec import ToolAnnotations, ToolSpec
from aistream_nb.errors import ToolError, ToolExecutionError
from aistream_nb.tools.arguments import (
    ArgumentCheck,
    CheckedArguments,
    SignatureCheck,
)
from aistream_nb.tools.docstrings import read_docstring
from aistream_nb.tools.schemas import build_argument_model
from aistream_nb.tools.threads import in_thread

__all__ = ["Tool", "ToolOptions", "tool_from_function"]

P = ParamSpec("P")
R = TypeVar("R")

_LIMITS: Final = {"timeout": SECONDS}
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every provider accepts as the name of a function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """What the author of a tool may say beside its function."""

    name: str | None = None
    description: str | None = None
    annotations: ToolAnnotations = field(default_factory=ToolAnnotations)
    timeout: float | None = None
    strict: bool = True


class Tool(Generic[P, R]):
    """A function that a model may call. Make one with ``@tool``."""

    def __init__(
        self,
        function: Callable[P, R],
        *,
        spec: ToolSpec,
        check: ArgumentCheck,
        timeout: float | None = None,
    ) -> None:
        if not _NAME.fullmatch(spec.name):
            raise ValueError(
                f"{spec.name!r} cannot be the name of a tool: providers accept up to "
                "64 letters, digits, '_' and '-'; pass name="
            )
        wrong = wrong_kind([("timeout", timeout)], _LIMITS, optional=_LIMITS)
        if wrong is not None:
            raise ValueError(f"tool {spec.name!r}: {wrong}")
        if spec.annotations.read_only and spec.annotations.destructive:
            raise ValueError(
                f"tool {spec.name!r} cannot be read_only and destructive at once"
            )
        self.__wrapped__: Callable[P, R] = function
        functools.update_wrapper(cast("Callable[P, R]", self), function, updated=())
        self.__name__: str = getattr(function, "__name__", spec.name)
        self._spec: ToolSpec = spec
        self._check: ArgumentCheck = check
        self._timeout: float | None = timeout

    @classmethod
    def from_schema(
        cls,
        name: str,
        schema: Mapping[str, Any],
        function: Callable[..., Any],
        *,
        description: str | None = None,
        annotations: ToolAnnotations | None = None,
        timeout: float | None = None,
    ) -> Tool[..., Any]:
        """A tool whose arguments are held against a JSON schema of your own.

        The function gets the arguments by name; one that takes ``**arguments``
        serves any schema.

        Raises:
            ValueError: The schema is none, or is not the schema of an object.

        >>> echo = Tool.from_schema(
        ...     "echo",
        ...     {"type": "object", "required": ["text"]},
        ...     lambda **arguments: arguments["text"],
        ... )
        >>> echo.validate({})
        Traceback (most recent call last):
        aistream_nb.errors.ToolInputError: the arguments do not fit the schema: misses
        text
        """
        from aistream_nb.tools.schema_check import SchemaCheck  # noqa: PLC0415 slow to import, and most tools need none

        spec = ToolSpec(
            name=name,
            description=_described(function, description),
            parameters={"type": "object", **schema},
            annotations=annotations or ToolAnnotations(),
        )
        check = SchemaCheck(schema, tool=name)
        return Tool(function, spec=spec, check=check, timeout=timeout)

    @property
    def spec(self) -> ToolSpec:
        """Name, description, schema and annotations."""
        return self._spec

    @property
    def timeout(self) -> float | None:
        """Seconds that one call may take; ``None`` sets no limit."""
        return self._timeout

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function as if it were no tool."""
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Tool[..., Any]:
        if instance is None:
            return self
        bound = MethodType(self.__wrapped__, instance)
        return Tool(bound, spec=self._spec, check=self._check, timeout=self._timeout)

    def __repr__(self) -> str:
        hints = self._spec.annotations
        said = [
            name
            for name in ("read_only", "destructive", "idempotent", "open_world")
            if getattr(hints, name)
        ]
        properties: Mapping[str, Any] = self._spec.parameters.get("properties", {})
        return (
            f"<{' '.join(['Tool', *said])} {self._spec.name}({', '.join(properties)})>"
        )

    def with_annotations(self, annotations: ToolAnnotations) -> Tool[P, R]:
        """The same tool with other hints, for somebody else's tool that has none."""
        return Tool(
            self.__wrapped__,
            spec=replace(self._spec, annotations=annotations),
            check=self._check,
            timeout=self._timeout,
        )

    def validate(self, arguments: Mapping[str, Any]) -> CheckedArguments:
        """The arguments as the tool will get them, defaults filled in.

        Raises:
            ToolInputError: The arguments do not fit the schema.
        """
        return self._check.check(arguments, tool=self._spec.name)

    async def execute(self, arguments: Mapping[str, Any]) -> object:
        """What the function returns for these arguments.

        Raises:
            ToolInputError: The arguments do not fit the schema.
            ToolExecutionError: The function raised, or took longer than it may.
        """
        if isinstance(arguments, CheckedArguments) and arguments.source is self._check:
            checked = arguments
        else:
            checked = self.validate(arguments)
        args, kwargs = self._check.call_with(checked)
        call = functools.partial(self._bound(), *args, **kwargs)
        clock: asyncio.Timeout | None = None
        try:
            async with asyncio.timeout(self._timeout) as clock:
                return await _run(call, self._spec.name)
        except KeyboardInterrupt:
            raise
        except asyncio.CancelledError as error:
            if _is_being_cancelled():
                raise
            raise self._failure(error, "the tool cancelled itself") from error
        except TimeoutError as error:
            if clock is None or not clock.expired():
                raise self._failure(error) from error
            limit = f"the tool took longer than its {self._timeout:g} seconds"
            words = f"{limit}{words_on_running(error)}"
            raise self._failure(error, words) from error
        except BaseException as error:
            raise self._failure(error) from error

    def _bound(self) -> Callable[..., Any]:
        if _is_method(self.__wrapped__):
            raise ToolError(
                f"tool {self._spec.name!r} is a method: offer it from an instance "
                f"(thing.{self.__wrapped__.__name__}) and not from the class",
                tool_name=self._spec.name,
            )
        return self.__wrapped__

    def _failure(
        self, error: BaseException, words: str | None = None
    ) -> ToolExecutionError:
        return ToolExecutionError(
            words if words is not None else _told(error), tool_name=self._spec.name
        )


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _told(error: BaseException) -> str:
    """The error's own words; its type too where the words alone say nothing."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 somebody's own error, without words
        words = ""
    if not words:
        return type(error).__name__
    if isinstance(error, (KeyError, SystemExit)):
        return f"{type(error).__name__}: {words}"
    return words


def _is_method(function: object) -> bool:
    """Whether it waits for an instance: a plain function whose first is ``self``."""
    if not inspect.isfunction(function):
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and first.name == "self"


async def _run(call: functools.partial[Any], name: str) -> object:
    function = call.func
    if _is_coroutine_function(function):
        return await call()
    result, raised = await in_thread(call, name=name)
    if isinstance(raised, (StopIteration, KeyboardInterrupt)):
        # Python would make a RuntimeError of the one, and the end of the loop of the
        # other.
        raise ToolExecutionError(_told(raised), tool_name="") from raised
    if raised is not None:
        raise raised
    return await cast("Awaitable[object]", result) if _is_awaitable(result) else result


def _is_coroutine_function(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 an object may be a coroutine function by its __call__
    )


def _is_awaitable(result: object) -> bool:
    return inspect.isawaitable(result)


def _described(function: Callable[..., Any], given: str | None) -> str:
    if given is not None:
        return given
    if not inspect.isroutine(function):
        # A partial or an object has its class's docstring, which is about the class.
        function = getattr(function, "func", type(function).__call__)
    return read_docstring(function.__doc__).description


def tool_from_function(function: Callable[P, R], options: ToolOptions) -> Tool[P, R]:
    """A tool made of any callable that a signature describes.

    Raises:
        TypeError: It is no callable, yields, or has a signature that a model
            cannot fill.
        ValueError: The name, the timeout or the annotations cannot be.
    """
    if isinstance(function, Tool):
        function = function.__wrapped__
    _refuse_what_is_no_function(function)
    documented = read_docstring(_routine(function).__doc__)
    arguments = build_argument_model(
        function,
        documented=documented.parameters,
        skip_first=_is_method(function),
    )
    spec = ToolSpec(
        name=options.name if options.name is not None else _own_name(function),
        description=_described(function, options.description),
        parameters=arguments.schema,
        annotations=options.annotations,
    )
    check = SignatureCheck(arguments, strict=options.strict)
    return Tool(function, spec=spec, check=check, timeout=options.timeout)


def _routine(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    return function if inspect.isroutine(function) else type(function).__call__


def _own_name(function: Callable[..., Any]) -> str:
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    return str(getattr(function, "__name__", type(function).__name__))


def _refuse_what_is_no_function(function: object) -> None:
    if isinstance(function, classmethod):
        raise TypeError(
            "@tool cannot stand above @classmethod: make the tool where the class is "
            "known, with tool(Class.method)"
        )
    if not callable(function):
        raise TypeError(
            f"a tool is made of a function, not of a {type(function).__name__!r}"
        )
    routine = _routine(function)
    if inspect.isgeneratorfunction(routine) or inspect.isasyncgenfunction(routine):
        raise TypeError(
            f"{_own_name(function)!r} yields, but a model gets one result: "
            "return a list"
        )
