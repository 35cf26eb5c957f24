"""What a pool adds to a list, and what its preview promised."""

import pytest

from evaluation.comparisons.reports.pool_history import MOST_RUNS, pool_history
from evaluation.pools.actions.pools import add_pool
from evaluation.pools.reports.pool import preview_pool
from judgments.lists.actions.pairs import add_pairs
from judgments.models import Act, Document, Pair, Query, RaterQueue, Slot, Verb
from tests import factories as make
from tests.evaluation.scored import evaluate, make_grades, make_ranking, score_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    """Two queries, documents a to d with a row; e, f and g are known to the runs only."""
    query_set = make.make_query_set()
    for name in ("q1", "q2"):
        make.make_query(query_set, name)
    for name in "abcd":
        make.make_document(query_set, name)
    return make.make_list(query_set, overlap=2)


@pytest.fixture
def runs(judgment_list):
    query_set = judgment_list.query_set
    one, two = make.make_run(query_set, name="one"), make.make_run(query_set, name="two")
    q1, q2 = query_set.queries.order_by("pk")
    make_ranking(one, q1, ["a", "b", "c"])
    make_ranking(two, q1, ["b", "e", "d"])
    make_ranking(one, q2, [])
    make_ranking(two, q2, ["f", "g"])
    return [one, two]


def pairs(judgment_list):
    found = Pair.objects.filter(judgment_list=judgment_list)
    return [f"{pair.query.external_id} {pair.document.external_id}" for pair in found.order_by("pk")]


def test_the_first_documents_of_every_run_become_pairs_with_open_slots(judgment_list, runs):
    added = add_pool(judgment_list=judgment_list, runs=runs, depth=2)

    assert added == 5
    assert pairs(judgment_list) == ["q1 a", "q1 b", "q1 e", "q2 f", "q2 g"]
    assert list(Slot.objects.values_list("state", "rater").distinct()) == [("open", None)]
    assert Slot.objects.count() == 10
    assert list(
        judgment_list.list_queries.values_list(
            "query__external_id", "position", "pair_count", "revision", "pairs_revision"
        )
    ) == [("q1", 1, 3, 1, 1), ("q2", 2, 2, 1, 1)]


def test_documents_without_a_row_get_one_that_knows_the_id_only(judgment_list, runs):
    add_pool(judgment_list=judgment_list, runs=runs, depth=2)

    assert list(Document.objects.filter(title="").values_list("external_id", flat=True)) == ["e", "f", "g"]
    assert Document.objects.get(external_id="e").missing
    assert Document.objects.get(external_id="a").title == "Title of a"


def test_only_the_chosen_runs_are_pooled(judgment_list, runs):
    add_pool(judgment_list=judgment_list, runs=runs[:1], depth=3)

    assert pairs(judgment_list) == ["q1 a", "q1 b", "q1 c"]


def test_only_documents_on_which_the_runs_differ(judgment_list, runs):
    query_set = judgment_list.query_set
    q3 = make.make_query(query_set, "q3")
    for run, documents in zip(runs, (["a", "b", "c"], ["a", "c"]), strict=True):
        make_ranking(run, q3, documents)
    add_pairs(judgment_list=judgment_list, pairs=[(q3.pk, Document.objects.get(external_id="b").pk)])

    every = preview_pool(judgment_list=judgment_list, runs=runs, depth=2)
    only = preview_pool(judgment_list=judgment_list, runs=runs, depth=2, differing_only=True)

    assert (every.pairs, every.new, every.differing_pairs) == (8, 7, 6)
    assert (only.pairs, only.new, only.differing_pairs) == (7, 6, 6)
    added = add_pool(judgment_list=judgment_list, runs=runs, depth=2, differing_only=True)
    assert added == 6
    assert sorted(pairs(judgment_list)) == ["q1 a", "q1 b", "q1 e", "q2 f", "q2 g", "q3 b", "q3 c"]
    act = Act.objects.filter(verb=Verb.PAIRS_ADDED).latest("pk")
    assert act.after["only where the runs differ"] is True


def test_what_a_run_does_not_answer_differs(judgment_list, runs):
    q3 = make.make_query(judgment_list.query_set, "q3")
    make_ranking(runs[0], q3, ["a"])

    assert preview_pool(judgment_list=judgment_list, runs=runs, depth=1, differing_only=True).queries == 3


def test_the_same_pool_again_adds_nothing(judgment_list, runs):
    add_pool(judgment_list=judgment_list, runs=runs, depth=2)

    assert add_pool(judgment_list=judgment_list, runs=runs, depth=2) == 0
    assert add_pool(judgment_list=judgment_list, runs=runs, depth=3) == 2
    assert pairs(judgment_list)[5:] == ["q1 c", "q1 d"]
    assert list(judgment_list.list_queries.values_list("revision", flat=True)) == [2, 1]


def test_a_deeper_pool_keeps_known_pairs_and_their_slots(judgment_list, runs):
    query, document = Query.objects.get(external_id="q1"), Document.objects.get(external_id="a")
    add_pairs(judgment_list=judgment_list, pairs=[(query.pk, document.pk)])
    slots = set(Slot.objects.values_list("pk", flat=True))

    assert add_pool(judgment_list=judgment_list, runs=runs, depth=1) == 2
    assert slots < set(Slot.objects.values_list("pk", flat=True))


def test_documents_of_another_query_set_are_not_taken_for_ours(judgment_list, runs):
    stranger = make.make_document(make.make_query_set(), "e")

    add_pool(judgment_list=judgment_list, runs=runs, depth=2)

    assert not stranger.pairs.exists()


def test_the_preview_says_what_adding_then_does(judgment_list, runs):
    add_pool(judgment_list=judgment_list, runs=runs[:1], depth=1)

    preview = preview_pool(judgment_list=judgment_list, runs=runs, depth=2)

    assert (preview.pairs, preview.queries) == (5, 2)
    assert (preview.new, preview.new_queries, preview.known_pairs) == (4, 2, 1)
    assert preview.without_text == 3
    assert preview.judgments == 8
    assert (preview.seconds, preview.measured) == ((20, 61), False)
    assert preview.hours == pytest.approx((8 * 20 / 3600, 8 * 61 / 3600))
    assert preview.time == "3–9 min"
    assert Pair.objects.count() == 1
    assert add_pool(judgment_list=judgment_list, runs=runs, depth=2) == preview.new


def test_hours_follow_the_times_of_the_lists_raters_once_twenty_judgments_were_timed(judgment_list, runs):
    query = make.make_query(judgment_list.query_set)
    pairs = [
        make.make_pair(judgment_list, query, make.make_document(judgment_list.query_set)) for _ in range(10)
    ]
    for active in (8_000, 12_000):
        rater = make.make_rater(judgment_list.query_set)
        RaterQueue.objects.create(judgment_list=judgment_list, rater=rater, seed=1)
        for pair in pairs:
            make.make_judgment(pair, rater, 1, active_ms=active)

    preview = preview_pool(judgment_list=judgment_list, runs=runs, depth=2)

    low, high = preview.seconds
    assert preview.measured
    assert low < 10 < high < 20


def test_where_answers_may_differ_the_preview_says_how_many_raters_at_most(judgment_list, runs):
    judgment_list.adaptive_step, judgment_list.overlap_most = 1, 5

    assert preview_pool(judgment_list=judgment_list, runs=runs, depth=2).most == 5


def test_a_pool_can_come_before_all_others(judgment_list, runs):
    add_pool(judgment_list=judgment_list, runs=runs, depth=1, priority=10)

    assert set(Pair.objects.values_list("priority", flat=True)) == {10}


def test_the_holes_of_a_run_are_what_its_page_counts(judgment_list, runs):
    q1 = Query.objects.get(external_id="q1")
    make_grades(judgment_list, q1, {"b": 3})
    judgment_list.list_queries.update(graded_count=1)
    counted = evaluate(runs[1], judgment_list).holes

    assert counted == 2
    assert add_pool(judgment_list=judgment_list, runs=[runs[1]], depth=10, graded_only=True) == counted
    assert pairs(judgment_list) == ["q1 b", "q1 e", "q1 d"]


def test_a_run_is_scored_again_when_a_pooled_pair_gets_its_grade(judgment_list, runs):
    q1 = Query.objects.get(external_id="q1")
    make_grades(judgment_list, q1, {"b": 3})
    before = score_of(evaluate(runs[1], judgment_list), q1)
    add_pool(judgment_list=judgment_list, runs=[runs[1]], depth=10)
    assert score_of(evaluate(runs[1], judgment_list), q1).judged == before.judged == 1

    make.make_consensus(Pair.objects.get(document__external_id="e"), 2)
    listed = judgment_list.list_queries.get(query=q1)
    listed.revision += 1
    listed.save()

    after = score_of(evaluate(runs[1], judgment_list), q1)
    assert after.judged == 2
    assert after.dcg > before.dcg


def test_the_number_of_statements_grows_with_nothing(judgment_list, django_assert_max_num_queries):
    query_set = judgment_list.query_set
    counts = []
    for size in (2, 40):
        fresh = make.make_list(query_set)
        runs = [make.make_run(query_set) for _ in range(size // 2)]
        for query in [make.make_query(query_set) for _ in range(size)]:
            for run in runs:
                make_ranking(run, query, [f"{size}-{run.pk}-{rank}" for rank in range(size)])
        with django_assert_max_num_queries(8) as previewed:
            preview_pool(judgment_list=fresh, runs=runs, depth=100)
        with django_assert_max_num_queries(35) as added:
            assert add_pool(judgment_list=fresh, runs=runs, depth=100) == size * size * (size // 2)
        counts.append((len(previewed), len(added)))

    assert counts[0] == counts[1]


def test_the_log_keeps_the_runs_and_the_depth_that_pairs_came_from(judgment_list, runs):
    add_pool(judgment_list=judgment_list, runs=runs, depth=1)
    add_pool(judgment_list=judgment_list, runs=runs[:1], depth=3)

    first, second = Act.objects.filter(verb=Verb.PAIRS_ADDED).order_by("pk")
    one, two = ({"id": run.pk, "name": run.name} for run in runs)
    keys = list(judgment_list.pairs.order_by("pk").values_list("pk", flat=True))
    assert (first.after, second.after) == (
        {"pairs": 3, "runs": [one, two], "depth": 1, "pair_keys": [keys[0], keys[2]]},
        {"pairs": 1, "runs": [one], "depth": 3, "pair_keys": [keys[3], keys[3]]},
    )


def test_the_pool_is_known_after_a_run_was_deleted_or_named_anew(judgment_list, runs):
    one, two = runs
    add_pool(judgment_list=judgment_list, runs=runs, depth=1)
    add_pool(judgment_list=judgment_list, runs=[one], depth=3)
    add_pairs(judgment_list=judgment_list, pairs=[])
    one.delete()
    two.name = "renamed"
    two.save()

    found = pool_history(judgment_list, judgment_list.query_set.runs.all())

    assert found == {
        "runs": [
            {"name": "one", "depth": 3, "deleted": True},
            {"name": "renamed", "depth": 1, "deleted": False},
        ],
        "more": 0,
        "deleted": 1,
    }


def test_of_many_runs_the_deleted_ones_are_named_first(judgment_list):
    runs = [make.make_run(judgment_list.query_set, name=f"run {place:02}") for place in range(MOST_RUNS + 2)]
    (query, *_) = judgment_list.query_set.queries.all()
    for run in runs:
        make_ranking(run, query, [f"of {run}"])
    add_pool(judgment_list=judgment_list, runs=runs, depth=1)
    runs[-1].delete()

    found = pool_history(judgment_list, judgment_list.query_set.runs.all())

    assert found["runs"][0] == {"name": f"run {MOST_RUNS + 1}", "depth": 1, "deleted": True}
    assert (len(found["runs"]), found["more"]) == (MOST_RUNS, 2)


def test_pairs_from_files_name_no_run(judgment_list):
    query, document = judgment_list.query_set.queries.first(), judgment_list.query_set.documents.first()
    add_pairs(judgment_list=judgment_list, pairs=[(query.pk, document.pk)])

    assert pool_history(judgment_list, judgment_list.query_set.runs.all())["runs"] == []
