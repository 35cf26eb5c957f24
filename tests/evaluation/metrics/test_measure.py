import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.arrays import ScaleInfo, join
from evaluation.metrics.definitions import DEFINITIONS
from evaluation.metrics.errors import ChoiceError, MetricsError, TextError
from evaluation.metrics.formula import IDEALS
from evaluation.metrics.ladder import ladder
from evaluation.metrics.measure import Measure, parse, parse_many
from evaluation.metrics.parameters import PARAMETERS
from tests.evaluation.metrics.measures import measures
from tests.evaluation.metrics.scenes import formulas, scenes


@given(measures())
def test_a_measure_is_what_its_text_says(measure):
    assert parse(str(measure)) == measure
    assert hash(parse(str(measure))) == hash(measure)
    assert str(parse(str(measure))) == str(measure)


@given(measures(), measures())
def test_two_measures_share_a_text_only_when_they_are_equal(first, second):
    assert (str(first) == str(second)) == (first == second)


@given(st.lists(measures()), st.sampled_from([" ", "  ", "\n", "\t "]))
def test_measures_stand_between_white_space(several, blank):
    assert parse_many(blank.join(map(str, several)) + blank) == tuple(several)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        (
            " NDCG( ideal = \"recall\",gain='exp', depth=20 )@10 ",
            "nDCG(depth=20, gain='exp', ideal='recall')@10",
        ),
        ("nDCG(gain='linear', zero=0, unjudged='zero', missing=0)", "nDCG"),
        ("nDCG(discount='jk', base=2.0)@10", "nDCG(discount='jk')@10"),
        ("ndcg(dcg='exp-log2')@10", "nDCG(gain='exp')@10"),
        ("nDCG(dcg='log2', judged_only=False)@10", "nDCG@10"),
        ("nDCG(judged_only=True)@5", "nDCG(unjudged='condensed')@5"),
        ("nDCG()@5", "nDCG@5"),
        ("p(rel=2.0)@5", "P(rel=2)@5"),
        ("RBP(p=0.80)", "RBP"),
        ("rbpres(p=0.950)", "RBPres(p=0.95)"),
        ("MAP", "AP"),
        ("mrr@10", "RR@10"),
        ("Recall@1000", "R@1000"),
        ("Precision@3", "P@3"),
        ("BPref", "Bpref"),
        ("infap(rel=1)", "infAP(rel=1)"),
        ("AP(rel=1e17)", "AP(rel=1e+17)"),
    ],
)
def test_a_text_becomes_canonical(text, canonical):
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "character", "sentence"),
    [
        ("", 1, "where the text ends, expected the name of a measure"),
        ("@10", 1, "expected the name of a measure"),
        ("nDCG@", 5, "where the text ends, expected a cutoff such as 10"),
        ("nDCG@ten", 6, "expected a cutoff"),
        ("nDCG@-1", 6, "expected a cutoff"),
        ("nDCG 10", 6, "expected a cutoff such as @10, or the end"),
        ("nDCG@10 20", 9, "expected the end"),
        ("nDCG(", 5, "where the text ends, expected a parameter such as gain='exp'"),
        ("nDCG(gain)", 10, "expected an equals sign"),
        ("nDCG(gain=exp)", 11, "expected a number or a text in quotes"),
        ("nDCG(gain='exp)", 11, "expected a number or a text in quotes"),
        ("nDCG(gain='exp' zero=1)", 17, "expected a comma or a closing bracket"),
        ("nDCG(zero=1, zero=1)", 14, "the parameter zero stands a second time"),
        ("nDCG(gain='exp', dcg='exp-log2')", 18, "dcg says gain a second time"),
        ("nDCG(gian='exp')@10", 6, "nDCG has no parameter gian; it takes"),
        ("nDCG(zero=1, gain='cubic')@10", 14, "gain is 'cubic'; expected one of linear, exp, table"),
        ("nDCG(dcg='ln')@10", 6, "nDCG has no parameter dcg"),
        ("nDCG(zero=2)", 6, "zero is 2; expected one of 0, 1, skip"),
        ("nDCG(zero=True)", 6, "zero is True; expected"),
        ("nDCG(base=3)", 6, "base belongs to discount='jk'"),
        ("nDCG(discount='jk', base=1)", 21, "base is 1; expected a number above 1"),
        ("nDCG(discount='jk', base='2')", 21, "base is '2'"),
        ("nDCG(ideal='recall', depth=5)@10", 22, "depth is 5; expected at least the cutoff"),
        ("nDCG(ideal='recall', depth=5)", 22, "the cutoff, which must be given"),
        ("nDCG(ideal='recall', depth=20.5)@10", 22, "depth is 20.5; expected a whole number"),
        ("nDCG(depth=20)@10", 6, "depth belongs to ideal='recall'"),
        ("nDCG(ideal='max')", 6, "ideal='max' needs a cutoff"),
        ("nDCG(max=4)@10", 6, "max belongs to ideal='max'"),
        ("nDCG(gain='table', ideal='max', max=4)@10", 33, "max does not go with gain='table'"),
        ("nDCG@0", 5, "the cutoff is 0; expected a whole number from 1 to 100000"),
        ("nDCG@100001", 5, "the cutoff is 100001"),
        ("P", 1, "P needs a cutoff such as P@10"),
        ("Rprec@10", 6, "Rprec takes no cutoff"),
        ("RBP(max=3, rel=1)", 5, "rel and max exclude each other"),
        ("RBP(p=1)", 5, "p is 1; expected a number between 0 and 1"),
        (f"AP(rel={'9' * 400})", 4, "rel is inf; expected a number from 0"),
        ("Foo@3", 1, "there is no measure Foo; there are nDCG, DCG"),
    ],
)
def test_a_text_that_is_no_measure_is_refused_at_a_character(text, character, sentence):
    with pytest.raises(TextError) as error:
        parse(text)

    assert str(error.value).startswith(f"“{text[:79]}")
    assert f"at character {character}, " in str(error.value)
    assert sentence in str(error.value)
    assert error.value.position == character - 1


def test_among_several_measures_the_character_is_counted_from_the_start():
    with pytest.raises(TextError, match="at character 13, nDCG has no parameter gian"):
        parse_many("AP P@5 nDCG(gian='exp')@10 RR")
    with pytest.raises(TextError, match="at character 10, where the text ends"):
        parse_many("AP nDCG(  ")


@given(st.text(max_size=30) | st.from_regex(r"[A-Za-z]{1,5}\([a-z=',0-9 ]*\)@[0-9]+", fullmatch=True))
def test_any_text_is_a_measure_or_refused_inside_itself(text):
    check_measure_or_refused(text)


@given(measures().map(str), st.data())
def test_a_text_with_a_slip_is_a_measure_or_refused_inside_itself(text, data):
    place = data.draw(st.integers(0, len(text)))
    slip = data.draw(st.sampled_from(["", "x", "(", ")", "'", ",", "@", " ", "=", "9", "-"]))
    check_measure_or_refused(text[:place] + slip + text[place + data.draw(st.integers(0, 1)) :])


def check_measure_or_refused(text):
    refused, measure = refusal(text)
    if refused is None:
        assert parse(str(measure)) == measure
    else:
        assert 0 <= refused.position < max(len(text), 1)
        assert "\n" in text or "\n" not in str(refused)


def refusal(text):
    try:
        return None, parse(text)
    except TextError as error:
        return error, None


def test_a_measure_can_be_built_from_its_parts():
    assert Measure.of("nDCG", 10, ideal="recall", gain="exp") == parse("nDCG(gain='exp', ideal='recall')@10")


@pytest.mark.parametrize("cutoff", [0, True, 1.5, 10**9])
def test_a_cutoff_that_is_no_rank_is_refused_at_construction(cutoff):
    with pytest.raises(ChoiceError, match="the cutoff is"):
        Measure.of("nDCG", cutoff)


@given(scenes(), formulas(), st.sampled_from(IDEALS))
def test_the_texts_of_a_formula_are_measures_of_the_same_values(scene, formula, ideal):
    _, run = scene.join()
    scored = ladder(run, formula)

    ndcg, dcg = parse(formula.measure(ideal)), parse(formula.dcg_measure())

    assert (str(ndcg), str(dcg)) == (formula.measure(ideal), formula.dcg_measure())
    assert ndcg.values(run) == pytest.approx(scored.ndcg(ideal), rel=1e-12)
    assert dcg.values(run).tolist() == scored.dcg.tolist()
    assert parse(f"Judged@{formula.cutoff}").values(run).tolist() == scored.judged_at_k.tolist()
    assert parse(f"Holes@{formula.cutoff}").values(run).tolist() == scored.holes.tolist()


SHARES = [name for name in DEFINITIONS if name not in {"DCG", "IDCG", "CG", "Holes"}]


@given(scenes(), measures(SHARES))
def test_a_share_lies_between_0_and_1_or_is_left_out(scene, measure):
    _, run = scene.join()

    values = measure.values(run)

    assert values.shape == (run.queries,)
    assert values.dtype == np.float64
    counted = values[~np.isnan(values)]
    assert ((counted >= 0) & (counted <= 1 + 1e-12)).all()
    assert (measure.mean(values) is None) == (counted.size == 0)


@given(scenes(), measures())
def test_a_missing_query_counts_0_or_is_left_out(scene, measure):
    _, run = scene.join()

    values = measure.values(run)[~run.answered]

    if measure.name == "IDCG" and ("missing", "skip") not in measure.parameters:
        assert (values >= 0).all()
    elif ("missing", "skip") in measure.parameters:
        assert np.isnan(values).all()
    else:
        assert (np.nan_to_num(values) == 0).all()


@given(scenes())
def test_the_ideals_of_a_measure_rise(scene):
    _, run = scene.join()

    hits, local, recall, whole, uncut = (
        parse(f"nDCG(ideal='{ideal}')@3").values(run)
        for ideal in ("global-hits", "local", "recall", "global", "global-uncut")
    )

    assert (uncut <= whole + 1e-12).all()
    assert (whole <= recall + 1e-12).all()
    assert (recall <= local + 1e-12).all()
    assert (whole <= hits + 1e-12).all()


POLICIES = join(
    {
        "found": {"a": 1, "b": 1},
        "missing": {"a": 1},
        "nothing relevant": {"a": 0},
        "nothing relevant, missing": {"a": 0},
        "empty": {"a": 1},
    },
    {"found": ["x", "a"], "nothing relevant": ["a"], "empty": []},
    ScaleInfo(top_grade=1),
)[1]
NAN = pytest.approx(np.nan, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("RR", [0.5, 0, 0, 0, 0]),
        ("RR(missing='skip')", [0.5, NAN, 0, NAN, 0]),
        ("RR(unjudged='condensed')", [1, 0, 0, 0, 0]),
        ("nDCG(ideal='local')@2", [pytest.approx(0.6309, abs=1e-4), 0, 0, 0, 0]),
        ("nDCG(ideal='local', zero=1)@2", [pytest.approx(0.6309, abs=1e-4), 0, 1, 0, 1]),
        ("nDCG(ideal='local', zero='skip')@2", [pytest.approx(0.6309, abs=1e-4), 0, NAN, NAN, NAN]),
        ("nDCG(zero='skip', discount='none')@2", [0.5, 0, NAN, NAN, 0]),
        ("nDCG(zero='skip', missing='skip', discount='none')@2", [0.5, NAN, NAN, NAN, 0]),
        ("IDCG(discount='none')@2", [2, 1, 0, 0, 1]),
        ("RBPres(p=0.5)", [0.75, 0, 0.5, 0, 1]),
        ("Judged", [0.5, 0, 1, 0, 0]),
        ("Holes", [1, 0, 0, 0, 0]),
        ("CG@2", [1, 0, 0, 0, 0]),
    ],
)
def test_the_policies_say_what_a_query_counts(text, values):
    assert parse(text).values(POLICIES).tolist() == values


def test_queries_that_are_left_out_are_not_in_the_mean():
    measure = parse("nDCG(missing='skip', zero='skip', discount='none')@2")

    assert measure.mean(measure.values(POLICIES)) == 0.25
    assert measure.mean(np.array([np.nan])) is None


def test_the_threshold_and_the_top_are_the_scales_unless_said():
    _, run = join({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, ScaleInfo(top_grade=4, threshold=2))

    def value(text):
        return parse(text).values(run)[0]

    assert (value("RR"), value("RR(rel=1)"), value("RR(rel=3)")) == (0.5, 1, 0)
    assert value("nDCG(ideal='max', discount='none')@2") == 3 / 8
    assert value("nDCG(ideal='max', max=2, discount='none')@2") == 3 / 4
    assert value("ERR@1") == 1 / 16
    assert value("ERR(max=2)@1") == 1 / 4
    assert value("RBP(p=0.5)") == pytest.approx(1 / 8 + 1 / 8)
    assert value("RBP(max=2, p=0.5)") == pytest.approx(1 / 4 + 1 / 4)
    assert value("RBP(p=0.5, rel=2)") == pytest.approx(1 / 4)


@pytest.mark.parametrize("text", ["ERR(max=1)", "RBP(max=1)", "nDCG(ideal='max', max=1)@3"])
def test_a_grade_above_the_top_that_is_said_is_refused(text):
    _, run = join({"q": {"a": 2}}, {"q": ["a"]}, ScaleInfo(top_grade=2))

    with pytest.raises(MetricsError, match="grade 2 lies above the top"):
        parse(text).values(run)


@given(scenes(queries=0), measures())
def test_without_queries_there_are_no_values(scene, measure):
    assert measure.values(scene.join()[1]).tolist() == []


def test_every_parameter_belongs_to_a_measure_and_is_explained():
    assert {
        name for definition in DEFINITIONS.values() for name in definition.parameters
    } == PARAMETERS.keys()
