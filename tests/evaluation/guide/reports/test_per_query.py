"""Values of single queries from another tool, beside those of every formula."""

from decimal import Decimal

import pytest
import pytrec_eval

from evaluation.guide.reports.formula_words import USUAL, sentences
from evaluation.guide.reports.per_query import PastedError, PastedValues, compare_queries
from evaluation.guide.reports.reconcile import OtherNumber, Reconciliation, RunOrder
from judgments.models import Query
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.scale import ScaleInfo

SCALE = ScaleInfo(top_grade=3.0, threshold=1.0, bottom=0.0)
GRADES = {
    "q1": {"a": 3.0, "b": 2.0, "c": 0.0, "d": 1.0, "e": 3.0},
    "q2": {"a": 1.0, "b": 3.0, "c": 2.0},
    "q3": {"a": 2.0},
    "q4": {"a": 0.0},
}
RANKINGS = {"q1": ["b", "x", "d", "a", "c"], "q2": ["a", "c", "b"], "q4": ["a"]}
QUERIES = [Query(pk=place, external_id=name) for place, name in enumerate(GRADES, 1)]


@pytest.fixture
def reconciliation():
    names, judged = join(GRADES, RANKINGS, SCALE)
    assert list(names) == [query.external_id for query in QUERIES]
    return Reconciliation(judged)


def trec_eval() -> dict[str, float]:
    """NDCG@10 of each query that the run answers, by trec_eval itself."""
    qrels = {query: {name: int(grade) for name, grade in grades.items()} for query, grades in GRADES.items()}
    scores = {
        query: {name: -float(rank) for rank, name in enumerate(names)} for query, names in RANKINGS.items()
    }
    found = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(scores)
    return {query: values["ndcg_cut_10"] for query, values in found.items()}


def lines(values: dict[str, float]) -> str:
    return "\n".join(f"{query} {number:.6f}" for query, number in values.items())


def test_the_values_of_trec_eval_are_identical_to_the_formula_that_it_uses(reconciliation):
    compared = compare_queries(PastedValues.read(lines(trec_eval())), reconciliation, QUERIES, 10)

    assert compared is not None
    assert compared.differences == 0
    assert compared.candidate.text == "nDCG@10"
    assert list(compared.sentences) == [
        "Your numbers leave out one query of this list that the run doesn’t answer."
    ]
    assert sentences(compared.candidate, reconciliation, 10) == [USUAL]


def test_the_first_query_that_differs_is_named(reconciliation):
    values = trec_eval() | {"q2": 0.25}

    compared = compare_queries(PastedValues.read(lines(values)), reconciliation, QUERIES, 10)

    assert compared is not None
    assert (compared.agreeing, compared.compared) == (2, 3)
    [differing] = compared.differing
    assert (differing.query.external_id, differing.theirs) == ("q2", "0.250000")
    assert differing.ours == f"{trec_eval()['q2']:.4f}"


def test_a_number_agrees_to_its_last_digit(reconciliation):
    rounded = {query: round(number, 2) for query, number in trec_eval().items()}

    compared = compare_queries(
        PastedValues.read("\n".join(f"{q} {n:.2f}" for q, n in rounded.items())), reconciliation, QUERIES, 10
    )

    assert compared is not None
    assert compared.differences == 0


def test_unknown_queries_are_named_and_counted(reconciliation):
    single = compare_queries(PastedValues.read("q1 0.5\nother 1"), reconciliation, QUERIES, 10)
    assert single is not None
    assert list(single.sentences)[-1] == "One query of yours has no judgments in this list: “other”."

    compared = compare_queries(PastedValues.read("q1 0.5\nother 1\nq1-b 1"), reconciliation, QUERIES, 10)

    assert compared is not None
    *_, unknown = compared.sentences
    assert unknown == "2 queries of yours have no judgments in this list: “other”, “q1-b”."
    assert (
        "Your numbers leave out 3 queries of this list. The run doesn’t answer 1 of them."
        in compared.sentences
    )
    assert compare_queries(PastedValues.read("other 1"), reconciliation, QUERIES, 10) is None


@pytest.mark.parametrize(
    "text",
    [
        "q1 0.645\nq2 0.5",
        "q1\t0.645\nq2\t0.5\n",
        "q1\t0,645\nq2\t0,5\n",
        "query,ndcg\nq1,0.645\nq2,0.5",
        "ndcg_cut_10 q1 0.645\nndcg_cut_10 q2 0.5\nndcg_cut_10 all 0.57",
        '"q1";0.645\n"q2";0.5\nq3;nan',
    ],
)
def test_the_usual_ways_to_write_them_are_read(text):
    assert PastedValues.read(text).numbers == {"q1": Decimal("0.645"), "q2": Decimal("0.5")}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "No values found"),
        ("q1 0.5\nq2 x", "Line 2: “x” isn’t a number."),
        ("q1 0.5\nq1 0.6", "Line 2: query “q1” has a value already."),
        ("q1", "Line 1: “q1” has 1 part;"),
        ("a b c d 1", "has 5 parts;"),
    ],
)
def test_what_is_wrong_is_said_by_line(text, says):
    with pytest.raises(PastedError, match=says.replace("(", r"\(")):
        PastedValues.read(text)


def test_a_mean_over_fewer_queries_is_said_in_words(reconciliation):
    """pytrec_eval's mean is over the three queries that the run answers."""
    values = trec_eval().values()
    number = OtherNumber(Decimal(f"{sum(values) / len(values):.6f}"), 6)

    best = reconciliation.find(number, 10).rows[0]

    words = [sentences(candidate, reconciliation, 10) for candidate in best.candidates]
    assert best.matches
    assert ["It leaves out the one query that the run doesn’t answer, as trec_eval does without -c."] in words


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "nDCG(gain='exp')@5",
            ["It counts the first 5 ranks, not 10.", "It uses exponential gain, 2^grade − 1."],
        ),
        ("nDCG(zero='skip')@10", ["It leaves out the one query that has an ideal of 0."]),
        ("nDCG(zero=1)@10", ["It counts 1 for the one query that has an ideal of 0."]),
        ("nDCG(discount='jk')@10", ["It divides by log2(rank) from rank 2 on, so rank 2 counts in full."]),
        ("RR@10", ["It isn’t an NDCG: it’s RR@10."]),
    ],
)
def test_a_formula_is_said_by_what_is_unusual(reconciliation, text, says):
    measure, candidates = text, []
    for cutoff in (5, 10):
        candidates += [one for one, _ in reconciliation.values_of_queries(cutoff) if one.text == measure]

    assert sentences(candidates[0], reconciliation, 10) == says


def test_a_preset_with_the_formula_of_an_earlier_one_is_identical_to_it(reconciliation):
    rows = reconciliation.presets(10, RunOrder(by_rank_column=False, tied=False))

    texts = [row.text for row in rows]
    assert any(row.identical_to for row in rows)
    for place, row in enumerate(rows):
        earlier = texts.index(row.text)
        assert row.identical_to == ("" if earlier == place else rows[earlier].preset.name)
