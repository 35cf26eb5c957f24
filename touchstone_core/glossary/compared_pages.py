"""How the pages of two runs differ, and what is known of each query."""

from typing import Final

from touchstone_core.glossary.term import Term

COMPARED_PAGES: Final = (
    Term(
        "changed queries",
        "queries whose page of results differs from the baseline’s",
        care="Users notice only these.",
        also=("queries whose page differs", "changed"),
    ),
    Term(
        "changed at rank 1",
        "queries with another document at rank 1",
        care="The first result gets most clicks, so look at these first.",
        also=("changed at rank 1",),
    ),
    Term("order only", "queries with the same documents in another order", also=("order only",)),
    Term(
        "other documents",
        "queries whose page has other documents",
        care="New documents are often unjudged. Look at the bounds.",
        also=("documents",),
    ),
    Term(
        "overlap of pages",
        "documents on both pages, as a share of the longer one",
        formula="documents on both / documents on the longer page",
    ),
    Term(
        "NDCG-max ceiling",
        "the most that NDCG-max could move by this change, whatever grades the documents get",
        care="If it’s small, the change can’t matter much. No judgments are needed to know that.",
        also=("ndcg-max ceiling",),
    ),
    Term(
        "decided query",
        "a query whose winner is certain, whatever grades are missing: for the run, for the baseline, or even",
        also=("queries decided regardless of missing grades", "for the run", "for the baseline", "even"),
    ),
    Term(
        "open query",
        "a query that missing grades can still turn either way",
        care="Request these judgments first.",
        also=("open", "undecided"),
    ),
    Term(
        "at least, at most",
        "the lowest and the highest value that missing grades leave possible",
        care="If the range includes 0, the result isn’t settled.",
        also=("at least", "at most", "between", "ndcg-max at least", "ndcg-max at most"),
    ),
    Term(
        "if anything may exist",
        "the bounds if there may be good documents that none of these runs retrieved",
        care="Read it when your runs are alike and may all miss the same documents.",
        also=("at least, if anything may exist", "if anything may exist"),
    ),
    Term(
        "value with the baseline, with the run",
        "the value of this query with each of the two runs",
        also=("baseline value", "run value"),
    ),
    Term(
        "change of the page",
        "how the page of the query differs: the same, another order, or other documents",
        also=("by how much, on average", "change"),
    ),
    Term(
        "winner",
        "who wins this query, whatever grades are missing: the run, the baseline, even or open",
        also=("wins",),
    ),
    Term(
        "unjudged results of a page",
        "documents without a grade on the page of the baseline or of the run",
        care="With many of them the difference of this query is provisional.",
        also=("baseline holes", "run holes"),
    ),
)
