"""How the log is worded."""

from collections import Counter

import pytest

from judgments.log.reports.log import Cursor, Entry
from judgments.log.reports.log_words import GROUPS, fields_of, in_words, verb_in_words
from judgments.models import Verb
from tests import factories as make


def test_every_verb_is_found_by_one_filter():
    counts = Counter(verb for _, verbs in GROUPS.values() for verb in verbs)

    assert counts == dict.fromkeys(Verb, 1)


@pytest.mark.parametrize("verb", Verb)
def test_every_verb_has_words(verb):
    assert verb_in_words(verb.value) == verb.label


def test_a_verb_of_another_version_is_told_as_it_stands():
    assert verb_in_words("turned-round") == "turned round"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        ("", "–"),
        ([], "–"),
        ({}, "–"),
        (False, "no"),
        (True, "yes"),
        (0, "0"),
        (12345, "12,345"),
        (0.1, "0.1"),
        (2.0, "2"),
        ("text", "text"),
        (["a", 1], "a\n1"),
        ({"Rita": "Rater"}, "Rita: Rater"),
    ],
)
def test_values_are_told_for_people(value, words):
    assert in_words(value) == words


def test_fields_have_names_and_a_dash_where_there_is_nothing():
    first, second = fields_of({"sha256": "ab"}, {"some_field": 1})

    assert (first.name, first.before, first.after) == ("SHA-256", "ab", "–")
    assert (second.name, second.before, second.after) == ("Some field", "–", "1")


def test_fields_stand_in_the_order_in_which_they_are_read():
    kept = {"new": 3, "file": "a.csv", "sha256": "ab", "zebra": 1, "changed": 0, "unchanged": 2, "ant": 2}

    names = [field.name for field in fields_of({}, kept)]

    assert names == ["File", "New", "Changed", "Unchanged", "SHA-256", "Ant", "Zebra"]


def test_a_text_of_which_the_log_keeps_the_beginning_is_known():
    kept, other, whole = fields_of(
        {"body": "x…", "title": "a…", "url": "b"}, {"body": "x…", "title": "b", "url": "c"}
    )

    assert (kept.name, kept.beyond, kept.is_cut) == ("Title", False, True)
    assert (other.name, other.beyond, other.is_cut) == ("Body", True, True)
    assert (whole.beyond, whole.is_cut) == (False, False)


def test_of_a_long_text_only_the_lines_that_differ_are_shown():
    same = "A line that is long enough.\n" * 20

    (field,) = fields_of({"guidelines": f"{same}old"}, {"guidelines": f"first\n{same}new"})

    assert field.before == "…\nold"
    assert field.after == "first\n…\nnew"


def test_a_long_line_is_cut():
    (field,) = fields_of({"note": "x" * 5_000}, {"note": "y"})

    assert (len(field.before), field.before[-1], field.after) == (2_000, "…", "y")


@pytest.mark.parametrize(
    ("before", "after", "brief"),
    [
        ({}, {"file": "a.csv", "new": 3}, "a.csv"),
        ({}, {"pairs": 3}, ""),
        ({"overlap": 1}, {"overlap": 2}, "Raters per pair: 1 → 2"),
        ({"name": "x" * 41}, {"name": "y"}, "Name"),
        ({"guidelines": "a\nb"}, {"guidelines": "a"}, "Guidelines"),
        ({"overlap": 1, "rule": "Mean"}, {"overlap": 2, "rule": "Median"}, "Consensus rule, Raters per pair"),
        ({"overlap": 1}, {}, ""),
    ],
)
def test_what_stands_beside_the_sentence_is_short(before, after, brief):
    entry = Entry(make.NOW, "ada", "changed", "list", before, after, "", None, None, None, None)

    assert entry.brief == brief


def test_a_verb_that_says_what_changed_needs_no_name_of_it():
    before, after = {"role": "Rater"}, {"role": "Admin"}
    entry = Entry(make.NOW, "ada", "changed the role of", "rita", before, after, "", None, None, None, None)

    assert entry.brief == "Rater → Admin"


@pytest.mark.parametrize("text", ["", "x", "1", "1-", "-1-2", "1-2-3", "١-٢", "1" * 20 + "-1"])
def test_a_place_that_cannot_be_read_is_the_beginning(text):
    assert Cursor.read(text) == Cursor()


def test_a_place_is_read_as_it_was_written():
    assert Cursor.read(str(Cursor(12, 3))) == Cursor(12, 3)
    assert Cursor.read("9999999999999999999-1").act == Cursor().act
