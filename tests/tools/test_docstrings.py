from __future__ import annotations

import pytest

from aistream_nb.tools.docstrings import read_docstring

GOOGLE = """Move a file.

    It must exist.

    Args:
        source (str): Where it is
            now.
        target: Where it goes.
        *rest: What else.

    Returns:
        The new place.
    """

NUMPY = """Move a file.

    It must exist.

    Parameters
    ----------
    source : str
        Where it is
        now.
    target, other
        Where it goes.

    Returns
    -------
    str
        The new place.
    """

SPHINX = """Move a file.

    It must exist.

    :param str source: Where it is
        now.
    :param target: Where it goes.
    :type target: str
    :returns: The new place.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX])
def test_three_forms_of_docstrings_say_the_same(text):
    read = read_docstring(text)

    assert read.description == "Move a file.\n\nIt must exist."
    assert read.parameters["source"] == "Where it is now."
    assert read.parameters["target"] == "Where it goes."


def test_stars_are_no_part_of_a_name():
    assert read_docstring(GOOGLE).parameters["rest"] == "What else."


def test_several_names_may_share_a_numpy_entry():
    assert read_docstring(NUMPY).parameters["other"] == "Where it goes."


def test_no_docstring_says_nothing():
    assert read_docstring(None).description == ""
    assert read_docstring("").parameters == {}


def test_prose_with_a_colon_is_no_section():
    text = "Do it.\n\nNote well: this is prose.\nReturns nothing."
    assert read_docstring(text).description == text


def test_a_heading_without_an_underline_is_prose():
    assert read_docstring("Do it.\n\nParameters").description == "Do it.\n\nParameters"
    text = "Do it.\n\nParameters\nare none."
    assert read_docstring(text).description == text


def test_entries_of_no_known_form_are_passed_over():
    text = "Do it.\n\nArgs:\n    ???\n    path: Where.\n"
    assert read_docstring(text).parameters == {"path": "Where."}
    text = "Do it.\n\nParameters\n----------\n(?)\n    Nothing.\npath\n    Where.\n"
    assert read_docstring(text).parameters == {"path": "Where."}


def test_an_empty_section_has_no_parameters():
    assert read_docstring("Do it.\n\nArgs:\n").parameters == {}


def test_the_first_description_of_a_parameter_stands():
    text = "Do it.\n\n:param path: One.\n:param path: Two.\n"
    assert read_docstring(text).parameters == {"path": "One."}
