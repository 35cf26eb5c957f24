"""JSON documents piece by piece, with lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.json_items import Item, items
from touchstone_core.formats.problems import FormatError


def read(content, *lists):
    return list(items(text_of(content), lists))


def test_lists_that_are_asked_for_are_taken_apart_and_others_stay_whole():
    assert read('{\n"a": [1,\n {"b": 2}],\n"c": [3],\n"d": [ ]}', "a", "d") == [
        Item(2, "a", 0, 1),
        Item(3, "a", 1, {"b": 2}),
        Item(4, "c", None, [3]),
    ]
    assert read("[ ]") == read(" { } ") == []
    assert read("[1,\n\n2]") == [Item(1, "", 0, 1), Item(3, "", 1, 2)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{\n1: 2}", "line 2, expected a name in quotes"),
        ('{"a" 2}', "line 1, expected “:”"),
        ('{"a": 2\n"b": 3}', "line 2, expected “,”"),
        ('{"a": }', "line 1, expected a JSON value"),
        ('{"a": 2', "is cut off: it ends on line 1"),
        ("[1,\n", "is cut off: it ends on line 1, in the middle of its JSON"),
        ('{"a": [1,\n 2', "is cut off: it ends on line 2, in the middle of its JSON"),
        ('{"a": "b\n', "is cut off: it ends on line 1"),
        ('{"a":\n "b', "is cut off: it ends on line 2"),
        ("[1,]", "line 1, expected a JSON value"),
        ("[1] 2", "expected nothing behind the end"),
        ('{"a": 1, "a": 2}', "the name “a” once"),
        ('[{"a": 1, "a": 2}]', "each name of an object once"),
        ("[NaN]", "a number, not NaN"),
        ("[" * 100_000, "of a depth and with numbers that can be read"),
        ("[" + "1" * 5000 + "]", "of a depth and with numbers that can be read"),
    ],
)
def test_what_is_not_json_is_refused_with_the_line(content, message):
    with pytest.raises(FormatError, match=message) as caught:
        read(content)
    assert caught.value.line


def test_neither_an_object_nor_a_list_is_refused():
    with pytest.raises(FormatError, match="neither a JSON object nor a list"):
        read("3")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 1]))
def test_every_object_comes_back(document, indent):
    members = read(json.dumps(document, indent=indent))

    assert {item.key: item.value for item in members} == document


@given(st.text(st.sampled_from('{}[]",:1 a\\\n')))
def test_nonsense_is_read_or_refused_with_a_line(content):
    assert outcome(content) != "no line"


def outcome(content):
    try:
        read(content, "a", "")
    except FormatError as error:
        return "refused" if error.line else "no line"
    return "read"
