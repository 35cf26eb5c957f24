"""Words about runs."""

from typing import Final

from touchstone_core.glossary.term import Term

RUNS: Final = (
    Term("run", "one system’s rankings for the queries of a query set", also=("run", "runs")),
    Term(
        "tag of a run",
        "a word that marks runs that belong together, such as nightly. They have a trend",
        also=("tags",),
    ),
    Term(
        "origin of a run",
        "what made the run and who uploaded it: commit, link, notes, person and time",
        also=("commit", "link", "notes", "uploaded", "by"),
    ),
    Term(
        "baseline of a query set",
        "the run from which the run table shows differences",
        care="A difference alone doesn’t say whether it’s more than noise. Follow it to the comparison.",
        also=("against baseline",),
    ),
    Term(
        "size of a run",
        "the documents of all its rankings, added up",
        formula="mean length of a ranking = documents / queries",
        care="If it’s much smaller than that of other runs, part of the run may be missing.",
    ),
    Term(
        "selected run",
        "a run that is ticked in the run table, to be compared, tagged or deleted with others",
        also=("✓",),
    ),
    Term(
        "trend",
        "a measure of runs in the order of their upload, under one formula and one state of the grades",
        care="Intervals of single means may overlap where a comparison finds a difference.",
    ),
    Term("saved view", "formula, filter, columns and order of the run table, under a name"),
    Term("ranking", "one query’s documents in a run, best first"),
    Term("page", "the documents of a ranking up to the cutoff: what a searcher sees", also=("page",)),
    Term("rank", "position in a ranking, from 1", also=("rank",)),
    Term(
        "counting rank",
        "the rank of a document after the formula took unjudged ones out of the ranking",
        also=("counts as",),
    ),
    Term("retrieval score", "the search system’s own number for a document", also=("score",)),
    Term("hit", "a retrieved document that has a pair in some list of the query set"),
    Term(
        "tie",
        "equal retrieval scores, so that another rule decides the order",
        care="If values depend on ties, make the search engine’s order unique.",
        also=("ties",),
    ),
    Term(
        "unjudged",
        "retrieved, but without a consensus grade. Not the same as grade 0",
        care="An unjudged document counts as grade 0, so a run with many of them looks worse than it may be.",
    ),
    Term(
        "hole",
        "an unjudged document within the cutoff. Pages say “unjudged result”",
        care="Request missing judgments before you decide between runs with many unjudged results.",
        also=("holes", "measure holes"),
    ),
    Term("pool", "the top results of several runs, which are judged together"),
    Term(
        "pooling bias",
        "a run that wasn’t in the pool looks worse than it is, because its documents are unjudged",
        care="Be careful with a new run that finds other documents than the runs that were judged.",
    ),
    Term(
        "judged@k",
        "the share of the top k documents that are judged",
        formula="judged documents in the top k / documents in the top k",
        care="Below 95 %, read the bounds before you trust a difference.",
        also=("judged", "measure judged"),
    ),
    Term(
        "order",
        "whether the run’s documents are in the order of its scores or of its rank column",
        care="Two orders of one file can give different values.",
        also=("ordered by",),
    ),
    Term(
        "answered query",
        "a judged query for which the run has documents",
        care="Compare means only over the same queries.",
        also=("answered",),
    ),
    Term(
        "missing query",
        "a judged query that the run doesn’t have",
        care="Leaving such queries out of the mean makes a run look better than it is.",
        also=("missing",),
    ),
    Term(
        "empty query",
        "a judged query for which the run has a ranking without documents. It counts as 0",
        care="Many of them point to a filter that is too strict.",
        also=("empty",),
    ),
    Term(
        "unjudged query",
        "a query of the run without any grade in the list. It’s left out of every mean",
        care="If there are many, the means speak for few of your queries.",
    ),
    Term(
        "zero ideal",
        "a query whose judged documents have no gain, so that its NDCG is undefined. A policy of the formula decides what it counts",
        care="Tools differ here: 0 in trec_eval, 1 in LightGBM.",
        also=("zero ideal",),
    ),
    Term(
        "counted query",
        "a query that the averages are over, after the formula left others out",
        also=("counted",),
    ),
    Term(
        "retrieved",
        "how many documents the run has for a query",
        care="Fewer than the cutoff means empty places on the page.",
        also=("retrieved", "results", "documents of the run"),
    ),
)
