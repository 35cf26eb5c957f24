"""Two runs over a few queries, of which every way to differ is one."""

from django.urls import reverse

from tests import factories as make
from tests.evaluation.scored import make_all_grades, make_rankings

# Query: grades, the baseline's page, the candidate's page.
QUERIES = {
    "won": ({"good": 3, "bad": 0}, ["bad", "good"], ["good", "bad"]),
    "lost": ({"good": 3, "bad": 0, "other": 1}, ["good", "bad"], ["bad", "other"]),
    "tied": ({"good": 3}, ["good"], ["good"]),
    "open": ({"good": 3}, ["good", "unknown"], ["stranger", "good"]),
}


def make_differing_runs(judgment_list):
    """Baseline and candidate."""
    query_set = judgment_list.query_set
    runs = [make.make_run(query_set, name=name) for name in ("old", "new")]
    made = {
        make.make_query(query_set, name, text=f"{name} words", tags=[name[:1]]): rows
        for name, rows in QUERIES.items()
    }
    make_all_grades(judgment_list, {query: grades for query, (grades, *_) in made.items()})
    for place, run in enumerate(runs, start=1):
        make_rankings(run, {query: rows[place] for query, rows in made.items()})
    return runs


def queries_address(judgment_list, runs, *more, **others):
    """The table, or the page of one query where its key is given."""
    name = "compared-query" if more else "compared-queries"
    chosen = {"runs": "-".join(str(run.pk) for run in runs)} if runs else {}
    return reverse(name, args=[judgment_list.pk, *more], query=chosen | others)
