"""A number is read however it was written down, and nothing else is taken for one."""

from decimal import Decimal

import pytest
from django.http import QueryDict
from django.utils.http import urlencode

from evaluation.guide.forms import ReconcileForm


def form_of(**parameters: str) -> ReconcileForm:
    return ReconcileForm(QueryDict(urlencode(parameters)))


@pytest.mark.parametrize(
    ("text", "number", "decimals", "cutoff"),
    [
        ("0.645", "0.645", 3, None),
        (".645", "0.645", 3, None),
        ("0.6450", "0.645", 4, None),
        ("0,645", "0.645", 3, None),
        ("64.5 %", "0.645", 3, None),
        ("64.5%", "0.645", 3, None),
        ("64.5", "0.645", 3, None),
        ("64 %", "0.64", 2, None),
        ("100 %", "1", 2, None),
        ("0.5%", "0.005", 3, None),
        ("NDCG@10 = 0.645", "0.645", 3, 10),
        ("NDCG@5: .7", "0.7", 1, 5),
        ("nDCG@20 0.31", "0.31", 2, 20),
        ("nDCG(base=3, discount='jk')@10 = 0.9", "0.9", 1, 10),
        ("ndcg_cut_10           \tall\t0.6450", "0.645", 4, None),
        ("  1.000 ", "1", 3, None),
        ("0.0", "0", 1, None),
        ("+0.25", "0.25", 2, None),
    ],
)
def test_a_number_is_read_with_its_digits(text, number, decimals, cutoff):
    form = form_of(number=text)

    assert form.is_valid(), form.errors
    assert form.cleaned_data["k"] == 10
    parsed = form.cleaned_data["number"]
    assert (parsed.number, parsed.decimals, parsed.cutoff) == (Decimal(number), decimals, cutoff)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a lot", "Enter one number"),
        ("0.6 and 0.7", "Enter one number"),
        ("6.45e-1", "Enter one number"),
        ("1.2.3", "Enter one number"),
        ("nan", "Enter one number"),
        ("inf", "Enter one number"),
        ("٠.٥", "Enter one number"),
        ("NDCG@10 =", "Enter one number"),
        ("@5 @10 0.5", "Enter one number"),
        ("1,234,567.8", "Enter one number"),
        ("-0.5", "between 0 and 1"),
        ("101", "between 0 and 1"),
        ("120 %", "between 0 and 1"),
        ("1", "at least one decimal"),
        ("0", "at least one decimal"),
        ("0.1234567890123", "at most 12 decimals"),
        ("@0 0.5", "cutoff after @"),
        ("@999999 0.5", "cutoff after @"),
        ("9" * 200, "Use at most 100."),
        ("0.5\x00", "Remove the character NUL"),
    ],
)
def test_what_is_no_such_number_is_refused_with_a_sentence(text, sentence):
    form = form_of(number=text)

    assert not form.is_valid()
    assert sentence in form.errors["number"][0]


def test_without_a_number_there_is_only_the_table():
    form = form_of(k="3")

    assert form.is_valid()
    assert (form.cleaned_data["k"], form.cleaned_data["number"]) == (3, None)


@pytest.mark.parametrize("k", ["0", "-1", "100001", "ten", "1.5"])
def test_a_bad_cutoff_is_refused(k):
    form = form_of(k=k)

    assert not form.is_valid()
    assert form.errors["k"]
