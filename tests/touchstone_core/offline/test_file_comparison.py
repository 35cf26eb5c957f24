"""Comparisons of files: the formula of their bounds, against every grade that unjudged documents could have."""

from itertools import product
from math import log2

import pytest

from touchstone_core.metrics.formula import Formula
from touchstone_core.offline.file_comparison import compare_files

JUDGED = {"a": 3, "b": 1, "c": 0, "d": 2}
OLD, NEW = ["c", "u", "b"], ["a", "b", "v"]
GAINS = {"linear": float, "exp": lambda grade: 2.0**grade - 1}


@pytest.fixture
def files(tmp_path):
    """Judgments of one query, and two runs that each show an unjudged document."""
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"q 0 {name} {grade}\n" for name, grade in JUDGED.items()))
    runs = []
    for name, page in (("old", OLD), ("new", NEW)):
        runs.append(tmp_path / f"{name}.trec")
        rows = (f"q Q0 {document} {rank} {-rank} {name}\n" for rank, document in enumerate(page, 1))
        runs[-1].write_text("".join(rows))
    return qrels, runs


def ndcg(page, grades, gain, cutoff):
    def dcg(gains):
        return sum(one / log2(rank + 1) for rank, one in enumerate(gains[:cutoff], 1))

    ideal = sorted(map(GAINS[gain], grades.values()), reverse=True)
    return dcg([GAINS[gain](grades[name]) for name in page]) / dcg(ideal)


@pytest.mark.parametrize(
    ("measure", "cutoff", "gain", "at"),
    [
        ("nDCG@3", None, "linear", 3),
        ("nDCG(gain='exp')@3", None, "exp", 3),
        ("RR nDCG(gain='exp')@2 nDCG@3", None, "exp", 2),
        ("nDCG(gain='exp')@3", 2, "exp", 2),
        ("RR", None, "linear", 10),
    ],
)
def test_the_bounds_are_those_of_the_first_ndcg(files, measure, cutoff, gain, at):
    qrels, runs = files
    worlds = [JUDGED | {"u": u, "v": v} for u, v in product(range(4), repeat=2)]
    values = [[ndcg(page, grades, gain, at) for page in (OLD, NEW)] for grades in worlds]
    differences = [new - old for old, new in values]

    found = compare_files(qrels, runs, measures=measure, cutoff=cutoff, max_grade=3)

    assert found.formula == Formula(gain=gain, cutoff=at)
    (evidence,) = found.overall["evidence"]
    assert (evidence["global_low"], evidence["global_high"]) == pytest.approx(
        (min(differences), max(differences))
    )
    for place, bounds in enumerate(found.overall["bounds"]):
        ends = (bounds["low"]["global"], bounds["high"]["global"])
        assert ends == pytest.approx([end(one[place] for one in values) for end in (min, max)])
