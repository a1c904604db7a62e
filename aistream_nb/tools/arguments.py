"""Arguments of a call, checked: as JSON for a gate, as Python values for a tool.

Two checks with one face. :class:`SignatureCheck` holds arguments against a function's
signature; :class:`aistream_nb.tools.schema_check.SchemaCheck` against a JSON schema
that somebody else wrote. Both say in words what does not fit and where; neither ever
repeats a value that the model sent, because an error text travels into logs and
recordings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Protocol

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from aistream_nb.core.json_text import UnencodableError, encode_json
from aistream_nb.errors import ToolInputError
from aistream_nb.tools.schemas import ArgumentModel

__all__ = [
    "ArgumentCheck",
    "CheckedArguments",
    "SignatureCheck",
    "path_words",
    "refusal",
]

_SHOWN: Final = 5
"""So many faults are told at once; a model repairs no more in one go."""


class CheckedArguments(Mapping[str, Any]):
    """Arguments that passed a check: to look at as JSON, to call with as values.

    What a gate shows is the JSON form; what the tool gets are the values that the
    check made of it. The mapping cannot be changed, so that what was shown is what
    runs.
    """

    __slots__ = ("_shown", "source", "values_for_call")

    def __init__(
        self, shown: Mapping[str, Any], *, source: object, values: Any
    ) -> None:
        self._shown: Mapping[str, Any] = MappingProxyType(dict(shown))
        self.source: object = source
        """The check that made them; no other may use the values."""
        self.values_for_call: Any = values

    def __getitem__(self, name: str) -> Any:
        return self._shown[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __repr__(self) -> str:
        return repr(dict(self._shown))


class ArgumentCheck(Protocol):
    """What a tool needs to know of its arguments."""

    def check(self, arguments: Mapping[str, Any], *, tool: str) -> CheckedArguments:
        """The arguments, checked.

        Raises:
            ToolInputError: They do not fit.
        """
        ...

    def call_with(
        self, checked: CheckedArguments
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The positional and the named arguments of the call."""
        ...


def refusal(faults: Sequence[tuple[str, str]], tool: str) -> ToolInputError:
    """The error for arguments with these faults: a place and words for each."""
    told = [f"{path}: {words}" if path else words for path, words in faults[:_SHOWN]]
    if len(faults) > _SHOWN:
        told.append(f"and {len(faults) - _SHOWN} more")
    return ToolInputError(
        f"the arguments do not fit the schema: {'; '.join(told)}", tool_name=tool
    )


def path_words(steps: Sequence[int | str]) -> str:
    """``guests[0].age`` for the steps to a member.

    >>> path_words(["guests", 0, "age"])
    'guests[0].age'
    """
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
    return path


class SignatureCheck:
    """Holds arguments against a function's signature, through pydantic.

    It is strict unless asked otherwise: ``"5"`` is no integer, just as the schema
    says. What JSON cannot say (dates, enums, sets, models) is made from its JSON form.
    """

    def __init__(self, arguments: ArgumentModel, *, strict: bool) -> None:
        self._arguments: ArgumentModel = arguments
        self._strict: bool = strict

    def check(self, arguments: Mapping[str, Any], *, tool: str) -> CheckedArguments:
        """The arguments, checked, with the signature's defaults filled in.

        Raises:
            ToolInputError: They do not fit the signature.
        """
        try:
            checked = self._arguments.model.model_validate_json(
                encode_json(dict(arguments)), strict=self._strict
            )
        except UnencodableError as error:
            raise refusal([("", str(error))], tool) from None
        except ValidationError as error:
            raise refusal(_pydantic_faults(error), tool) from None
        return CheckedArguments(self._shown(checked), source=self, values=checked)

    def _shown(self, checked: BaseModel) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for name, field in type(checked).model_fields.items():
            try:
                value = to_jsonable_python(getattr(checked, name), by_alias=True)
            except PydanticSerializationError:
                # A default such as a connection: nothing that a model sent.
                continue
            shown[field.alias or name] = value
        return shown

    def call_with(
        self, checked: CheckedArguments
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The values, in the places where the signature wants them."""
        return self._arguments.call_with(checked.values_for_call)


def _pydantic_faults(error: ValidationError) -> list[tuple[str, str]]:
    return [
        (path_words(fault["loc"]), fault["msg"])
        for fault in error.errors(
            include_url=False, include_input=False, include_context=False
        )
    ]
