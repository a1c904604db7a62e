"""Arguments held against a JSON schema that somebody else wrote.

Apart from :mod:`aistream_nb.tools.arguments`, because jsonschema is slow to import
and only raw-schema tools need it. A schema is never fetched from anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from jsonschema import FormatChecker, SchemaError
from jsonschema.exceptions import ValidationError as SchemaViolation
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from aistream_nb.core.json_text import encode_json
from aistream_nb.core.values import is_array, is_mapping
from aistream_nb.errors import ToolInputError
from aistream_nb.tools.arguments import CheckedArguments, path_words, refusal

__all__ = ["SchemaCheck"]

_FORMATS: Final = FormatChecker(formats=["date", "ipv4", "ipv6", "uuid"])
"""Formats that need no further package, so that every machine decides alike."""


class SchemaCheck:
    """Holds arguments against a JSON schema that somebody else wrote.

    Raises:
        ValueError: The schema is none, or is not the schema of an object.
    """

    def __init__(self, schema: Mapping[str, Any], *, tool: str) -> None:
        if schema.get("type", "object") != "object":
            raise ValueError(
                f"the schema of tool {tool!r} describes {schema['type']!r}; "
                "the arguments of a tool are always an object"
            )
        kind: Any = validator_for(dict(schema), default=Draft202012Validator)
        try:
            kind.check_schema(schema)
        except SchemaError as error:
            place = path_words(list(error.absolute_path)) or "its top level"
            raise ValueError(
                f"the schema of tool {tool!r} is not a JSON schema (at {place})"
            ) from None
        # An empty registry: a reference must not make us fetch something.
        nothing_else = cast("type[Any]", Registry)()
        self._validator: Any = kind(
            dict(schema), registry=nothing_else, format_checker=_FORMATS
        )

    def check(self, arguments: Mapping[str, Any], *, tool: str) -> CheckedArguments:
        """The arguments as they came, now known to fit.

        Raises:
            ToolInputError: They do not fit the schema.
        """
        given = dict(arguments)
        try:
            violations: list[SchemaViolation] = list(self._validator.iter_errors(given))
        except Unresolvable:
            raise ToolInputError(
                "the tool's schema refers to a schema that is not part of it",
                tool_name=tool,
            ) from None
        if violations:
            raise refusal([_violation(one) for one in violations], tool)
        return CheckedArguments(given, source=self, values=given)

    def call_with(
        self, checked: CheckedArguments
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Everything by name."""
        return (), dict(checked.values_for_call)


def _violation(violation: SchemaViolation) -> tuple[str, str]:
    """Where it is and what was due, told from the schema and never from the value."""
    steps: list[int | str] = list(violation.absolute_path)
    rule = str(violation.validator)
    due: Any = violation.validator_value
    return path_words(steps), _due_words(rule, due, violation.instance)


_WORDS: Final[Mapping[str, str]] = {
    "const": "must be {due}",
    "enum": "must be one of {due}",
    "exclusiveMaximum": "must be less than {due}",
    "exclusiveMinimum": "must be greater than {due}",
    "format": "must have the format {due}",
    "maxItems": "must have at most {due} items",
    "maxLength": "must have at most {due} characters",
    "maximum": "must be at most {due}",
    "minItems": "must have at least {due} items",
    "minLength": "must have at least {due} characters",
    "minimum": "must be at least {due}",
    "multipleOf": "must be a multiple of {due}",
    "pattern": "must match the pattern {due}",
    "type": "must be of type {due}",
    "uniqueItems": "must not hold an item twice",
}


def _due_words(rule: str, due: Any, instance: object) -> str:
    if rule == "required" and is_mapping(instance) and is_array(due):
        missing = [str(name) for name in due if name not in instance]
        return f"misses {', '.join(missing)}"
    if rule == "additionalProperties":
        return "has a member that the schema does not know"
    if rule in _WORDS:
        return _WORDS[rule].format(due=encode_json(due))
    return f"breaks the schema's {rule!r}"
