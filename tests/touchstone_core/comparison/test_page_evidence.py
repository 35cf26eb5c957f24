"""Who wins a query whatever grades are missing, where a formula gives an ideal of 0 a value."""

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
