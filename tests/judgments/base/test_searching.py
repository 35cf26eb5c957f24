"""What is typed into a search box, as PostgreSQL is asked for it."""

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from judgments.base.searching import LONGEST, parse


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", ""),
        ("   ", ""),
        ("tent", "'tent':*"),
        ("two man tent", "'two' & 'man' & 'tent':*"),
        ('"two man" tent', "'two man' & 'tent':*"),
        ('tent "two man"', "'tent' & 'two man'"),
        ("tent “two man”", "'tent' & 'two man'"),
        ('tent "two ma', "'tent' & 'two ma':*"),
        ("tent -kids", "'tent' & !'kids'"),
        ('-"for kids" tent', "!'for kids' & 'tent':*"),
        ("state-of-the-art", "'state-of-the-art':*"),
        ("o'neill\\", "'o''neill\\\\':*"),
        ("a & !b | (c:*", "'a' & '!b' & '(c:*':*"),
        ("- & ! ()", ""),
        ("tent !", "'tent'"),
        ("a\x00b", "'a' & 'b':*"),
    ],
)
def test_every_term_is_quoted_and_the_last_word_is_a_beginning(typed, words):
    assert parse(typed).words == words


@pytest.mark.parametrize(
    ("typed", "phrases"),
    [
        ("two tent", False),
        ('two "tent"', False),
        ('"two tent"', True),
        ("two -“man tent”", True),
        ("wi-fi", True),
    ],
)
def test_words_that_must_stand_side_by_side_are_known(typed, phrases):
    assert parse(typed).phrases == phrases


def test_a_search_is_read_up_to_a_length_that_postgresql_takes():
    search = parse("ü" * 10_000)

    assert len(search.text) == LONGEST
    assert len(search.words.encode()) < 2_046


def test_nothing_typed_looks_for_nothing():
    assert not parse(" \x00 ")
    assert parse("!").text == "!"


NASTY = st.text(st.sampled_from("ab é\"“'\\-!&|()<>:*@\x00\x1f%_\ud800²ß日😀,.;/+~#"), max_size=60)


@pytest.mark.django_db
@given(typed=NASTY | st.text(max_size=500))
def test_whatever_is_typed_postgresql_can_read_it(typed):
    search = parse(typed)

    with connection.cursor() as cursor:
        cursor.execute("SELECT to_tsquery('simple', %s)::text, %s::text", [search.words, search.text])

        assert cursor.fetchone()[1] == search.text
