import numpy as np

from evaluation.scores.sql.hits import match
from evaluation.scores.sql.judged_runs import GradeIndex
from evaluation.scores.sql.scores import QueryGrades, QueryHits
from touchstone_core.metrics.scale import ScaleInfo

SCALE = ScaleInfo(top_grade=3)


def test_hits_are_the_ranks_from_one_of_documents_that_have_a_pair():
    assert match(["x", "b", "y", "a"], {"a": 7, "b": 9, "c": 11}) == ([2, 4], [9, 7])
    assert match([], {"a": 7}) == ([], [])
    assert match(["a"], {}) == ([], [])


def test_a_document_is_judged_for_its_own_query_only():
    index = GradeIndex([QueryGrades(2, [10, 30], [1.0, 2.0]), QueryGrades(1, [20], [3.0])], SCALE)

    run = index.join([QueryHits(1, 2, 5, [1, 3, 4], [20, 30, 10]), QueryHits(1, 1, 9, [2, 8], [99, 20])])

    assert index.queries == [1, 2]
    assert run.retrieved.tolist() == [9, 5]
    assert run.hit_query.tolist() == [0, 1, 1]
    assert run.hit_rank.tolist() == [8, 3, 4]
    assert run.hit_grade.tolist() == [3.0, 2.0, 1.0]


def test_queries_that_only_one_side_has_are_told_apart():
    index = GradeIndex([QueryGrades(1, [20], [3.0]), QueryGrades(2, [20], [1.0])], SCALE)

    run = index.join([QueryHits(1, 2, 0, [], []), QueryHits(1, 3, 4, [1], [20])])

    assert run.answered.tolist() == [False, True]
    assert run.retrieved.tolist() == [0, 0]
    assert run.hit_rank.size == 0


def test_several_runs_are_joined_as_each_by_itself_one_after_the_other():
    index = GradeIndex([QueryGrades(2, [10, 30], [1.0, 2.0]), QueryGrades(1, [20], [3.0])], SCALE)
    runs = (
        [QueryHits(1, 2, 5, [1, 3, 4], [20, 30, 10]), QueryHits(1, 1, 9, [2, 8], [99, 20])],
        [],
        [QueryHits(3, 2, 4, [2], [30]), QueryHits(3, 7, 4, [1], [20])],
    )

    together = index.join(*runs)

    alone = [index.join(hits) for hits in runs]
    for name in ("answered", "retrieved", "hit_rank", "hit_grade", "judged_grade"):
        each = [getattr(run, name) for run in alone]
        assert getattr(together, name).tolist() == np.concatenate(each).tolist(), name
    for name in ("hit_query", "judged_query"):
        each = [getattr(run, name) + 2 * place for place, run in enumerate(alone)]
        assert getattr(together, name).tolist() == np.concatenate(each).tolist(), name


def test_without_any_grade_there_is_nothing_to_score():
    run = GradeIndex([], SCALE).join([QueryHits(1, 2, 3, [1], [20])])

    assert run.queries == 0
