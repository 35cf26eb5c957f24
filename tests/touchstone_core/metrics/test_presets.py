import numpy as np
import pytest

from touchstone_core.metrics.arrays import ScaleInfo, join
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.presets import PRESETS

TOOLS = [
    "trec-eval",
    "scikit-learn",
    "lightgbm",
    "xgboost",
    "ranklib",
    "ranklib-qrel",
    "quepid",
    "quepid-old",
    "quepid-cut",
    "elasticsearch",
    "opensearch",
    "gdeval",
    "jarvelin-kekalainen",
    "ms-marco",
]

# Two good documents of four are retrieved, the better one below; a second query has nothing relevant.
_, RUN = join(
    {"q": {"a": 3, "b": 1, "c": 3, "d": 2}, "nothing": {"a": 0}},
    {"q": ["b", "a"], "nothing": ["a"]},
    ScaleInfo(top_grade=3),
)


def ndcg(gains, ideal, discount=lambda rank: 1 / np.log2(rank + 1)):
    def dcg(list_):
        return sum(gain * discount(rank) for rank, gain in enumerate(list_, 1))

    return dcg(gains) / dcg(ideal)


def test_the_presets_are_those_of_the_design():
    assert list(PRESETS) == TOOLS
    assert all(preset.key == key for key, preset in PRESETS.items())


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_names_its_formula_and_what_to_know(preset):
    assert str(preset.measure(7)).endswith("@7")
    assert parse(str(preset.measure(7))) == preset.measure(7)
    assert all((preset.name, preset.words, preset.trap, preset.source))


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("trec-eval", [ndcg([1, 3], [3, 3]), 0]),
        ("scikit-learn", [ndcg([1, 3], [3, 1]), 0]),
        ("lightgbm", [ndcg([1, 7], [7, 1]), 1]),
        ("xgboost", [ndcg([1, 7], [7, 1]), 1]),
        ("ranklib", [ndcg([1, 7], [7, 1]), 0]),
        ("ranklib-qrel", [ndcg([1, 7], [7, 7]), 0]),
        ("quepid", [ndcg([1, 7], [7, 7, 3, 1]), 0]),
        ("quepid-old", [ndcg([1, 7], [7, 7]), 0]),
        ("quepid-cut", [ndcg([1, 7], [7, 7]), 0]),
        ("elasticsearch", [ndcg([1, 7], [7, 7]), 0]),
        ("jarvelin-kekalainen", [ndcg([1, 3], [3, 3], discount=lambda rank: 1), 0]),
        ("ms-marco", [1, 0]),
    ],
)
def test_a_preset_divides_by_the_ideal_of_its_tool(key, values):
    assert PRESETS[key].values(RUN, 2) == pytest.approx(values)


def test_elasticsearch_cuts_its_ideal_at_the_hits():
    _, run = join({"q": {"a": 3, "b": 3, "c": 3}}, {"q": ["a"]}, ScaleInfo(top_grade=3))

    assert PRESETS["elasticsearch"].values(run, 10).tolist() == [1]
    assert PRESETS["quepid-cut"].values(run, 10)[0] < 0.5


@pytest.mark.parametrize(("key", "digits"), [("opensearch", 2), ("gdeval", 5)])
def test_what_a_tool_rounds_for_every_query_is_rounded_before_the_mean(key, digits):
    exact = ndcg([1, 7], [7, 7])

    assert PRESETS[key].values(RUN, 2).tolist() == [pytest.approx(round(exact, digits), abs=1e-12), 0]


def test_quepid_calls_a_perfect_top_10_less_than_1():
    judgments = {f"d{number:02}": 3 for number in range(15)}
    _, run = join({"q": judgments}, {"q": list(judgments)[:10]}, ScaleInfo(top_grade=3))

    assert PRESETS["quepid"].values(run, 10)[0] == pytest.approx(0.7752, abs=5e-5)
    assert PRESETS["trec-eval"].values(run, 10)[0] == 1
