"""Two stored runs of which the second is better, and raters who know all grades."""

from judgments.models import Pair
from tests import factories as make
from tests.evaluation.scored import make_rankings, make_scale

QUERIES = 20


def make_deciding(*, queries=QUERIES, ranks=4, overlap=1):
    """A list without pairs. In each query the runs have documents of their own; the second run's are good at even ranks."""
    query_set = make.make_query_set(name="Shop")
    judgment_list = make.make_list(query_set, scale=make_scale(0, 3), overlap=overlap, name="First pass")
    made = make.make_queries(query_set, queries)
    runs = make.make_run(query_set, name="old"), make.make_run(query_set, name="new")
    for run in runs:
        pages = {
            query: [f"{place}-{run.name}-{rank}" for rank in range(ranks)] for place, query in enumerate(made)
        }
        make_rankings(run, pages)
    return judgment_list, runs


def grade_of(name):
    _, run, rank = name.split("-")
    return 3.0 if run == "new" and int(rank) % 2 == 0 else 0.0


def judge_all(judgment_list, *, is_even=False):
    """Everything that waits, with one grade for all if no run is better; how many."""
    waiting = list(
        Pair.objects.filter(judgment_list=judgment_list, consensus_grade=None).select_related(
            "document", "query"
        )
    )
    make.make_all_consensus(
        (pair, 1.0 if is_even else grade_of(pair.document.external_id)) for pair in waiting
    )
    return len(waiting)


def deciding_form(runs, **others):
    """What the page that adds pairs is sent for what decides between two runs."""
    chosen = {"run": [run.pk for run in runs], "depth": 4, "documents": "deciding", "judgments": 25}
    return chosen | others
