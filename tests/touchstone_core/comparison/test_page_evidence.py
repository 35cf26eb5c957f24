"""Who wins a query whatever grades are missing, where a formula gives an ideal of 0 a value."""

from itertools import product
from math import log2

import pytest

from touchstone_core.comparison.page_evidence import RunPages, Standing
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.scale import ScaleInfo

# By query: the grades, the baseline's page and the candidate's; None: no answer.
SCENE = {
    "an answer to nothing": ({"z": 0}, None, ["z"], Standing.CANDIDATE),
    "no answer to nothing": ({"z": 0}, ["z"], None, Standing.BASELINE),
    "both answer nothing": ({"z": 0}, ["z"], ["z"], Standing.EVEN),
    "neither answers": ({"z": 0}, None, None, Standing.EVEN),
    # With z alone an answer is worth 1; if u is worth something, a page without it is worth nothing, but no less.
    "an answer that may be all": ({"z": 0}, None, ["z", "u"], Standing.CANDIDATE),
    "an answer that may be a part": ({"z": 0, "g": 3}, None, ["z", "u"], Standing.OPEN),
}


@pytest.mark.parametrize("query", SCENE)
def test_who_wins_a_query_without_relevant_documents_is_what_its_values_say(query):
    grades, old, new, standing = SCENE[query]
    runs = [{} if page is None else {query: page} for page in (old, new)]
    judged = [join({query: grades}, run, ScaleInfo(top_grade=3))[1] for run in runs]

    found = RunPages(Formula(cutoff=2, zero=1), judged, [[run.get(query, [])] for run in runs]).evidence(1)

    assert found.standing.tolist() == [standing]
    assert (found.global_low[0] > 0) == (standing == Standing.CANDIDATE)


def least_ndcg(grades, page, others, cutoff, top):
    """NDCG-global with the grades that are worst for the page, by trying all of 0 and the top: straight from its definition."""
    unjudged = [one for one in page if one not in grades]
    others = [one for one in others if one not in grades and one not in page]
    values = []
    for some in product((0, top), repeat=len(unjudged)):
        all_grades = grades | dict(zip(unjudged, some, strict=True)) | dict.fromkeys(others, top)
        best = sorted(all_grades.values(), reverse=True)[:cutoff]
        dcg, ideal = (
            sum(grade / log2(rank + 2) for rank, grade in enumerate(one))
            for one in ([all_grades.get(document, 0) for document in page], best)
        )
        values.append(dcg / ideal)
    return min(values)


def test_an_unjudged_document_that_both_runs_have_below_the_page_is_one():
    """It counted twice, so that files gave wider bounds than the site. Both runs have b and c, which nobody judged."""
    grades, runs = {"a": 2, "z": 1}, [["a", "z", "b", "c"], ["z", "a", "c", "b"]]
    judged = [join({"q": grades}, {"q": run}, ScaleInfo(top_grade=3))[1] for run in runs]

    pages = RunPages(Formula(cutoff=2), judged, [[run] for run in runs])

    assert pages.unjudged.tolist() == [2]
    for place, run in enumerate(runs):
        bounds = pages.bounds(place)
        assert bounds.low["global"].tolist() == pytest.approx([least_ndcg(grades, run[:2], runs[0], 2, 3)])
