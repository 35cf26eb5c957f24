"""The same answers by slow and plain ways, and the published ones. Nothing here comes from the package under test."""

import csv
from itertools import permutations, product
from pathlib import Path

import numpy as np

from tests.shared_data import shared_data


def every_flip(differences):
    """The exact two-sided p-value: the share of all assignments of signs whose |sum| reaches that of the differences."""
    seen = abs(sum(differences)) - 1e-9 * sum(map(abs, differences))
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= seen for one in sums) / len(sums)


def every_order(scores):
    """Exact p-values of the randomised Tukey HSD test, from all orders of every query's scores (Q, R)."""
    orders = [list(permutations(row)) for row in scores]
    ranges = np.array([np.ptp(np.sum(drawn, axis=0)) for drawn in product(*orders)])
    sums = np.sum(scores, axis=0)
    return np.array([[(ranges >= abs(one - other) - 1e-9).mean() for other in sums] for one in sums])


def drawn_orders(scores, draws, seed):
    """The same p-values from drawn orders, each query's scores shuffled anew for every draw."""
    source = np.random.default_rng(seed)
    shuffled = (source.permuted(scores, axis=1).mean(axis=0) for _ in range(draws))
    ranges = np.array([np.ptp(means) for means in shuffled])
    means = scores.mean(axis=0)
    return (ranges[:, None, None] >= np.abs(means[:, None] - means) - 1e-12).mean(axis=0)


def every_greatest_z(columns):
    """Single-step adjusted p-values: the share of all assignments of signs whose greatest |z| of any run reaches each run's."""
    signs = np.array(list(product((1, -1), repeat=len(columns))))
    z = np.abs(signs @ columns) / np.sqrt((columns**2).sum(axis=0))
    return [
        float((z.max(axis=1) >= seen - 1e-9).mean()) for seen in z[0]
    ]  # the first assignment is as it was


def score_matrix(name):
    """Queries × runs."""
    return np.loadtxt(shared_data("score_matrices") / f"{name}.csv", delimiter=",", skiprows=1)


def rows(path: Path):
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def esci_scores():
    """nDCG@10 of each run, by query in one order."""
    values = {}
    for row in rows(shared_data("esci_runs") / "expected_per_topic.csv"):
        values.setdefault(row["run"], {})[row["query_id"]] = float(row["ndcg_cut_10"])
    queries = sorted(next(iter(values.values())))
    return {run: [by_query[query] for query in queries] for run, by_query in values.items()}


def esci_pairs():
    """What another tool says of all 28 pairs of runs."""
    return rows(shared_data("esci_runs") / "expected_significance.csv")
