"""Every exception that aistream_nb raises, on one page.

- AIStreamError
    - OrderingError          an event broke the AG-UI order (strict mode only)
    - ProviderError
        - ProviderConnectionError    no answer; safe to try again
        - ProviderStatusError        an answer that is not 2xx
        - ProviderStreamError        the stream broke off, or is not in its own format
    - TurnError              a gate failed, ids do not correlate, too many rounds
    - ToolError
        - UnknownToolError           the model named a tool that nobody offered
        - ToolInputError             the arguments do not fit the tool's schema
        - ToolExecutionError         the tool itself raised; see ``__cause__``
    - RecordingError         a recording cannot be read or written

Denied, failed and aborted are states of a tool call, not exceptions: a person
expects them. No message here carries a key, a header or a payload.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = [
    "AIStreamError",
    "OrderingError",
    "ProviderConnectionError",
    "ProviderError",
    "ProviderStatusError",
    "ProviderStreamError",
    "RecordingError",
    "ToolError",
    "ToolExecutionError",
    "ToolInputError",
    "TurnError",
    "UnknownToolError",
]

_SEE_ALL: Final = "(the whole traceback: import traceback; traceback.print_last())"


class AIStreamError(Exception):
    """The root: catch this to catch everything that the library raises.

    IPython shows it in two lines, because the message says what to do and the way
    through this library's files does not. Where code of yours failed inside a tool or
    a gate, the whole traceback is shown, and plain Python always shows it.
    """

    @property
    def _render_traceback_(self) -> Callable[[], list[str]]:
        """What IPython asks an exception for; without it, it shows everything."""
        if isinstance(self, (ToolError, TurnError)) and self.__cause__ is not None:
            raise AttributeError("_render_traceback_")
        lines = [f"{type(self).__name__}: {self}", _SEE_ALL]
        return lambda: lines


class OrderingError(AIStreamError):
    """An event arrived where the AG-UI order does not allow it.

    Raised only by a driver that was asked to be strict; everybody else reads the
    violations of :class:`~aistream_nb.OrderingVerifier` and goes on.
    """

    def __init__(
        self,
        message: str,
        *,
        rule: str,
        index: int,
        event_type: str,
        expected: str,
    ) -> None:
        super().__init__(message)
        self.rule: str = rule
        """The stable id of the broken rule, such as ``text.content_unopened``."""
        self.index: int = index
        """The position of the event in its stream, counted from 0."""
        self.event_type: str = event_type
        """The ``type`` of the event that broke the rule."""
        self.expected: str = expected
        """What was due instead, in words."""


class ProviderError(AIStreamError):
    """A model provider, or the road to it, failed."""

    def __init__(self, message: str, *, provider: str) -> None:
        super().__init__(message)
        self.provider: str = provider
        """The provider's id, such as ``anthropic``."""


class ProviderConnectionError(ProviderError):
    """No answer came. Nothing was started, so it is safe to try again."""


class ProviderStatusError(ProviderError):
    """The provider answered with a status outside 2xx."""

    def __init__(  # noqa: PLR0913  # what an answer may say, each by its keyword
        self,
        message: str,
        *,
        provider: str,
        status_code: int,
        request_id: str | None = None,
        body: str = "",
        retry_after: float | None = None,
        should_retry: bool | None = None,
    ) -> None:
        super().__init__(message, provider=provider)
        self.status_code: int = status_code
        self.request_id: str | None = request_id
        """The id that the provider's support asks for, if it sent one."""
        self.body: str = body
        """The start of the answer's body, with secrets taken out."""
        self.retry_after: float | None = retry_after
        """Seconds that the provider asked us to wait, if it said so."""
        self.should_retry: bool | None = should_retry
        """Whether the provider says that the same request may work later."""


class ProviderStreamError(ProviderError):
    """A stream that had begun broke off, or left its own format."""

    def __init__(self, message: str, *, provider: str, after: int = 0) -> None:
        super().__init__(message, provider=provider)
        self.after: int = after
        """How many events had been delivered before it broke."""


class TurnError(AIStreamError):
    """A turn cannot go on: a gate failed, ids do not correlate, a limit was hit."""

    def __init__(
        self,
        message: str,
        *,
        tool_name: str | None = None,
        tool_call_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.tool_name: str | None = tool_name
        self.tool_call_id: str | None = tool_call_id


class ToolError(AIStreamError):
    """A tool could not be called, or failed."""

    def __init__(self, message: str, *, tool_name: str) -> None:
        super().__init__(message)
        self.tool_name: str = tool_name


class UnknownToolError(ToolError):
    """The model named a tool that was not offered to it."""


class ToolInputError(ToolError):
    """The arguments do not fit the tool's schema; the tool did not run."""


class ToolExecutionError(ToolError):
    """The tool raised; what it raised is in ``__cause__``."""


class RecordingError(AIStreamError):
    """A recording cannot be read or written."""

    def __init__(self, message: str, *, path: str, line: int | None = None) -> None:
        super().__init__(message)
        self.path: str = path
        self.line: int | None = line
        """The line that is at fault, counted from 1."""
