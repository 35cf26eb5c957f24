import pytest
from django.http import QueryDict

from evaluation.forms.formula import FormulaForm, formula_parameters
from evaluation.metrics.formula import Formula
from evaluation.metrics.scale import ScaleInfo

LEVELS = ScaleInfo(top_grade=3, gains={0: 0, 1: 1, 2: 2, 3: 3})
SLIDER = ScaleInfo(top_grade=100)
ENDLESS = ScaleInfo(top_grade=1000)


def read(query, scale=LEVELS):
    return FormulaForm(QueryDict(query), scale)


def test_an_empty_url_is_the_default_formula():
    form = read("")

    assert form.is_valid()
    assert form.formula == Formula()


@pytest.mark.parametrize(
    ("query", "formula"),
    [
        ("k=5&gain=exp", Formula(cutoff=5, gain="exp")),
        ("discount=jk", Formula(discount="jk")),
        ("discount=jk&base=3.5", Formula(discount="jk", base=3.5)),
        ("discount=log2&base=3", Formula()),
        ("k=3&depth=50&gain=table&discount=none", Formula(cutoff=3, depth=50, gain="table", discount="none")),
    ],
)
def test_a_url_says_the_formula_and_the_formula_the_url(query, formula):
    form = read(query)

    assert form.is_valid(), form.errors
    assert form.formula == formula
    again = QueryDict(mutable=True)
    again.update(formula_parameters(formula))
    assert read(again.urlencode()).is_valid()
    assert FormulaForm(again, LEVELS).data.items() >= formula_parameters(formula).items()


@pytest.mark.parametrize(
    "query",
    [
        "k=0",
        "k=1.5",
        "k=x",
        "gain=log",
        "discount=zipf",
        "discount=jk&base=1",
        "discount=jk&base=inf",
        "depth=3",
        "depth=x",
    ],
)
def test_what_is_no_formula_is_never_a_default(query):
    form = read(query)

    assert not form.is_valid()
    assert form.errors


@pytest.mark.parametrize(("query", "scale"), [("gain=table", SLIDER), ("gain=exp", ENDLESS)])
def test_a_gain_that_the_scale_cannot_have_is_refused(query, scale):
    assert not read(query, scale).is_valid()
