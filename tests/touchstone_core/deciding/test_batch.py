"""Which documents come next: a tenth at random, the first ranks, then the queries that decide most."""

import numpy as np

from tests.touchstone_core.deciding.test_difference import documents, keys_of
from touchstone_core.deciding.batch import next_batch
from touchstone_core.deciding.difference import difference

TEN = [1 / np.log2(rank + 2) for rank in range(10)]


def apart(queries, changed=None):
    """Two runs with ten documents each per query, none in common where a query is changed."""
    old = [list(range(10)) for _ in range(queries)]
    new = [
        list(range(10, 20)) if changed is None or query in changed else page for query, page in enumerate(old)
    ]
    return [old, new]


def batch(pages, gains, size, seed=1):
    found = documents(pages, gains, discount=TEN)
    chosen = next_batch(found, difference(found).value, size, np.random.default_rng(seed))
    keys = keys_of(found)
    return [keys[at] for at in chosen.targeted], [keys[at] for at in chosen.random]


def first_ranks(queries):
    return {(query, one): 1.0 for query in range(queries) for one in (0, 1, 2, 10, 11, 12)}


def test_twelve_of_a_hundred_are_drawn_from_all_that_is_unjudged():
    gains = first_ranks(50)

    targeted, drawn = batch(apart(50, changed=range(25)), gains, 100)

    assert (len(targeted), len(drawn)) == (88, 12)
    assert not set(targeted) & set(drawn)
    assert not set(gains) & {*targeted, *drawn}


def test_every_unjudged_document_has_the_same_chance_to_be_drawn():
    """Also one that can't decide. 2,000 draws of 3 from 20 + 10: each is drawn about 200 times, ± 14."""
    pages = apart(2, changed=[0])
    times = {}
    for seed in range(2000):
        for key in batch(pages, {}, 25, seed)[1]:
            times[key] = times.get(key, 0) + 1

    assert len(times) == 30
    assert 150 < min(times.values()) <= max(times.values()) < 250


def test_the_first_three_ranks_of_changed_queries_come_first():
    targeted, _ = batch(apart(20, changed=range(5)), {}, 12)

    assert {query for query, _ in targeted} <= set(range(5))
    assert {one % 10 for _, one in targeted} <= {0, 1}  # rank 1 of five queries, then rank 2
    targeted, _ = batch(apart(20, changed=range(5)), {}, 30)
    assert {one % 10 for _, one in targeted} == {0, 1, 2}


def test_then_come_the_queries_that_decide_most_with_eight_documents_each():
    """All first ranks are judged. Query 3 had only good ones, so that more good ones are to be expected, and more is in doubt."""
    gains = {key: 3.0 * (key[0] == 3) for key in first_ranks(10)}

    targeted, drawn = batch(apart(10), gains, 18)

    assert len(drawn) == 2
    by_query = [sum(query == one for query, _ in targeted) for one in range(10)]
    assert by_query[3] == 8
    assert sorted(by_query) == [*[0] * 8, 8, 8]


def test_a_batch_is_never_larger_than_what_is_left():
    targeted, drawn = batch(apart(1), {}, 1000)

    assert len(targeted) + len(drawn) == 20


def test_once_nothing_can_decide_nothing_is_drawn_either():
    assert batch(apart(5, changed=[]), {}, 10) == ([], [])
    assert batch(apart(5), {}, 0) == ([], [])


def test_the_order_of_a_batch_says_nothing_of_ranks_and_runs():
    """Of one query, by number: the first run's documents by rank, then those of the second one."""
    targeted, drawn = batch(apart(1), {}, 20)

    assert [one for _, one in targeted] != sorted(one for _, one in targeted)
    assert [one for _, one in drawn] != sorted(one for _, one in drawn) or len(drawn) < 3


def test_the_same_seed_gives_the_same_batch():
    assert (
        batch(apart(9), {}, 20, seed=4) == batch(apart(9), {}, 20, seed=4) != batch(apart(9), {}, 20, seed=5)
    )


def test_what_waits_for_its_raters_is_not_taken_again():
    found = documents(apart(3), {}, discount=TEN)
    waiting = found.query != 1

    chosen = next_batch(found, difference(found).value, 50, np.random.default_rng(1), waiting)

    assert len(chosen) == 20
    assert set(found.query[[*chosen.targeted, *chosen.random]]) == {1}
    everything = np.ones(len(found.query), dtype=bool)
    assert len(next_batch(found, difference(found).value, 50, np.random.default_rng(1), everything)) == 0
