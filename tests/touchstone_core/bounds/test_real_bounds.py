"""Bounds and expected values of real runs whose judgments are known whole, and then hidden in part."""

from itertools import combinations

import numpy as np
import pytest

from tests.evaluation.real_files import ESCI_RUNS, read_qrels, read_run
from tests.shared_data import shared_data
from tests.touchstone_core.bounds.test_estimates import esci_pages, pooled
from touchstone_core.bounds.differences import difference_bounds, global_bounds, weights
from touchstone_core.bounds.estimates import Pool, estimate, estimate_difference
from touchstone_core.bounds.tops import Tops
from touchstone_core.bounds.universe import most_unjudged
from touchstone_core.bounds.values import bounds
from touchstone_core.comparison.page_evidence import page_gains
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.ladder import ladder
from touchstone_core.metrics.moves import number_documents
from touchstone_core.metrics.scale import ScaleInfo

FORMULA, SCALE, TOP = Formula(cutoff=10), ScaleInfo(top_grade=3), 3.0


class World:
    """The eight ESCI runs, with all judgments and with those only that the first two runs would have given at depth 5."""

    def __init__(self):
        judgments = read_qrels(shared_data("esci_opensearch") / "qrels.esci_us_150.txt")
        rankings = [read_run(shared_data("esci_runs") / f"{name}.trec") for name in ESCI_RUNS]
        pool = {query: {one for run in rankings[:2] for one in run.get(query, [])[:5]} for query in judgments}
        known = {
            query: {name: grade for name, grade in grades.items() if name in pool[query]}
            for query, grades in judgments.items()
        }
        # A query that the pool tells nothing of has no bounds to speak of: it isn't judged.
        known = {query: grades for query, grades in known.items() if grades}
        whole = {query: judgments[query] for query in known}
        self.true = [join(whole, run, SCALE)[1] for run in rankings]
        self.runs = [join(known, run, SCALE)[1] for run in rankings]
        self.document = number_documents(
            [[run.get(query, [])[:10] for query in known] for run in rankings], 10
        )
        self.gain = np.stack([page_gains(run, FORMULA) for run in self.runs])
        self.unjudged = most_unjudged(self.runs, self.document, self.gain)

    def ndcg(self, place):
        found = ladder(self.true[place], FORMULA)
        return np.divide(
            found.dcg, found.ideal_global, where=found.ideal_global > 0, out=np.zeros(len(found.dcg))
        )


@pytest.fixture(scope="module")
def world():
    return World()


def test_the_true_mean_of_every_run_lies_within_its_bounds(world):
    for place, run in enumerate(world.runs):
        truth = world.ndcg(place)
        found = bounds(run, FORMULA, world.unjudged)
        assert (found.low["global"] <= truth + 1e-12).all()
        assert (truth <= found.high["global"] + 1e-12).all()
        for ends in (found.low, found.high):
            assert (ends["recall"] >= ends["global"] - 1e-12).all()


def test_as_if_only_the_page_were_unknown_the_true_mean_of_the_pooled_runs_lies_outside(world):
    """What was shown once: no document was taken to exist but those that the run shows."""
    page_only = Formula(cutoff=10, depth=10)
    for place in (0, 1):
        found = bounds(world.runs[place], page_only, np.zeros_like(world.unjudged))
        assert world.ndcg(place).mean() < found.low["global"].mean() - 0.05


def test_the_true_difference_of_every_pair_lies_within_its_bounds(world):
    discount = FORMULA.discounts()
    ideal = TOP * discount.sum()
    run = world.runs[0]
    tops = Tops.of(run.judged_query, run.judged_grade, run.queries, 10)
    for old, new in combinations(range(len(world.runs)), 2):
        of = weights(*world.document[[old, new]], *world.gain[[old, new]], discount)
        found = global_bounds(
            of,
            tops=tops,
            unjudged=world.unjudged,
            discount=discount,
            top=TOP,
            at_zero=np.zeros(run.queries),
        )
        truth = world.ndcg(new) - world.ndcg(old)
        assert (found.low <= truth + 1e-12).all()
        assert (truth <= found.high + 1e-12).all()
        # Who wins a query is decided for both measures alike, by however much.
        certain = difference_bounds(of, top=TOP, ideal=ideal)
        assert (found.low[certain.for_candidate] > 0).all()
        assert (found.high[certain.for_baseline] < 0).all()


def hidden_outside(runs, gains, pool, run):
    """Gains (Q, N) of a run's pages that are known if only the runs of the pool were judged, what is not, and all."""
    true, unjudged = np.zeros((len(gains), 10)), np.zeros((len(gains), 10), dtype=bool)
    for query, worth in enumerate(gains):
        known = {name for one in pool for name in runs[one][query]}
        for rank, name in enumerate(runs[run][query]):
            true[query, rank] = worth[name]
            unjudged[query, rank] = name not in known
    return np.where(unjudged, 0.0, true), unjudged, true


def test_each_run_left_out_of_the_pool_is_expected_at_what_it_has():
    runs, gains = esci_pages()
    misses, inside = [], []
    for outsider in range(len(runs)):
        pool = [run for run in range(len(runs)) if run != outsider]
        base = pooled([runs[run] for run in pool], gains, ranks=10, top=7.0)
        gain, unjudged, true = hidden_outside(runs, gains, pool, outsider)
        truth = (true @ base.discount).mean() / (base.top * base.discount.sum())
        found = estimate(gain, unjudged, Pool(base))
        misses.append(found.value - truth)
        if not found.beyond:
            inside.append(found.low <= truth <= found.high)

    assert abs(np.mean(misses)) < 0.001
    assert len(inside) >= 5
    assert np.mean(inside) >= 0.9


def test_an_expected_difference_that_excludes_nothing_has_the_right_sign():
    """Runs outside of pools of four beside those inside: zeros for the unjudged are right of about half of these pairs."""
    runs, gains = esci_pages()
    by_zeros, held, claims, beyond = [], [], [], []
    for pool in list(combinations(range(len(runs)), 4))[::7]:
        base = pooled([runs[run] for run in pool], gains, ranks=10, top=7.0)
        told, ideal = Pool(base), base.top * base.discount.sum()
        pages = [hidden_outside(runs, gains, pool, run) for run in range(len(runs))]
        for outsider in set(range(len(runs))) - set(pool):
            for inside in pool:
                old, new = pages[inside], pages[outsider]
                truth = ((new[2] - old[2]) @ base.discount).mean() / ideal
                zeros = ((new[0] - old[0]) @ base.discount).mean() / ideal
                pair = np.stack([old[0], new[0]]), np.stack([old[1], new[1]])
                found = estimate_difference(*pair, told)
                by_zeros.append(np.sign(zeros) == np.sign(truth))
                beyond.append(found.beyond)
                if found.beyond:
                    continue
                held.append(found.low <= truth <= found.high)
                if found.low > 0 or found.high < 0:
                    claims.append(np.sign(found.value) == np.sign(truth))

    assert np.mean(by_zeros) < 0.6
    assert np.mean(beyond) < 0.3
    assert np.mean(held) >= 0.95
    assert len(claims) >= 10
    assert np.mean(claims) >= 0.95
