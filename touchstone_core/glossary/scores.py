"""Words about scores."""

from typing import Final

from touchstone_core.glossary.term import Term

SCORES: Final = (
    Term(
        "gain",
        "what a grade is worth: linear, exponential, or a table",
        formula="linear: grade; exponential: 2^grade − 1",
        care="With exponential gain the best documents decide. The choice can change which run wins.",
        also=("gain",),
    ),
    Term(
        "discount",
        "what a rank is worth: less, the lower on the page",
        formula="1 / log2(rank + 1)",
        care="Check it when numbers differ from another tool’s: a logarithm that is off by one is a classic mistake.",
        also=(
            "discount",
            "× discount",
        ),
    ),
    Term(
        "cutoff",
        "how many ranks count: the 10 of NDCG@10",
        care="Use the number of results that people see.",
        also=("cutoff",),
    ),
    Term("recall depth", "how far down a ranking counts as retrieved"),
    Term(
        "DCG",
        "gains times discounts, added up",
        formula="DCG@k = sum of gain × discount over ranks 1 to k",
        care="Compare it only over the same queries, scale and cutoff. It has no upper limit of 1.",
        also=("measure dcg",),
    ),
    Term(
        "ideal",
        "the best DCG that a ranking could have: local, recall, global or max",
        care="It decides what the NDCG tells you. Look at it first when two tools disagree.",
        also=(
            "idcg",
            "measure idcg",
        ),
    ),
    Term(
        "NDCG",
        "DCG divided by an ideal",
        formula="NDCG = DCG / ideal DCG",
        care="Always ask which ideal it’s divided by.",
        also=("measure ndcg",),
    ),
    Term(
        "loss",
        "points of DCG lost to order, depth, recall or content",
        formula="DCG + order + depth + recall + content = ideal of max",
        care="The largest loss says what to work on first.",
        also=("loss", "lost dcg points"),
    ),
    Term("policy", "what a formula does with unjudged documents, missing queries and an ideal of 0"),
    Term("formula", "gain, discount, cutoff, recall depth and policies. Every value names its formula"),
    Term(
        "measure, value",
        "a way to score a query, such as AP with relevance from grade 2. A value is what it gives for one query",
        also=(
            "value",
            "measure",
            "further measures",
        ),
    ),
    Term("score", "the stored values of one query of a run"),
    Term("reconcile", "find the formula behind a number that another tool shows"),
    Term(
        "NDCG-local",
        "DCG divided by the best order of the documents shown. Did we order what we showed?",
        formula="DCG@k / DCG@k of the same page, best first",
        care="Use it to judge the order of a page. Don’t rank runs by it: a page of one poor document has 1.",
        also=(
            "local",
            "ndcg-local",
        ),
    ),
    Term(
        "NDCG-recall",
        "DCG divided by the best page from everything retrieved. Could re-ranking have fixed it?",
        formula="DCG@k / DCG@k of all retrieved documents, best first",
        care="The gap to local is what a perfect re-ranker would gain. Don’t rank runs by it.",
        also=(
            "recall",
            "ndcg-recall",
        ),
    ),
    Term(
        "NDCG-global",
        "DCG divided by the best page from all judged documents. Could retrieval have fixed it?",
        formula="DCG@k / DCG@k of all judged documents, best first",
        care="Rank runs by this one. It’s what trec_eval calls NDCG.",
        also=(
            "global",
            "ndcg-global",
        ),
    ),
    Term(
        "NDCG-max",
        "DCG divided by a page of top grades. Is there enough good content?",
        formula="DCG@k / DCG@k of the top grade at every rank",
        care="The gap to global is content that doesn’t exist or isn’t judged. Its ideal is the same for every query and run.",
        also=(
            "max",
            "ndcg-max",
            "ndcg-max to gain",
        ),
    ),
    Term(
        "lost by order",
        "DCG points lost because the page isn’t in its best order",
        formula="ideal of local − DCG",
        care="A large share asks for better ordering of the first page.",
        also=("lost order",),
    ),
    Term(
        "lost by depth",
        "DCG points lost because good retrieved documents are below the cutoff",
        formula="ideal of recall − ideal of local",
        care="A large share asks for re-ranking.",
        also=("lost depth",),
    ),
    Term(
        "lost by recall",
        "DCG points lost because good judged documents weren’t retrieved",
        formula="ideal of global − ideal of recall",
        care="A large share asks for better retrieval.",
        also=("lost recall",),
    ),
    Term(
        "lost by content",
        "DCG points lost because too few documents have the top grade",
        formula="ideal of max − ideal of global",
        care="No ranking can fix this. Find or judge more or better documents.",
        also=("lost content",),
    ),
    Term(
        "ladder",
        "DCG and the four losses as parts of one bar: where points are lost",
        formula="DCG + order + depth + recall + content = 100 %",
        care="The widest part beside DCG is what to work on.",
        also=(
            "shares of the total, %",
            "where points are lost",
        ),
    ),
    Term(
        "contribution",
        "what one document adds to DCG",
        formula="gain × discount",
        care="The ranks with the largest contribution decide the value.",
        also=(
            "adds",
            "gain × discount",
            "dcg points",
        ),
    ),
    Term(
        "average",
        "mean, median or traffic-weighted mean over the judged queries",
        care="If mean and median differ much, a few queries decide the mean.",
        also=(
            "traffic-weighted means",
            "medians",
            "average",
        ),
    ),
    Term(
        "expected over ties",
        "the mean value over all orders of equal scores, with the least and the greatest",
        care="If the range is wide, the value depends on a coin toss.",
        also=(
            "expected",
            "least",
            "greatest",
            "as ordered",
        ),
    ),
)
