import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.formats.spreadsheet import csv_lines, neutralize, restore


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=cmd|" /C calc"!A0'])
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert neutralize(text) == "'" + text


@pytest.mark.parametrize("text", ["", "shoes", "a=b", "1-2", "'1", "it's", "nDCG(ideal='local')@10"])
def test_other_texts_stay_as_they_are(text):
    assert neutralize(text) == text


@given(st.text(st.sampled_from("'=+-@\t\ra")))
def test_every_text_comes_back(text):
    assert restore(neutralize(text)) == text


def test_numbers_stay_numbers_with_every_digit():
    assert "".join(csv_lines([[-1, -0.5, 0.1 + 0.2, None, "-1"]])) == "-1,-0.5,0.30000000000000004,,'-1\r\n"


def test_quotes_commas_and_line_breaks_come_back():
    row = ['say "hi", now', "two\nlines", "ünï"]

    assert list(csv.reader(io.StringIO("".join(csv_lines([row])), newline=""))) == [row]


def test_lines_are_made_one_by_one():
    def rows():
        yield ["a"]
        raise AssertionError("asked for too early")

    assert next(csv_lines(rows())) == "a\r\n"
