"""How many unjudged documents some runs retrieved, against sets of their names."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from touchstone_core.bounds.universe import all_unjudged, most_unjudged, unjudged_of
from touchstone_core.comparison.page_evidence import page_gains
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.moves import number_documents
from touchstone_core.metrics.scale import ScaleInfo

DOCUMENTS = "abcdef"
RANKING = st.permutations(DOCUMENTS).flatmap(lambda all_: st.integers(0, 6).map(lambda size: all_[:size]))
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 1.0]), min_size=1)


@given(st.lists(st.tuples(GRADES, RANKING, RANKING), min_size=1, max_size=3), st.integers(1, 3))
def test_the_universe_holds_what_some_run_retrieved_and_nobody_judged(queries, cutoff):
    judgments = {str(nth): grades for nth, (grades, *_) in enumerate(queries)}
    rankings = [{str(nth): pages[run] for nth, (_, *pages) in enumerate(queries)} for run in (0, 1)]
    runs = [join(judgments, of_run, ScaleInfo(top_grade=1))[1] for of_run in rankings]
    whole = [list(of_run.values()) for of_run in rankings]
    document = number_documents(whole, cutoff)
    gain = np.stack([page_gains(run, Formula(cutoff=cutoff)) for run in runs])

    expected = [len({*old, *new} - grades.keys()) for grades, old, new in queries]
    assert all_unjudged(runs, np.arange(len(queries)), whole) == expected
    assert (most_unjudged(runs, document, gain) >= expected).all()
    assert (unjudged_of(runs[0]) <= expected).all()
    # Pages that hold whole rankings tell it exactly.
    long = number_documents(whole, 6)
    gain = np.stack([page_gains(run, Formula(cutoff=6)) for run in runs])
    assert most_unjudged(runs, long, gain).tolist() == expected
