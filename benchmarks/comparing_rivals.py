"""One contender of `make bench-comparing`: python -m benchmarks.comparing_rivals NAME SCORES RUNS DRAWS ROUNDS.

Prints wall and CPU seconds of each round and the p-values as JSON. SCORES is a file of numpy's, queries × runs, the baseline first.
"""

import json
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def ours(scores: Scores, draws: int) -> list[float]:
    from touchstone_core.significance.permutation import family_tests

    tests, _ = family_tests(scores[:, 1:] - scores[:, :1], seed=1, draws=draws)
    return [test.value for test in tests]


def scipy(scores: Scores, draws: int) -> list[float]:
    from scipy import stats

    def difference(x: Scores, y: Scores, axis: int) -> Scores:
        return np.asarray((x - y).mean(axis=axis))

    return [
        float(
            stats.permutation_test(
                (run, scores[:, 0]),
                difference,
                permutation_type="samples",
                n_resamples=draws,
                vectorized=True,
                batch=1000,
                rng=np.random.default_rng(1),
            ).pvalue
        )
        for run in scores[:, 1:].T
    ]


def ranx(scores: Scores, draws: int) -> list[float]:
    from ranx.statistical_tests import fisher_randomization_test

    baseline = np.ascontiguousarray(scores[:, 0])
    return [
        float(fisher_randomization_test(baseline, np.ascontiguousarray(run), draws)[0])
        for run in scores[:, 1:].T
    ]


CONTENDERS: dict[str, Callable[[Scores, int], list[float]]] = {"ours": ours, "scipy": scipy, "ranx": ranx}


def main(name: str, file: str, runs: int, draws: int, rounds: int) -> None:
    scores = np.load(file)[:, : runs + 1]
    contender = CONTENDERS[name]
    contender(scores[:100], 200)
    timed = []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        values = contender(scores, draws)
        timed.append((time.perf_counter() - wall, time.process_time() - processor))
    print(json.dumps({"rounds": timed, "values": values}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
