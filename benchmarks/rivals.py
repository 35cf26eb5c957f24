"""One contender, one run: reads the files, computes six measures, prints their means as JSON. Each is its own process.

python -m benchmarks.rivals NAME QRELS RUN [--per-query]
python -m benchmarks.rivals many QRELS RUN...

With --per-query it prints every value instead: measure, query, value. `many` is pytrec_eval with several runs: the means of each.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np

MEASURES = ("nDCG@10", "nDCG@100", "AP", "RR", "P@10", "R@1000")
IN_TREC_EVAL = ("ndcg_cut_10", "ndcg_cut_100", "map", "recip_rank", "P_10", "recall_1000")
IN_RANX = ("ndcg@10", "ndcg@100", "map", "mrr", "precision@10", "recall@1000")

Values = dict[str, dict[str, float]]  # by measure and query
Means = dict[str, float]


def pytrec_eval(qrels: str, run: str, *, per_query: bool) -> Values | Means:
    found = next(_evaluated(qrels, [run]))
    return dict(_by_measure(found)) if per_query else _means(found)


def pytrec_eval_many(qrels: str, runs: Sequence[str]) -> list[Means]:
    return list(map(_means, _evaluated(qrels, runs)))


def _evaluated(qrels: str, runs: Sequence[str]) -> Iterator[Values]:
    """By query and trec_eval's name."""
    import pytrec_eval

    with open(qrels) as file:
        judged = pytrec_eval.parse_qrel(file)
    wanted = {"ndcg_cut.10,100", "map", "recip_rank", "P.10", "recall.1000"}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, wanted)
    for run in runs:
        with open(run) as file:
            ranked = pytrec_eval.parse_run(file)
        yield evaluator.evaluate(ranked)


def _by_measure(found: Values) -> Iterator[tuple[str, dict[str, float]]]:
    for measure, name in zip(MEASURES, IN_TREC_EVAL, strict=True):
        yield measure, {query: values[name] for query, values in found.items()}


def _means(found: Values) -> Means:
    return {measure: float(np.mean([*values.values()])) for measure, values in _by_measure(found)}


def ir_measures(qrels: str, run: str, *, per_query: bool) -> Values | Means:
    import ir_measures

    wanted = {ir_measures.parse_measure(name): name for name in MEASURES}
    files = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    if per_query:
        values: Values = {name: {} for name in MEASURES}
        for found in ir_measures.iter_calc(list(wanted), *files):
            values[wanted[found.measure]][found.query_id] = found.value
        return values
    means = ir_measures.calc_aggregate(list(wanted), *files)
    return {name: float(means[measure]) for measure, name in wanted.items()}


def ranx(qrels: str, run: str, *, per_query: bool) -> Values | Means:
    from ranx import Qrels, Run, evaluate

    judged = Qrels.from_file(qrels, kind="trec")
    ranked = Run.from_file(run, kind="trec").make_comparable(judged)
    means = evaluate(judged, ranked, list(IN_RANX))
    names = list(zip(MEASURES, IN_RANX, strict=True))
    if per_query:
        return {
            name: {query: float(value) for query, value in ranked.scores[key].items()} for name, key in names
        }
    return {name: float(means[key]) for name, key in names}


def scikit_learn(qrels: str, run: str, *, per_query: bool) -> Values | Means:
    """Only its two NDCGs, over retrieved and judged documents; what was not retrieved is given the least score."""
    from sklearn.metrics import ndcg_score

    judged: dict[str, dict[str, float]] = {}
    ranked: dict[str, dict[str, float]] = {}
    with open(qrels) as file:
        for query, _, document, grade in map(str.split, file):
            judged.setdefault(query, {})[document] = float(grade)
    with open(run) as file:
        for query, _, document, _, score, _ in map(str.split, file):
            ranked.setdefault(query, {})[document] = float(score)
    values: Values = {"nDCG@10": {}, "nDCG@100": {}}
    for query, grades in judged.items():
        documents = sorted(grades.keys() | ranked[query].keys())
        truth = [[grades.get(document, 0.0) for document in documents]]
        scores = [[ranked[query].get(document, -1e9) for document in documents]]
        for name, found in values.items():
            found[query] = float(ndcg_score(truth, scores, k=int(name.partition("@")[2])))
    return (
        values if per_query else {name: float(np.mean([*found.values()])) for name, found in values.items()}
    )


def parse_alone(qrels: str, run: str, *, per_query: bool) -> Values | Means:
    """The limit: polars reads three columns of the run and does nothing with them."""
    import polars as pl

    schema = {f"column_{place}": pl.Float64() if place == 4 else pl.String() for place in range(6)}
    pl.read_csv(run, separator=" ", has_header=False, quote_char=None, schema=schema, columns=[0, 2, 4])
    return {}


RIVALS: dict[str, Callable[..., Values | Means]] = {
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
    "scikit-learn": scikit_learn,
    "parse alone": parse_alone,
}

if __name__ == "__main__":
    name, qrels, run, *more = sys.argv[1:]
    if name == "many":
        print(json.dumps(pytrec_eval_many(qrels, [run, *more])))
    else:
        print(json.dumps(RIVALS[name](qrels, run, per_query=more == ["--per-query"])))
