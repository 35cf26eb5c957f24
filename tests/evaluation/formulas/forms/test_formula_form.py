import pytest
from django.http import QueryDict

from evaluation.formulas.forms import FormulaForm, formula_parameters
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.scale import ScaleInfo

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
        ("unjudged=condensed&zero=1", Formula(unjudged="condensed", zero=1)),
        ("zero=skip&missing=skip", Formula(zero="skip", missing="skip")),
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


def test_further_measures_and_the_average_are_read():
    form = read("measures=AP+RR@10~2&average=median")

    assert form.is_valid(), form.errors
    assert form.measures == ((parse("AP"), None), (parse("RR@10"), 2))
    assert form.average == "median"
    assert form.parameters == {"measures": "AP RR@10~2", "average": "median"}


def test_a_bad_measure_stays_as_it_was_typed_when_the_cutoff_changes():
    form = read("measures=P@5+RR@@5&k=3&was_k=5")

    assert not form.is_valid()
    assert form["measures"].value() == "P@5 RR@@5"


@pytest.mark.parametrize(
    ("query", "measures"),
    [
        ("measures=P@5+AP&k=3&was_k=5", "P@3 AP"),
        ("measures=P@5+AP&k=3&was_k=10", "P@5 AP"),
        ("measures=P@5&k=3", "P@5"),
        ("measures=P@5&k=3&was_k=0", "P@5"),
        ("measures=P@5&k=5&was_k=5", "P@5"),
    ],
)
def test_measures_at_the_cutoff_follow_it(query, measures):
    form = read(query)

    assert form.is_valid(), form.errors
    assert form.parameters["measures"] == measures


@pytest.mark.parametrize("cutoff", ["", "x", "0", "²", "9999999"])
def test_a_preset_without_a_cutoff_that_makes_sense_has_the_default(cutoff):
    form = FormulaForm(QueryDict(f"choice=ms-marco&k={cutoff}"), LEVELS)

    assert form.is_valid()
    assert str(form.measures[0]) == "RR@10"
