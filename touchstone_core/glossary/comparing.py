"""Words about comparing runs."""

from typing import Final

from touchstone_core.glossary.compared_pages import COMPARED_PAGES
from touchstone_core.glossary.term import Term

COMPARING: Final = (
    Term(
        "baseline, candidate",
        "the run to compare with, and the run that is compared",
        also=(
            "baseline",
            "candidate",
        ),
    ),
    Term("comparison", "two or more runs under one formula"),
    Term("verdict", "better, worse, too close to call, or not known yet", also=("verdict",)),
    Term(
        "p-value",
        "how often chance alone would make a difference this large, if the runs were equally good",
        formula="share of sign-flipped differences at least as large as the one seen",
        care="Below 0.05 chance alone is an unlikely explanation. It says nothing about how large the difference is.",
        also=(
            "p",
            "p (adjusted)",
        ),
    ),
    Term(
        "adjusted",
        "corrected for the number of runs on the page",
        care="Comparing many runs at once makes lucky winners likely. Adjusted values allow for that.",
    ),
    Term(
        "confidence interval",
        "the range that contains the true mean difference in 95 % of cases",
        care="If it’s on one side of 0, the direction is clear. Its width says how much you know.",
        also=("interval",),
    ),
    Term(
        "effect size",
        "the mean difference divided by its standard deviation (d_z)",
        formula="d_z = mean difference / standard deviation of the differences",
        care="Use it to plan how many queries the next test needs.",
        also=(
            "d_z",
            "dz",
        ),
    ),
    Term(
        "rank-biserial correlation",
        "how much the ranks of wins outweigh those of losses, from −1 to 1",
        formula="(sum of the ranks of wins − sum of the ranks of losses) / sum of all ranks",
        care="Unlike the mean difference, a few large changes don’t dominate it.",
        also=("rank-biserial",),
    ),
    Term(
        "minimum detectable difference",
        "the smallest difference that these queries show in 75 to 80 % of cases",
        care="If you care about smaller differences than this, add queries.",
        also=(
            "can detect",
            "can show",
        ),
    ),
    Term(
        "look",
        "one reading of a comparison while its values were in one state. Several looks make errors likelier",
    ),
    Term(
        "win, loss, tie",
        "queries on which the run is better, worse, or the same",
        care="Many small wins with a few large losses can hide behind a good mean.",
    ),
    Term(
        "bounds",
        "the lowest and highest value that a run can have, whatever grades the unjudged documents get",
        care="If they include 0, missing judgments can still turn the result.",
        also=("bounds",),
    ),
    Term(
        "what decides",
        "the unjudged documents that move the difference of two runs most, given what is expected of their grades",
        care="Values in which unjudged documents count as 0 mislead once these are judged first. Read what is expected instead.",
    ),
    Term(
        "contest",
        "two runs between which raters decide: a worker adds what decides, batch by batch, until it is decided",
    ),
    Term(
        "coverage",
        "the share of a page’s discount weight that is judged",
        formula="sum of discounts at judged ranks / sum of all discounts",
        care="Below 95 % the values are provisional.",
        also=("coverage",),
    ),
    Term(
        "provisional",
        "a value of pages of which less than 95 % of the discount weight is judged",
        care="Unjudged documents could move it. Judge them before you rely on it.",
    ),
    Term(
        "RBO",
        "rank-biased overlap: how similar two rankings are",
        care="Near 1, the change can’t have done much, good or bad.",
        also=("rbo",),
    ),
    Term("intended queries", "the queries that a change is meant to improve, named beforehand"),
    Term(
        "precision of a change",
        "of the queries that changed, how many were intended",
        formula="changed and intended / changed",
        care="If it’s low, the change has side effects. Look at the other queries that changed.",
    ),
    Term(
        "recall of a change",
        "of the intended queries, how many changed",
        formula="changed and intended / intended",
        care="If it’s low, the change doesn’t reach the queries that it was made for.",
    ),
    Term("held-out queries", "queries that stay out of comparisons until the end"),
    Term(
        "segment",
        "a part of the queries: a tag, or head, torso and tail of the traffic",
        care="A run can be better on average and worse where it matters to you.",
        also=(
            "tag",
            "traffic",
            "segment",
        ),
    ),
    Term("gate", "a check on a build server: may this run be released?"),
    Term(
        "difference",
        "mean of the run minus mean of the baseline over the same queries, with a 95 % interval",
        formula="mean of (value with the run − value with the baseline)",
        care="Read it with its interval: the size says whether it matters to users.",
        also=("difference",),
    ),
    Term(
        "difference of a query",
        "value with the run minus value with the baseline",
        formula="value with the run − value with the baseline",
        care="One query proves little. Read the mean difference with its interval before you decide.",
    ),
    Term(
        "P(better)",
        "the probability that the mean difference is above 0, of a single look and not adjusted for other runs",
        care="Decide by the verdict, which allows for several runs and looks. Few queries with skewed differences make it too sure.",
        also=("p(better)",),
    ),
    Term(
        "median difference",
        "the middle of the differences of the queries, with a 95 % interval of its own, not adjusted",
        care="If it differs much from the mean, a few queries decide the mean.",
        also=("median of the differences",),
    ),
    Term(
        "trimmed mean",
        "the mean difference without the 10 % of the queries at either end, not adjusted",
        care="It isn’t moved by a few extreme queries.",
        also=("trimmed mean",),
    ),
    Term(
        "P(same)",
        "the probability that the mean difference lies within ±0.005, of a single look and not adjusted",
        care="High values say that the runs are practically equal.",
        also=("p(same)",),
    ),
    Term(
        "improved, worsened",
        "queries better or worse by more than 0.05",
        care="What users may notice, without tiny changes.",
        also=(
            "improved",
            "worsened",
            "worse",
        ),
    ),
    Term(
        "effective queries",
        "how many queries of the same weight would say as much as these weighted ones",
        care="If a few head queries carry all the weight, you have fewer queries than you think.",
        also=("effective queries",),
    ),
    Term(
        "URisk",
        "wins less twice the losses, on average",
        care="Below 0 the losses weigh more than the wins.",
        also=("urisk",),
    ),
    Term(
        "TRisk",
        "URisk divided by its standard error",
        care="Below −2 the losses clearly outweigh.",
        also=("trisk",),
    ),
    Term(
        "queries needed",
        "how many queries would detect a difference as large as the one seen",
        care="Far more than you have means that you can’t tell these runs apart.",
        also=("queries needed",),
    ),
    Term(
        "no worse than",
        "the least δ for which these queries show, at 5 %, that the run isn’t worse by more",
        care="Use it when a change only must not hurt.",
        also=("no worse than",),
    ),
    Term(
        "the same within",
        "the least δ for which two one-sided tests show, at 5 %, that the runs differ by no more",
        care="Use it to show that a cheaper system is as good.",
        also=(
            "the same within ±",
            "the same within",
        ),
    ),
    Term(
        "as judged, expected",
        "the mean if unjudged documents count as 0, and the mean expected from how often such documents turned out relevant",
        care="If the two differ much, request missing judgments.",
        also=("as judged",),
    ),
    Term(
        "90 % band",
        "the range that holds a run’s mean in 90 % of cases, had all its documents been judged",
        care="If it’s wide, request the missing judgments. It needs three runs in the pool, and a run that isn’t too unlike them.",
    ),
    Term(
        "loss outside the pool",
        "how much NDCG-max a run would lose without the judgments that only this run brought",
        care="A new run loses the mean of these until it’s judged. Above 0.02 the pool is unfair to new runs.",
        also=("would lose",),
    ),
    Term(
        "own documents",
        "judged documents that no other run of the pool shows",
        care="A run with many of them depends on having been judged itself.",
        also=("own documents",),
    ),
    Term(
        "won",
        "queries on which the run has a higher value than the baseline",
        also=("won",),
    ),
    Term(
        "tied",
        "queries on which both have the same value",
        care="Many ties mean that the change touches few queries.",
        also=(
            "tied",
            "the same",
        ),
    ),
    Term(
        "lost query",
        "a query on which the run has a lower value than the baseline",
        care="Read the worst ones before you release.",
        also=("lost",),
    ),
    Term(
        "higher value",
        "queries on which the run has a higher value than the baseline, for a measure where more isn’t better",
        also=("higher",),
    ),
    Term(
        "lower value",
        "queries on which the run has a lower value than the baseline, for a measure where more isn’t better",
        also=("lower",),
    ),
    Term(
        "lost on average",
        "what the queries with this main cause took from the mean of the compared measure",
        formula="sum of weight × difference, over all weights",
        care="The causes add up to all that got worse. What got better is not in it.",
        also=("lost on average", "lost on current judgments"),
    ),
    Term(
        "change of NDCG-max",
        "how much NDCG-max moved from the baseline, in all and by step",
        formula="order + depth + recall = all",
        care="Says which part of the system made the difference.",
        also=("change of ndcg-max", "change of ndcg-max from the baseline, and what each step gained"),
    ),
    Term(
        "change by order",
        "the part of the change that comes from another order of the page",
        care="Points to the ranking of the first page.",
        also=("by order",),
    ),
    Term(
        "change by depth",
        "the part of the change that comes from good documents moved above or below the cutoff",
        care="Points to the re-ranker.",
        also=("by depth",),
    ),
    Term(
        "change by recall",
        "the part of the change that comes from documents that only one run retrieves",
        care="Points to retrieval.",
        also=("by recall",),
    ),
    Term(
        "help of a machine",
        "the difference by people’s grades, made more certain by a machine that graded more queries. Its errors are measured on people’s queries and taken off",
        formula="mean of the machine’s differences on more queries, followed as far as they go with people’s, and what people’s differ from it on theirs",
        care="It holds only if the queries that people judged were drawn at random.",
        also=("with the machine",),
    ),
    Term(
        "correlation with people",
        "how far the differences by a machine’s grades go with those by people’s on the same queries, as Pearson’s r",
        care="Near 1 a machine helps much. Near 0 it doesn’t help, however many queries it graded.",
    ),
    *COMPARED_PAGES,
)
