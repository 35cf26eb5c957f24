"""A run that is uploaded, exported and uploaded again is evaluated as before, here and by trec_eval."""

import io
import json

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.models import Score
from judgments.models import Query
from tests import factories as make
from tests.evaluation.runs.exported import file_of, rankings, scores, store
from tests.evaluation.scored import evaluate, make_grades
from tests.shared_data import shared_data
from touchstone_core.formats.runs.declarations import WRITABLE
from touchstone_core.metrics.formula import IDEALS

pytestmark = [pytest.mark.django_db, pytest.mark.sampled]

DOCUMENTS = [f"d{number}" for number in range(1, 7)]
QUERIES = ["q1", "q2", "q3"]
# Single precision has steps of 1.2e-7 around 1, so some of these are equal there and some aren't.
SCORES = st.sampled_from([0.0, 1.0, 2.0]) | st.integers(-20, 20).map(lambda step: 1 + step * 1e-8)
FORMATS = pytest.mark.parametrize("format", WRITABLE)


@pytest.fixture
def judgment_list(query_set):
    judgment_list = make.make_list(query_set)
    for place, name in enumerate(QUERIES):
        query = make.make_query(query_set, name)
        make_grades(judgment_list, query, {one: float((n + place) % 4) for n, one in enumerate(DOCUMENTS)})
    return judgment_list


@pytest.fixture
def query_set():
    return make.make_query_set()


def values(judgment_list, run):
    evaluate(run, judgment_list)
    rows = Score.objects.filter(evaluation__run=run).order_by("query_id")
    return list(rows.values_list("query__external_id", *(f"ndcg_{ideal}" for ideal in IDEALS), "dcg"))


@st.composite
def trec_files(draw):
    """Ranks are those of a shuffled list, whatever the scores say."""
    lines = []
    for query in draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True)):
        found = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
        lines += [f"{query} Q0 {one} {rank} {draw(SCORES)!r} t\n" for rank, one in enumerate(found)]
    return "".join(lines).encode()


@st.composite
def json_files(draw):
    """Queries with scores, with mere lists of documents, and without results."""
    documents = st.sampled_from(DOCUMENTS)
    results = st.lists(documents, unique=True) | st.dictionaries(documents, SCORES)
    return json.dumps(draw(st.dictionaries(st.sampled_from(QUERIES), results, min_size=1))).encode()


@FORMATS
@given(data=trec_files(), order=st.sampled_from(["score", "double", "rank"]))
def test_a_run_of_any_order_comes_back_with_the_same_ndcgs(judgment_list, format, data, order):
    run = store(judgment_list.query_set, data, order)

    again = store(judgment_list.query_set, file_of(run, format))

    assert rankings(again) == rankings(run)
    assert values(judgment_list, again) == values(judgment_list, run)


@FORMATS
@given(data=json_files())
def test_a_run_with_few_scores_comes_back(judgment_list, format, data):
    run = store(judgment_list.query_set, data)
    if not run.row_count and not WRITABLE[format].empty:
        return

    again = store(judgment_list.query_set, file_of(run, format))

    holds_empty = WRITABLE[format].empty
    assert rankings(again) == rankings(run, empty=holds_empty)
    if holds_empty:
        assert values(judgment_list, again) == values(judgment_list, run)


def test_equal_scores_come_back_equal_but_from_trec(judgment_list):
    run = store(judgment_list.query_set, b"q1 Q0 d1 1 2 t\nq1 Q0 d2 2 2 t\nq1 Q0 d3 3 0.1 t\n")

    again = {name: store(judgment_list.query_set, file_of(run, name)) for name in WRITABLE}

    assert rankings(run) == {"q1": ["d2", "d1", "d3"]}
    assert scores(again["csv"]) == scores(again["json"]) == scores(run) == {"q1": [2, 2, 0.1]}
    assert scores(again["trec"]) == {"q1": [3, 2, 1]}


def test_ranks_that_decided_decide_again(judgment_list):
    run = store(judgment_list.query_set, b"q1 Q0 d1 2 9 t\nq1 Q0 d2 1 8 t\nq2 Q0 d1 1 4 t\n", "rank")

    again = {name: store(judgment_list.query_set, file_of(run, name)) for name in WRITABLE}

    assert [rankings(one) for one in again.values()] == [{"q1": ["d2", "d1"], "q2": ["d1"]}] * 3
    assert scores(again["trec"]) == {"q1": [2, 1], "q2": [4]}
    assert scores(again["json"]) == {"q1": None, "q2": [4]}
    assert scores(again["csv"]) == {"q1": None, "q2": None}
    assert b"given_score\r\nq1,d2,1,8.0\r\n" in file_of(run, "csv")


@FORMATS
def test_trec_eval_gives_its_own_example_the_same_values_after_the_way_through_the_site(query_set, format):
    """Its run has equal scores, and ranks that say otherwise. The JSON and CSV are handed to it without our readers."""
    folder = shared_data("trec_eval")
    with (folder / "qrels.test").open() as qrels, (folder / "results.test").open() as results:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(qrels), {"map", "ndcg", "recip_rank"}
        )
        before = pytrec_eval.parse_run(results)
    Query.objects.bulk_create(Query(query_set=query_set, external_id=one, text=one) for one in before)
    run = store(query_set, (folder / "results.test").read_bytes())

    after = READERS[format](file_of(run, format).decode())

    assert any(len(set(one.values())) < len(one) for one in before.values())
    assert evaluator.evaluate(after) == evaluator.evaluate(before)


def read_csv(text):
    rows = [line.split(",") for line in text.splitlines()]
    assert rows.pop(0) == ["query", "document", "rank", "score"]
    found = {}
    for query, document, _, score in rows:
        found.setdefault(query, {})[document] = float(score)
    return found


READERS = {
    "csv": read_csv,
    "json": json.loads,
    "trec": lambda text: pytrec_eval.parse_run(io.StringIO(text)),
}
