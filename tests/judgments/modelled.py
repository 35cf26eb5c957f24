"""Lists that a model can be fitted to: simulated raters of known habits, and the crowd of Vuurens."""

import itertools

import numpy as np

from judgments.grades.sql.explanations import explanations
from judgments.models import ConsensusGrade, Judgment, ModelFit, Rater
from tests import factories as make
from tests.judgments.refreshed import refresh_consensus
from touchstone_core.grades.dawid_skene import Labels, dawid_skene, prior


def fill(judgment_list, rows):
    """`rows` of (pair number, rater name, value): pairs in their order, ten for each query; consensus is up to date."""
    rows = list(rows)
    query_set = judgment_list.query_set
    numbers = list(dict.fromkeys(number for number, _, _ in rows))
    of_query = {
        tens: [one for one in numbers if one // 10 == tens]
        for tens in dict.fromkeys(n // 10 for n in numbers)
    }
    queries = dict(zip(of_query, make.make_queries(query_set, len(of_query)), strict=True))
    documents = iter(
        make.make_documents(query_set, [f"{judgment_list.pk}-{one}" for one in numbers]).values()
    )
    made = make.make_pairs(
        judgment_list, {queries[tens]: [next(documents) for _ in inside] for tens, inside in of_query.items()}
    )
    pairs = dict(zip(itertools.chain(*of_query.values()), made, strict=True))
    raters = {
        name: Rater.objects.get_or_create(query_set=query_set, name=name, kind="external")[0]
        for name in dict.fromkeys(name for _, name, _ in rows)
    }
    make.make_judgments((pairs[number], raters[name], value) for number, name, value in rows)
    refresh_consensus(judgment_list=judgment_list)
    return judgment_list


def make_modelled(pairs=40, query_set=None, **fields):
    """Three raters of whom each is right four times of five, and “zero”, who says 0 to everything."""
    rng = np.random.default_rng(7)
    rows = []
    for number in range(pairs):
        right = int(rng.integers(4))
        rows += [(number, name, min(3, right + int(rng.random() < 0.2))) for name in ("a", "b", "c")]
        rows.append((number, "zero", 0))
    return fill(make.make_list(query_set or make.make_query_set(), **fields), rows)


def hold_better(judgment_list):
    """The fitted models are taken to predict held-back judgments better than the plain rules."""
    comparison = {
        "judgments": 40,
        "model": 0.2,
        "plain": {"mean": 0.3},
        "ahead": 0.1,
        "low": 0.05,
        "high": 0.15,
    }
    ModelFit.objects.filter(judgment_list=judgment_list).update(comparison=comparison)


def labels_in(judgment_list):
    """(pair, rater, grade) as they are stored, in the order of IDs."""
    stored = Judgment.objects.filter(judgment_list=judgment_list, value__isnull=False)
    return list(stored.order_by("pair_id", "rater_id").values_list("pair_id", "rater_id", "value"))


def first_pair(judgment_list):
    return judgment_list.pairs.order_by("pk").first()


def estimate(judgment_list, variant, grades=4):
    """What the arithmetic says of the stored judgments, and the pairs that it says it of."""
    rows = np.array(labels_in(judgment_list))
    pair_ids, pairs = np.unique(rows[:, 0], return_inverse=True)
    _, raters = np.unique(rows[:, 1], return_inverse=True)
    labels = Labels(pairs, raters, rows[:, 2].astype(np.int64), grades)
    return pair_ids.astype(int).tolist(), dawid_skene(labels, prior(variant, grades))


def grades_of(judgment_list):
    return dict(ConsensusGrade.objects.filter(judgment_list=judgment_list).values_list("pair_id", "value"))


def how(pair):
    return explanations([pair.pk])[pair.pk][1]


def judged(judgment_list, value, name="a"):
    """The first pair with another answer of this rater, and the consensus brought up to date."""
    pair = first_pair(judgment_list)
    Judgment.objects.filter(pair=pair, rater__name=name).update(value=value)
    refresh_consensus(judgment_list=judgment_list, pair_ids=[pair.pk])
    return pair
