"""Whole runs through the database against values that trec_eval computed, and grades that raters gave."""

import csv
from collections import defaultdict
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from evaluation.models import Evaluation, Ranking, Score
from evaluation.runs.actions.runs import store_run
from evaluation.runs.reports.incoming import Choices, read_incoming
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.judging.actions.judging import record_judgment, undo
from judgments.lists.actions.pairs import add_pairs
from judgments.models import ConsensusGrade, Document, JudgmentList, ListQuery, Pair, Query, Role
from tests import factories as make
from tests.evaluation.scored import evaluate, make_ranking, score_of
from tests.shared_data import shared_data
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db


def read_qrels(path):
    grades = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, document, grade = line.split()
        grades[query][document] = float(grade)
    return grades


def store_judgments(judgment_list, grades):
    """As many rows as an import makes, without its raters."""
    query_set = judgment_list.query_set
    queries = {name: Query(query_set=query_set, external_id=name, text=name) for name in grades}
    names = {name for judged in grades.values() for name in judged}
    documents = {name: Document(query_set=query_set, external_id=name) for name in sorted(names)}
    Query.objects.bulk_create(queries.values())
    Document.objects.bulk_create(documents.values())
    pairs = [(queries[query].pk, documents[document].pk) for query in grades for document in grades[query]]
    add_pairs(judgment_list=judgment_list, pairs=pairs)
    values = {
        (queries[query].pk, documents[document].pk): value
        for query, judged in grades.items()
        for document, value in judged.items()
    }
    ConsensusGrade.objects.bulk_create(
        ConsensusGrade(
            pair=pair,
            query_set=query_set,
            judgment_list=judgment_list,
            query_id=pair.query_id,
            document_id=pair.document_id,
            value=values[pair.query_id, pair.document_id],
            judgments=1,
        )
        for pair in Pair.objects.filter(judgment_list=judgment_list)
    )
    # As PostgreSQL does by itself a minute after an import: tests before, all taken back, leave tables that look empty.
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judgments_pair, judgments_document, judgments_query")


def store_file(query_set, path):
    incoming = read_incoming(
        path.read_bytes(), file_name=path.name, query_set=query_set, choices=Choices(), limit=10**9
    )
    return store_run(query_set=query_set, parsed=incoming.parsed, name=path.stem)


def test_eight_runs_over_150_queries_have_the_ndcg_of_trec_eval():
    judgment_list = make.make_list(make.make_query_set())
    store_judgments(judgment_list, read_qrels(shared_data("esci_opensearch/qrels.esci_us_150.txt")))
    folder = shared_data("esci_runs")
    runs = [store_file(judgment_list.query_set, path) for path in sorted(folder.glob("*.trec"))]

    bring_up_to_date(ScoringRequest(judgment_list, runs, Formula()))

    with (folder / "expected_per_topic.csv").open() as file:
        expected = {(row["run"], row["query_id"]): float(row["ndcg_cut_10"]) for row in csv.DictReader(file)}
    scores = Score.objects.select_related("evaluation__run", "query")
    found = {
        (score.evaluation.run.name, score.query.external_id): score.dcg / score.ideal_global
        if score.ideal_global
        else 0.0
        for score in scores
    }
    assert len(found) == 8 * 150
    # The file has six decimals, and no line for what a run does not have.
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-6)
    assert not any(value for key, value in found.items() if key not in expected)
    for evaluation in Evaluation.objects.all():
        values = [value for (run, _), value in found.items() if run == evaluation.run.name]
        assert evaluation.ndcg_global == pytest.approx(sum(values) / 150, abs=1e-12)
        assert evaluation.judged_queries == 150
        assert evaluation.answered + evaluation.missing + evaluation.empty == 150


@pytest.fixture
def judged_list():
    """A list with two queries of two pairs each, a rater, and a run that finds one document of each query."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set)
    queries = [make.make_query(query_set, name) for name in ("q1", "q2")]
    run = make.make_run(query_set, name="run")
    for query in queries:
        names = [f"{query.external_id}-{letter}" for letter in "ab"]
        documents = [make.make_document(query_set, name) for name in names]
        add_pairs(judgment_list=judgment_list, pairs=[(query.pk, document.pk) for document in documents])
        make_ranking(run, query, [names[1], "X"])
    return judgment_list


def judge(judgment_list, user, name, value, *, minute=0):
    pair = Pair.objects.get(judgment_list=judgment_list, document__external_id=name)
    make.make_handout(pair.pk, user)
    record_judgment(
        user=user,
        judgment_list=JudgmentList.objects.get(pk=judgment_list.pk),
        pair_id=pair.pk,
        request_id=uuid4(),
        at=make.NOW + timedelta(minutes=minute),
        value=value,
    )


def test_judging_changing_and_undoing_all_show_at_the_next_view(judged_list):
    run = judged_list.query_set.runs.get()
    first, second = judged_list.query_set.queries.all()
    rater = make.make_member(judged_list.query_set, Role.RATER)
    assert evaluate(run, judged_list).judged_queries == 0

    judge(judged_list, rater, "q1-b", 2)
    assert evaluate(run, judged_list).dcg == 2

    judge(judged_list, rater, "q2-b", 3)
    assert evaluate(run, judged_list).dcg == pytest.approx(2.5)

    shown = Score.objects.get(query=second).shown
    Score.objects.filter(query=second).update(shown=7)  # would be put right if it were computed again
    judge(judged_list, rater, "q1-b", 1, minute=1)
    evaluation = evaluate(run, judged_list)
    assert evaluation.dcg == pytest.approx(2)
    assert score_of(evaluation, second).shown == 7
    Score.objects.filter(query=second).update(shown=shown)
    assert score_of(evaluation, first).revision == ListQuery.objects.get(query=first).revision

    undo(user=rater, judgment_list=judged_list, at=make.NOW + timedelta(minutes=2))
    assert evaluate(run, judged_list).dcg == pytest.approx(2.5)  # the change is taken back

    undo(user=rater, judgment_list=judged_list, at=make.NOW + timedelta(minutes=3))
    evaluation = evaluate(run, judged_list)
    assert (evaluation.judged_queries, evaluation.unjudged_queries, evaluation.dcg) == (1, 1, 2)


def test_a_pair_that_is_added_and_judged_later_is_found_in_the_ranking(judged_list):
    run = judged_list.query_set.runs.get()
    query = judged_list.query_set.queries.first()
    rater = make.make_member(judged_list.query_set, Role.RATER)
    judge(judged_list, rater, "q1-a", 3)
    assert score_of(evaluate(run, judged_list), query).dcg == 0

    document = make.make_document(judged_list.query_set, "X")
    add_pairs(judgment_list=judged_list, pairs=[(query.pk, document.pk)])
    judge(judged_list, rater, "X", 3)

    score = score_of(evaluate(run, judged_list), query)
    assert score.dcg == pytest.approx(3 / 1.584962500721156)
    assert Ranking.objects.get(run=run, query=query).hit_ranks == [1, 2]
