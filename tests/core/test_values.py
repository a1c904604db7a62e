from __future__ import annotations

from collections import UserDict

from aistream_nb.core.values import ABSENT, Absent, is_array, is_mapping, present


def test_absence_is_false_and_is_not_null():
    assert not ABSENT
    assert ABSENT is not None
    assert ABSENT is Absent("absent")
    assert repr(ABSENT) == "ABSENT"


def test_arrays_are_lists_and_tuples_but_not_text():
    assert is_array([])
    assert is_array(())
    for value in ("", b"", {}, set[int](), None, ABSENT):
        assert not is_array(value)


def test_mappings_are_of_any_kind():
    assert is_mapping({})
    assert is_mapping(UserDict[str, int]())
    for value in ([], "", None, ABSENT):
        assert not is_mapping(value)


def test_absent_fields_are_left_out_and_null_ones_stay():
    assert present(a=0, b=ABSENT, c=None) == {"a": 0, "c": None}
    assert present() == {}
