"""Real runs compared by the command, from their files, and by the page, from what was stored of the same files."""

import csv
import io
import json
import random

import pytest
from django.core.management import call_command

from judgments.models import Role
from tests import factories as make
from tests.evaluation.scores.actions.test_real_scores import read_qrels, store_file, store_judgments
from tests.evaluation.two_runs import comparison_address
from tests.shared_data import shared_data
from touchstone_core.comparison.comparison_cells import EVIDENCE

pytestmark = [pytest.mark.django_db, pytest.mark.sampled]
HAYSTACK = ("haystack_with_vector", "haystack_vector_2")
ESCI = ("bm25_full_stem", "rrf_bm25_lsa", "lsa300_full")


def make_world(qrels, runs):
    """A list with the grades of a file, and the runs of others."""
    judgment_list = make.make_list(make.make_query_set())
    store_judgments(judgment_list, read_qrels(qrels))
    return judgment_list, [store_file(judgment_list.query_set, run) for run in runs]


@pytest.fixture
def both_ways(client, capsys):
    """What the page's JSON and the command's say of the same files, and the page itself."""

    def compare(qrels, runs, read=None, measure="nDCG@10", **asked):
        judgment_list, stored = make_world(qrels, runs)
        client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
        page = client.get(comparison_address(judgment_list, *stored)).content.decode()
        address = comparison_address(judgment_list, *stored, page="comparison-report", format="json", **asked)
        figures = client.get(address).json()["figures"]
        files = [part for run in runs for part in ("--run", str(run))]
        command = [
            "compare",
            "--qrels",
            str(read or qrels),
            *files,
            "--max-grade",
            "3",
            "--measures",
            measure,
        ]
        call_command(*command, "--format", "json")
        told = json.loads(capsys.readouterr().out)
        call_command(*command, "--format", "csv")
        told["rows"] = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        return " ".join(page.split()), figures, told

    return compare


def of_pages(evidence):
    """Without what a site knows of queries that aren't judged."""
    return {name: value for name, value in evidence.items() if name not in ("outlook", "decided")}


def test_two_nearly_equal_runs_show_no_difference(both_ways):
    folder = shared_data("quepid_haystack")

    page, figures, told = both_ways(
        folder / "case_qrels.txt", [folder / "runs" / f"{name}.trec" for name in HAYSTACK]
    )

    assert "<strong>No difference</strong>" in page
    assert "<strong>Better" not in page
    (comparison,), (evidence,) = figures["comparisons"], figures["evidence"]
    assert (comparison["difference"]["mean"], comparison["permutation"]["value"]) == (0, 1)
    assert (evidence["changed"], evidence["ceiling"]) == (0, 0)
    assert evidence["overlap"] == evidence["rbo"] == pytest.approx(1)
    assert told["runs"][0]["evidence"] == pytest.approx(of_pages(evidence))


def as_shown(record, page):
    """The JSON of files has every figure. Beside what can't be told, that of the page has no p-value, interval or plan."""
    if not (page["verdict"].startswith("Probably") or page["verdict"] == "Can’t tell until more is judged"):
        return record
    return {key: _where_known(value, page[key]) for key, value in record.items()}


def _where_known(value, shown):
    if isinstance(value, dict) and isinstance(shown, dict):
        return {key: _where_known(one, shown[key]) for key, one in value.items()}
    return None if shown is None else value


def test_page_and_command_tell_the_same_of_the_same_files(both_ways):
    runs = [shared_data("esci_runs") / f"{name}.trec" for name in ESCI]

    _, figures, told = both_ways(shared_data("esci_opensearch/qrels.esci_us_150.txt"), runs)

    for place, run in enumerate(told["runs"]):
        measure, page = run["measures"]["nDCG@10"], figures["comparisons"][place]
        assert as_shown(measure, page) == {key: page[key] for key in measure}
        assert run["evidence"] == pytest.approx(of_pages(figures["evidence"][place]), abs=1e-12)
    assert told["coverage"] == pytest.approx([bound["coverage"] for bound in figures["bounds"]])


def test_page_and_command_split_the_change_of_ndcg_max_alike(both_ways):
    runs = [shared_data("esci_runs") / f"{name}.trec" for name in ESCI]
    qrels = shared_data("esci_opensearch/qrels.esci_us_150.txt")

    _, figures, told = both_ways(qrels, runs, measure="nDCG(ideal='max')@10", on="max")

    assert figures["split_on"] == "max"
    for run, split in zip(told["runs"], figures["splits"], strict=True):
        steps = {part["part"]: part["mean"] for part in split}
        for part, change in run["split"].items():
            assert change["mean"] == pytest.approx(steps[part], abs=1e-12)


@pytest.fixture
def drawn(tmp_path):
    """Judgments and three runs over 40 queries: three hold no gain, each run leaves one out, and of each page a document is
    unjudged."""
    chance = random.Random(3)
    names = [f"q{place}" for place in range(40)]
    grades = {name: [0] * 4 if place < 3 else range(4) for place, name in enumerate(names)}
    qrels = [f"{name} 0 {name}-{at} {grade}" for name in names for at, grade in enumerate(grades[name])]
    runs = []
    for place, name in enumerate(("old", "new", "other")):
        pages = {query: chance.sample(range(5), 4) for query in names if query != f"q{2 * place}"}
        lines = [
            f"{query} Q0 {query}-{document} {rank} {-rank} {name}"
            for query, page in pages.items()
            for rank, document in enumerate(page, 1)
        ]
        (tmp_path / f"{name}.trec").write_text("\n".join(lines))
        runs.append(tmp_path / f"{name}.trec")
    (tmp_path / "stored.txt").write_text("\n".join(qrels))
    (tmp_path / "read.txt").write_text("\n".join(qrels[::-1]))
    return runs, tmp_path / "stored.txt", tmp_path / "read.txt"


@pytest.mark.parametrize(
    ("measure", "asked", "left_out"),
    [
        ("nDCG@10", {}, 0),
        ("DCG@10", {"on": "dcg"}, 0),
        ("RR", {"on": "RR", "measures": "RR"}, 0),
        ("nDCG(zero='skip')@10", {"on": "nDCG(zero='skip')@10", "measures": "nDCG(zero='skip')@10"}, 3),
    ],
)
def test_page_and_command_tell_the_same_on_every_measure(both_ways, drawn, measure, asked, left_out):
    """The list stores the queries as one file has them; the command reads them in another order."""
    runs, stored, read = drawn

    _, figures, told = both_ways(stored, runs, read, measure, **asked)

    assert figures["left_out"] == left_out
    for place, run in enumerate(told["runs"]):
        record, page = run["measures"][measure], figures["comparisons"][place]
        assert as_shown(record, page) == {key: page[key] for key in record}
        row, evidence = told["rows"][place], figures["evidence"][place]
        expected = {column.name: column.read(evidence) for column in EVIDENCE}
        assert {name: float(row[name]) for name in expected if row[name]} == {
            name: pytest.approx(number, abs=1e-12) for name, number in expected.items() if number is not None
        }


def test_the_same_run_twice_is_the_same_in_every_figure(both_ways, tmp_path):
    source = shared_data("esci_runs") / f"{ESCI[0]}.trec"
    runs = [tmp_path / "one.trec", tmp_path / "two.trec"]
    for run in runs:
        run.write_bytes(source.read_bytes())

    page, figures, told = both_ways(shared_data("esci_opensearch/qrels.esci_us_150.txt"), runs)

    (comparison,), (evidence,) = figures["comparisons"], figures["evidence"]
    assert "The same value on every one of 150 queries." in page
    assert "0 of 150 queries changed" in page
    for found, seen in (
        (comparison, evidence),
        (told["runs"][0]["measures"]["nDCG@10"], told["runs"][0]["evidence"]),
    ):
        assert (found["difference"]["mean"], found["permutation"]["value"]) == (0, 1)
        assert (found["outcomes"]["wins"], found["outcomes"]["losses"]) == (0, 0)
        assert (seen["changed"], seen["ceiling"], seen["open"], seen["even"]) == (0, 0, 0, 150)
        assert seen["overlap"] == seen["rbo"] == pytest.approx(1)
