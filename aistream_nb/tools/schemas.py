"""From a function's signature to an argument model and a JSON schema.

Rules that a change must keep:

1. A model names every argument, so ``*args`` and ``**kwargs`` are refused when the
   tool is made, not when it is called.
2. The schema is what a provider understands: an object, no generated titles, no
   ``$ref`` unless a type contains itself.
3. A parameter keeps its own name on the wire, except that ``from_`` becomes
   ``from`` (a Python keyword cannot be a parameter) and that a pydantic ``alias``
   wins.

Calling the function is the work of :mod:`aistream_nb.tools.function_tool`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, SimpleNamespace
from typing import Annotated, Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, create_model
from pydantic.errors import (
    PydanticInvalidForJsonSchema,
    PydanticSchemaGenerationError,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonSchemaWarningKind,
)

from aistream_nb.core.values import is_array, is_mapping

__all__ = ["ArgumentModel", "build_argument_model", "simplify_schema"]

_DEFINITIONS: Final = "#/$defs/"
_FIRST_KEYWORDS: Final = ("description", "type", "properties", "required")
_NAMED_SCHEMAS: Final = frozenset({"properties", "patternProperties", "$defs"})


@dataclass(frozen=True, slots=True)
class ArgumentModel:
    """The arguments of one function: how to check them and how to pass them."""

    model: type[BaseModel]
    schema: dict[str, Any]
    fields: Mapping[str, inspect.Parameter]
    """By the model's field name: the parameter that the value is passed to."""

    def call_with(self, checked: BaseModel) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the keyword arguments of a call."""
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for field_name, parameter in self.fields.items():
            value = getattr(checked, field_name)
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return positional, named


class _PlainSchema(GenerateJsonSchema):
    """JSON schemas without generated titles; a default that is not JSON is left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never: a title that repeats the name tells a model nothing."""
        del schema
        return False

    def render_warning_message(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """Nothing: what pydantic leaves out, the schema need not say."""
        del kind, detail


def build_argument_model(
    function: Callable[..., Any], *, documented: Mapping[str, str], skip_first: bool
) -> ArgumentModel:
    """The argument model of ``function``.

    Args:
        function: Any callable with a signature.
        documented: Descriptions from the docstring; an ``Annotated`` one wins.
        skip_first: Whether the first parameter is the instance of a method.

    Raises:
        TypeError: The signature holds something that a model cannot fill.
    """
    parameters = _parameters(function, skip_first=skip_first)
    hints = _hints(function, parameters)
    fields: dict[str, inspect.Parameter] = {}
    definitions: dict[str, Any] = {}
    for at, parameter in enumerate(parameters):
        # Field names are ours: a parameter may be called "schema" or "_x".
        fields[f"argument_{at}"] = parameter
        definitions[f"argument_{at}"] = _definition(
            parameter, hints.get(parameter.name, Any), documented.get(parameter.name)
        )
    name = _name_of(function)
    model, schema = _built(name, definitions)
    return ArgumentModel(model, simplify_schema(schema), fields)


def _name_of(function: object) -> str:
    if isinstance(function, functools.partial):
        return _name_of(function.func)
    return str(getattr(function, "__name__", type(function).__name__))


def _parameters(
    function: Callable[..., Any], *, skip_first: bool
) -> list[inspect.Parameter]:
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise TypeError(
            f"{_name_of(function)!r} has no signature that can be read; "
            "wrap it in a function of your own"
        ) from None
    for parameter in found:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise TypeError(
                f"{_name_of(function)!r} takes {stars}{parameter.name}, but a model "
                "has to name every argument: give it named parameters, or use "
                "Tool.from_schema"
            )
    bound: Mapping[str, object] = (
        function.keywords if isinstance(function, functools.partial) else {}
    )
    return [one for one in found[int(skip_first) :] if one.name not in bound]


def _hints(
    function: Callable[..., Any], parameters: list[inspect.Parameter]
) -> dict[str, Any]:
    """The parameters' annotations, with those that are text evaluated."""
    written = {
        one.name: one.annotation
        for one in parameters
        if one.annotation is not inspect.Parameter.empty
    }
    home: Any = inspect.unwrap(_plain_function(function))
    names: dict[str, Any] = dict(getattr(home, "__globals__", {}))
    if inspect.isfunction(home):
        names.update(_closed_over(home))
    try:
        return get_type_hints(
            SimpleNamespace(__annotations__=written), names, include_extras=True
        )
    except NameError as error:
        raise TypeError(
            f"{_name_of(function)!r} has an annotation that names {error.name!r}, "
            "which is not defined where the function is: define or import it at the "
            "top level"
        ) from None


def _closed_over(function: FunctionType) -> dict[str, object]:
    """What the function's closure holds by now; a name may be bound later."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held: dict[str, object] = {}
    for name, cell in cells:
        with contextlib.suppress(ValueError):  # the cell is empty
            held[name] = cell.cell_contents
    return held


def _plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    if isinstance(function, functools.partial):
        return _plain_function(function.func)
    if not inspect.isroutine(function) and not inspect.isclass(function):
        return _plain_function(type(function).__call__)
    return getattr(function, "__func__", function)


def _definition(
    parameter: inspect.Parameter, annotation: Any, documented: str | None
) -> tuple[Any, Any]:
    """What pydantic's ``create_model`` wants to know of one field."""
    default = parameter.default
    if default is inspect.Parameter.empty:
        default = ...
    if default is ...:
        written = FieldInfo.from_annotation(annotation)
    else:
        written = FieldInfo.from_annotated_attribute(annotation, default)
    extra: dict[str, Any] = {}
    if written.alias is None:
        extra["alias"] = _wire_name(parameter.name)
    if written.description is None and documented:
        extra["description"] = documented
    return (Annotated[annotation, Field(**extra)] if extra else annotation), default


def _wire_name(name: str) -> str:
    bare = name.removesuffix("_")
    return bare if keyword.iskeyword(bare) else name


def _built(
    name: str, definitions: dict[str, Any]
) -> tuple[type[BaseModel], dict[str, Any]]:
    config = ConfigDict(extra="forbid", protected_namespaces=(), use_enum_values=False)
    try:
        model = create_model(name, __config__=config, **definitions)
        return model, model.model_json_schema(schema_generator=_PlainSchema)
    except (
        PydanticSchemaGenerationError,
        PydanticInvalidForJsonSchema,
        PydanticUserError,
    ) as error:
        first_line = str(error).partition("\n")[0]
        raise TypeError(
            f"{name!r} has a parameter whose type has no JSON schema ({first_line}); "
            "annotate it with what JSON can say, or bind it with functools.partial"
        ) from error


def simplify_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """``schema`` without generated titles, and without references where possible.

    Gemini reads no ``$ref``, the others gain nothing from it. A type that contains
    itself cannot be written in place; its definition stays.

    >>> simplify_schema(
    ...     {
    ...         "title": "f",
    ...         "$defs": {"P": {"title": "P", "type": "string"}},
    ...         "properties": {"title": {"$ref": "#/$defs/P", "description": "x"}},
    ...     }
    ... )
    {'properties': {'title': {'type': 'string', 'description': 'x'}}}
    """
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    kept: set[str] = set()
    top = {key: value for key, value in schema.items() if key not in {"$defs", "title"}}
    plain = _inlined(top, definitions, (), kept)
    done: set[str] = set()
    kept_definitions: dict[str, Any] = {}
    while kept - done:
        for name in sorted(kept - done):
            done.add(name)
            kept_definitions[name] = _definition_in_place(name, definitions, kept)
    if kept_definitions:
        plain["$defs"] = kept_definitions
    # In the order in which a person would write it.
    first = {key: plain.pop(key) for key in _FIRST_KEYWORDS if key in plain}
    return {**first, **plain}


def _definition_in_place(
    name: str, definitions: Mapping[str, Any], kept: set[str]
) -> dict[str, Any]:
    return _inlined(_untitled(definitions[name]), definitions, (name,), kept)


def _untitled(definition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in definition.items() if key != "title"}


def _inlined(
    node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...], kept: set[str]
) -> Any:
    if is_array(node):
        return [_inlined(item, definitions, inside, kept) for item in node]
    if not is_mapping(node):
        return node
    name = _referenced(node, definitions)
    if name is None:
        return {
            key: _inlined_member(key, value, definitions, inside, kept)
            for key, value in node.items()
        }
    if name in inside or _contains_itself(name, definitions):
        kept.add(name)
        return dict(node)
    beside = {key: value for key, value in node.items() if key != "$ref"}
    merged = {**_untitled(definitions[name]), **beside}
    return _inlined(merged, definitions, (*inside, name), kept)


def _inlined_member(
    key: str,
    value: Any,
    definitions: Mapping[str, Any],
    inside: tuple[str, ...],
    kept: set[str],
) -> Any:
    if key in _NAMED_SCHEMAS and is_mapping(value):
        # The keys in here are the user's names and not keywords.
        return {
            name: _inlined(schema, definitions, inside, kept)
            for name, schema in value.items()
        }
    if key in {"default", "const", "enum", "examples", "example"}:
        return value
    return _inlined(value, definitions, inside, kept)


def _referenced(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> str | None:
    reference = node.get("$ref")
    if not isinstance(reference, str) or not reference.startswith(_DEFINITIONS):
        return None
    name = reference.removeprefix(_DEFINITIONS)
    return name if name in definitions else None


def _contains_itself(name: str, definitions: Mapping[str, Any]) -> bool:
    seen: set[str] = set()
    due = _references(definitions[name], definitions)
    while due:
        seen |= due
        named = (_references(definitions[one], definitions) for one in due)
        due = set[str]().union(*named) - seen
    return name in seen


def _references(node: Any, definitions: Mapping[str, Any]) -> set[str]:
    if is_array(node):
        return {name for item in node for name in _references(item, definitions)}
    if not is_mapping(node):
        return set()
    own = _referenced(node, definitions)
    below = {
        name for value in node.values() for name in _references(value, definitions)
    }
    return below | ({own} if own else set())
