"""The example shop holds together, shows what it is meant to show, and can be made anew."""

import csv
import itertools
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
import pytrec_eval

from examples.shop import files, raters
from examples.shop.make import main, make, plain_runs, pool

RUNS = ("bm25", "title-trigram", "postgres-fts", "keyword-popularity")
REASONS = {"query_unclear", "document_missing", "language", "offensive", "needs_expert"}


@pytest.fixture(scope="module")
def judged() -> list[dict[str, str]]:
    return files.rows("judgments.csv")


@pytest.fixture(scope="module")
def runs() -> dict[str, files.Run]:
    return {name: files.read_run(files.HERE / "runs" / f"{name}.trec") for name in RUNS}


def consensus(judged: list[dict[str, str]]) -> dict[str, dict[str, int]]:
    """The median grade of every judged pair, ties to the lower grade."""
    grades: dict[tuple[str, str], list[int]] = {}
    for row in judged:
        if row["grade"]:
            grades.setdefault((row["query"], row["document"]), []).append(int(row["grade"]))
    medians: dict[str, dict[str, int]] = {}
    for (query, document), given in grades.items():
        medians.setdefault(query, {})[document] = sorted(given)[(len(given) - 1) // 2]
    return medians


def top(run: files.Run, query: str) -> list[tuple[str, float]]:
    return run.get(query, [])[:10]


def test_every_id_is_unique_and_every_product_has_a_title():
    products, queries = files.rows("products.csv"), files.rows("queries.csv")

    assert len({row["document_id"] for row in products}) == len(products) >= 150
    assert len({row["query_id"] for row in queries}) == len(queries) == 25
    assert all(row["title"] for row in products)
    assert all(row["information_need"] and float(row["weight"]) > 0 and row["tags"] for row in queries)
    assert {row["document_id"] for row in files.rows("sales.csv")} == {row["document_id"] for row in products}


@pytest.mark.parametrize("name", ["judgments.csv", "pairs.csv", "truth.csv", "remarks.csv"])
def test_every_pair_names_a_query_and_a_product_that_exist(name):
    products = {row["document_id"] for row in files.rows("products.csv")}
    queries = {row["query_id"] for row in files.rows("queries.csv")}

    assert {row["query"] for row in files.rows(name)} <= queries
    assert {row["document"] for row in files.rows(name)} <= products


def test_a_judgment_is_a_grade_on_the_scale_or_a_reason_why_not(judged):
    assert all((row["grade"] in {"0", "1", "2", "3"}) != (row["reason"] in REASONS) for row in judged)
    assert sum(bool(row["reason"]) for row in judged) >= 5


def test_no_rater_judges_a_pair_twice_or_one_outside_the_pool(judged):
    pairs = {(row["query"], row["document"]) for row in files.rows("pairs.csv")}

    assert len({(row["query"], row["document"], row["rater"]) for row in judged}) == len(judged)
    assert {(row["query"], row["document"]) for row in judged} <= pairs


def test_every_remark_belongs_to_a_judgment(judged):
    made = {(row["rater"], row["query"], row["document"]) for row in judged}

    assert set(files.remarks()) <= made


def test_judgments_carry_a_time_with_zone_and_a_duration(judged):
    assert all(datetime.fromisoformat(row["judged_at"]).tzinfo for row in judged)
    assert all(0 < float(row["seconds"]) < 90 for row in judged)


def test_a_rater_never_does_two_things_at_once(judged):
    for rater in raters.RATERS:
        times = [row["judged_at"] for row in judged if row["rater"] == rater.name]

        assert times == sorted(times)


def test_raters_agree_on_most_pairs_but_not_on_all(judged):
    grades = {}
    for row in judged:
        if row["grade"]:
            grades.setdefault(row["rater"], {})[row["query"], row["document"]] = row["grade"]

    for one, other in itertools.combinations(grades.values(), 2):
        common = one.keys() & other.keys()
        assert 0.6 < sum(one[pair] == other[pair] for pair in common) / len(common) < 0.9


def test_the_strict_rater_grades_lower_than_the_lenient_one(judged):
    grades = {(row["rater"], row["query"], row["document"]): row["grade"] for row in judged if row["grade"]}
    common = [(q, d) for rater, q, d in grades if rater == "noor" and ("emil", q, d) in grades]

    assert sum(int(grades["emil", q, d]) - int(grades["noor", q, d]) for q, d in common) / len(common) > 0.1


def test_the_list_is_unfinished_and_the_demo_rater_has_work(judged):
    pairs = files.rows("pairs.csv")
    done = Counter(row["rater"] for row in judged)
    untouched = {row["query"] for row in pairs} - {row["query"] for row in judged if row["rater"] == "rater"}

    assert len(pairs) - done["rater"] >= 60
    assert len(untouched) >= 3
    assert done["noor"] < len(pairs)
    assert done["emil"] < len(pairs)


def test_runs_hold_known_products_once_in_descending_order(runs):
    products = {row["document_id"] for row in files.rows("products.csv")}
    for run in runs.values():
        for ranking in run.values():
            ids = [document for document, _ in ranking]
            assert set(ids) <= products
            assert len(set(ids)) == len(ids) <= 50
            assert ranking == sorted(ranking, key=lambda pair: (pair[1], pair[0]), reverse=True)


def test_full_text_search_misses_queries_and_bm25_none(runs):
    assert len(runs["postgres-fts"]) <= 24
    assert len(runs["bm25"]) == 25


def test_best_sellers_tie_inside_the_top_ten(runs):
    run = runs["keyword-popularity"]
    tied = [query for query in run if len({score for _, score in top(run, query)}) < len(top(run, query))]

    assert len(tied) > 15


def test_the_run_that_came_after_the_pool_has_holes(runs, judged):
    grades = consensus(judged)
    shown = [(query, document) for query in grades for document, _ in top(runs["title-trigram"], query)]
    holes = [pair for pair in shown if pair[1] not in grades[pair[0]]]

    assert 0.05 < len(holes) / len(shown) < 0.5


def test_ndcg_global_in_the_readme_is_what_trec_eval_says(runs, judged):
    grades = consensus(judged)
    readme = (files.HERE.parent / "README.md").read_text(encoding="utf-8")
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"ndcg_cut.10"})

    for name, run in runs.items():
        values = evaluator.evaluate({query: dict(ranking) for query, ranking in run.items()})
        mean = sum(value["ndcg_cut_10"] for value in values.values()) / len(grades)
        row = next(line for line in readme.splitlines() if line.startswith(f"| {name} | ."))
        assert row.split("|")[4].strip() == f"{mean:.3f}".removeprefix("0")


def test_the_three_plain_runs_are_made_anew_byte_for_byte():
    for name, run in plain_runs(files.products(), files.queries()).items():
        committed = (files.HERE / "runs" / f"{name}.trec").read_bytes()

        assert files.run_text(name, run).encode() == committed


def test_everything_is_made_anew_byte_for_byte(tmp_path, runs):
    make(tmp_path, runs["postgres-fts"])

    for name in ("judgments.csv", "pairs.csv", *(f"runs/{run}.trec" for run in RUNS)):
        assert (tmp_path / name).read_bytes() == (files.HERE / name).read_bytes()


def test_the_command_writes_where_it_is_told(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["make", "--folder", str(tmp_path)])

    main()

    with (tmp_path / "judgments.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == files.rows("judgments.csv")


def test_the_pool_is_the_top_ten_of_three_runs_and_the_perfect_products(runs):
    pairs = set(pool(runs, files.queries()))

    pooled = {
        (q, d) for name in RUNS if name != "title-trigram" for q in runs[name] for d, _ in top(runs[name], q)
    }
    perfect = {pair for pair, true in files.truth().items() if true.grade == 3}
    assert pairs == pooled | perfect
