"""Whether edited arguments fit the schema of their tool, as a sentence for a card.

Apart from :mod:`aistream_nb.widgets.approval`, because jsonschema can take more than a
second to import, and a view is displayed long before somebody edits an argument.
"""

from __future__ import annotations

from typing import Any, cast

from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

__all__ = ["misfit_words"]


def misfit_words(value: Any, schema: dict[str, Any]) -> str:
    """The first way in which a value does not fit, with its place; empty if it fits.

    >>> misfit_words({"n": "x"}, {"properties": {"n": {"type": "integer"}}})
    "The edited arguments do not fit at ['n']: 'x' is not of type 'integer'"
    """
    kind: type[Validator] = validator_for(schema)
    try:
        kind.check_schema(schema)
    except SchemaError:
        return ""  # a tool with a broken schema is refused where the tool is made
    # An empty registry: a reference in a stranger's schema must fetch nothing.
    check: Any = cast("type[Any]", kind)(schema, registry=Registry())
    try:
        error = next(iter(check.iter_errors(value)), None)
    except Unresolvable:
        return (
            "The edited arguments cannot be checked: the tool's schema refers to a "
            "schema that is not part of it."
        )
    if error is None:
        return ""
    place = "".join(f"[{step!r}]" for step in error.absolute_path)
    return f"The edited arguments do not fit at {place or 'the top'}: {error.message}"
