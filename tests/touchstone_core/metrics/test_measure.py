import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.metrics.measures import measures
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.definitions import DEFINITIONS
from touchstone_core.metrics.errors import ChoiceError, TextError
from touchstone_core.metrics.formula import GREATEST_CUTOFF
from touchstone_core.metrics.grammar import read, split
from touchstone_core.metrics.measure import Measure, parse
from touchstone_core.metrics.parameters import PARAMETERS
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.scale import ScaleInfo


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
    assert [one.measure for _, one in read_rounded(blank.join(map(str, several)) + blank)] == several


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
        ("AP(rel=999999999999999)", "AP(rel=999999999999999)"),
        ("AP(rel=1e15)", "AP(rel=1000000000000000.0)"),
        ("AP(rel=1e17)", "AP(rel=1e+17)"),
        ("ndcg_cut_10", "nDCG@10"),
        (" NDCG_cut.10 ", "nDCG@10"),
        ("map_cut_100", "AP@100"),
        ("P_10", "P@10"),
        ("p.5", "P@5"),
        ("recall_1000", "R@1000"),
        ("success.3", "Success@3"),
        ("recip_rank", "RR"),
        ("ndcg", "nDCG"),
        ("map", "AP"),
        ("Rprec", "Rprec"),
    ],
)
def test_a_text_becomes_canonical(text, canonical):
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "character", "sentence"),
    [
        ("", 1, "the text ends too early, expected the name of a measure such as nDCG"),
        ("@10", 1, "expected the name of a measure such as nDCG"),
        ("nDCG@", 5, "the text ends too early, expected a cutoff such as 10"),
        ("nDCG@ten", 6, "expected a cutoff such as 10"),
        ("nDCG@-1", 6, "expected a cutoff such as 10"),
        ("nDCG 10", 6, "expected a cutoff such as @10, or the end"),
        ("nDCG@10 20", 9, "expected the end"),
        ("nDCG(", 5, "the text ends too early, expected a parameter such as gain='exp'"),
        ("nDCG(gain)", 10, "expected an equals sign"),
        ("nDCG(gain=exp)", 11, "expected a number or a text in quotes"),
        ("nDCG(gain='exp)", 11, "expected a number or a text in quotes"),
        ("nDCG(gain='exp' zero=1)", 17, "expected a comma or a closing bracket"),
        ("nDCG(zero=1, zero=1)", 14, "the parameter zero is repeated"),
        ("nDCG(gain='exp', dcg='exp-log2')", 18, "dcg sets gain a second time"),
        (
            "nDCG(gian='exp')@10",
            6,
            "nDCG has no parameter gian. Use gain, discount, base, missing, unjudged, ideal, depth, max, zero",
        ),
        ("nDCG(zero=1, gain='cubic')@10", 14, "gain can’t be 'cubic'. Use one of linear, exp, table"),
        (
            "nDCG(dcg='ln')@10",
            6,
            "nDCG has no parameter dcg. Use gain, discount, base, missing, unjudged, ideal, depth, max, zero",
        ),
        (" P(dcg='exp-log2')@5", 2, "P has no parameter gain. Use missing, rel, unjudged"),
        ("nDCG(zero=2)", 6, "zero can’t be 2. Use one of 0, 1, skip"),
        ("nDCG(zero=True)", 6, "zero can’t be True. Use one of 0, 1, skip"),
        ("nDCG(base=3)", 6, "base needs discount='jk'"),
        ("nDCG(discount='jk', base=1)", 21, "base can’t be 1. Use a number above 1"),
        ("nDCG(discount='jk', base='2')", 21, "base can’t be '2'. Use a number above 1"),
        (
            "nDCG(ideal='recall', depth=5)@10",
            22,
            "depth can’t be 5. Give a cutoff, and a depth that is not below it",
        ),
        (
            "nDCG(ideal='recall', depth=5)",
            22,
            "depth can’t be 5. Give a cutoff, and a depth that is not below it",
        ),
        (
            "nDCG(ideal='recall', depth=20.5)@10",
            22,
            "depth can’t be 20.5. Use a whole number from 1 to 100000",
        ),
        ("nDCG(depth=20)@10", 6, "depth needs ideal='recall'"),
        ("nDCG(ideal='max')", 6, "ideal='max' needs a cutoff, as there is a top grade at every rank"),
        ("nDCG(max=4)@10", 6, "max needs ideal='max'"),
        (
            "nDCG(gain='table', ideal='max', max=4)@10",
            33,
            "max can’t be used with gain='table', whose greatest gain is the top",
        ),
        ("nDCG@0", 5, "the cutoff can’t be 0. Use a whole number from 1 to 100000"),
        ("nDCG@100001", 5, "the cutoff can’t be 100001. Use a whole number from 1 to 100000"),
        ("P", 1, "P needs a cutoff such as P@10"),
        ("Rprec@10", 6, "Rprec has no cutoff. Leave it out"),
        ("RBP(max=3, rel=1)", 5, "rel and max can’t be used together: with rel a document counts 1 or 0"),
        ("RBP(p=1)", 5, "p can’t be 1. Use a number between 0 and 1"),
        (f"AP(rel={'9' * 400})", 4, "rel can’t be inf. Use a number from 0"),
        ("ndcg_cut", 1, "ndcg_cut needs a cutoff. Write nDCG@10"),
        ("ndcg_cut.5,10", 10, "expected one cutoff. Write nDCG@5 nDCG@10"),
        ("P_,", 3, "expected one cutoff. Write P@10"),
        ("P_0", 1, "the cutoff can’t be 0. Use a whole number from 1 to 100000"),
        *[
            (text, 1, f"there is no measure {word}. Use one of {', '.join(DEFINITIONS)}, as in nDCG@10")
            for text, word in {
                "ndcg10": "ndcg10",
                "nDCG_10": "nDCG_10",
                "alpha_nDCG@10": "alpha_nDCG",
                "gm_map": "gm_map",
                "iprec_at_recall_0.10": "iprec_at_recall_0.10",
                "R-precision": "R-precision",
                "NERR8(rel=1)@10": "NERR8",
                "Foo@3": "Foo",
            }.items()
        ],
    ],
)
def test_a_text_that_is_no_measure_is_refused_at_a_character(text, character, sentence):
    with pytest.raises(TextError) as error:
        parse(text)

    shown = text if len(text) <= 80 else text[:79] + "…"
    assert str(error.value) == f"“{shown}” can’t be read as a measure. At character {character}: {sentence}."
    assert error.value.position == character - 1


@pytest.mark.parametrize(("length", "shown"), [(80, "x" * 80), (81, "x" * 79 + "…")])
def test_a_long_text_is_shortened_where_it_is_refused(length, shown):
    with pytest.raises(
        TextError, match=f"^“{shown}” can’t be read as a measure. At character 1: there is no measure"
    ):
        parse("x" * length)


@pytest.mark.parametrize(
    "name",
    ["ndcg", "ndcg_cut_2", "ndcg_cut.2", "map", "map_cut_2", "P_2", "recall_2", "success_2", "recip_rank", "Rprec", "bpref", "infAP"],
)  # fmt: skip
def test_a_name_of_trec_eval_has_its_value(name):
    qrels = {"q1": {"a": 1, "b": 3, "c": 0, "d": 2}, "q2": {"a": 0, "b": 1}}
    rankings = {"q1": ["c", "b", "x", "a"], "q2": ["x", "b", "a"]}
    scores = {
        query: {document: float(9 - rank) for rank, document in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    found = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(scores)
    queries, run = join(qrels, rankings, ScaleInfo(top_grade=3))

    expected = [found[query][name.replace(".", "_")] for query in queries]
    assert parse(name).values(run).tolist() == pytest.approx(expected, abs=1e-9)


def test_among_several_measures_the_character_is_counted_from_the_start():
    with pytest.raises(TextError, match="At character 13: nDCG has no parameter gian"):
        list(read_rounded("AP P@5 nDCG(gian='exp')@10 RR"))
    with pytest.raises(TextError, match="At character 10: the text ends too early"):
        list(read_rounded("AP nDCG(  "))


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


def test_a_bracket_too_many_ends_with_its_piece():
    assert list(split("AP) P@5 (R @3) x(")) == [(0, "AP)"), (4, "P@5"), (8, "(R @3)"), (15, "x(")]


def test_a_number_of_more_than_18_digits_is_no_whole_number():
    values = read("AP(a=999999999999999999, b=1000000000000000000, c=1.0)").parameters

    assert [repr(value) for value in values.values()] == ["999999999999999999", "1e+18", "1.0"]


def test_a_measure_can_be_built_from_its_parts():
    assert Measure.of("nDCG", 10, ideal="recall", gain="exp") == parse("nDCG(gain='exp', ideal='recall')@10")


@pytest.mark.parametrize("cutoff", [0, True, 1.5, 10**9])
def test_a_cutoff_that_is_no_rank_is_refused_at_construction(cutoff):
    with pytest.raises(ChoiceError, match="the cutoff can’t be "):
        Measure.of("nDCG", cutoff)


def test_the_greatest_cutoff_is_a_cutoff():
    assert str(Measure.of("nDCG", GREATEST_CUTOFF)) == "nDCG@100000"


@pytest.mark.parametrize(
    ("name", "cutoff", "parameters", "part"),
    [
        ("Foo", 10, {}, ""),
        ("P", None, {}, ""),
        ("Rprec", 10, {}, "@"),
        ("P", 0, {}, "@"),
        ("P", 10, {"gain": "exp"}, "gain"),
        ("nDCG", 10, {"zero": 2}, "zero"),
    ],
)
def test_a_refusal_names_the_part_at_fault(name, cutoff, parameters, part):
    with pytest.raises(ChoiceError) as raised:
        Measure.of(name, cutoff, **parameters)

    assert raised.value.part == part


def test_every_parameter_belongs_to_a_measure_and_is_explained():
    assert {
        name for definition in DEFINITIONS.values() for name in definition.parameters
    } == PARAMETERS.keys()
