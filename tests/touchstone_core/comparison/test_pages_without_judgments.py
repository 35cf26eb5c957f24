"""What is said of runs whose rankings are empty, or of which nothing is judged."""

import json

import pytest

from touchstone_core.comparison.coverage import Coverage
from touchstone_core.comparison.plain_verdict import plain_verdict
from touchstone_core.comparison.verdict import verdict_of
from touchstone_core.offline.file_comparison import compare_files


@pytest.fixture
def plain(tmp_path):
    """The verdict in plain words on a run beside a baseline: both are rankings of four queries whose good document is g."""

    def of(baseline, run):
        (tmp_path / "qrels").write_text("".join(f"{query} 0 g 2\n{query} 0 z 0\n" for query in "abcd"))
        for name, rankings in {"old": baseline, "new": run}.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(rankings))
        files = [tmp_path / "old.json", tmp_path / "new.json"]
        figures = compare_files(tmp_path / "qrels", files, measures="nDCG@10", cutoff=10).measures["nDCG@10"]
        verdict = verdict_of(figures, 0, on="global")
        return plain_verdict(figures, 0, verdict, run="new", baseline="old", on="global")

    return of


def test_an_empty_ranking_is_no_result_either(plain):
    found = plain({query: ["g"] for query in "abcd"}, {"a": ["g"], "b": [], "c": []})

    assert found.unanswered == 3
    assert "3 queries get no results." in found.text


@pytest.mark.parametrize(
    ("baseline", "run", "words"),
    [
        (True, True, "No document on the pages of either run is judged."),
        (True, False, "No document on the baseline’s pages is judged, and 50.0 % of this run’s pages are."),
        (False, True, "No document on this run’s pages is judged, and 80.0 % of the baseline’s pages are."),
    ],
)
def test_the_share_of_pages_without_a_judged_document_is_not_said(baseline, run, words):
    """It would be that of ranks without a document."""
    assert Coverage(0.8, 0.5, baseline_nothing=baseline, nothing=run).share_words == words


def test_the_figures_say_of_which_run_nothing_is_judged():
    figures = {
        "coverage": {"runs": [0.6, 0.5], "where": "pages", "unjudged": "zero"},
        "runs": [{"holes": 8, "judged": 0.0}, {"holes": 3, "judged": 0.2}],
    }

    found = Coverage.of_figures(figures, 0)

    assert (found.baseline_nothing, found.nothing) == (True, False)
