"""Judgments in a file that says how they were selected: of documents that decide between two runs zeros tell nothing."""

import json

import pytest

from touchstone_core.comparison.coverage import TARGETED_WORDS
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.offline.file_comparison import as_json, compare_files
from touchstone_core.offline.file_gate import gate_files
from touchstone_core.offline.file_scores import score_files
from touchstone_core.offline.gate import Demand

MEASURE = "nDCG(ideal='max')@4"
QUERIES = 30
PAGES = {"old": "abcd", "new": "efgh", "like-old": "ijkl", "like-new": "mnop"}
TARGETED = "for what they decide"
TOPS = {"a": 0, "e": 3, "i": 0, "m": 3}
"""The first document of each page alone is judged: rank 1 is 1 of the discounts 1 + 0.6309 + 0.5 + 0.4307 = 2.5616."""


@pytest.fixture
def files(tmp_path):
    """Writes judgments, alike for all queries, with how the pairs were selected; returns the paths of these and the runs."""

    def write(grades, selections, runs=("old", "new")):
        rows = ["query,document,grade,selection"]
        for nth in range(QUERIES):
            rows += [f"q{nth:02},{name},{grade},{selections.get(name, '')}" for name, grade in grades.items()]
        judgments = tmp_path / "judgments.csv"
        judgments.write_text("\n".join(rows) + "\n")
        for run in runs:
            pages = {f"q{nth:02}": list(PAGES[run]) for nth in range(QUERIES)}
            (tmp_path / f"{run}.json").write_text(json.dumps(pages))
        return judgments, [tmp_path / f"{run}.json" for run in runs]

    return write


def compared(judgments, runs):
    found = compare_files(judgments, runs, measures=MEASURE, cutoff=4, max_grade=3)
    (verdict,) = found.verdicts(MEASURE)
    return verdict, found


def gated(judgments, runs, **conditions):
    ((_, measure),) = read_rounded(MEASURE)
    report, warnings = gate_files(judgments, runs[1], runs[0], [Demand(measure, **conditions)], max_grade=3)
    return *report.measures, warnings


def test_zeros_beside_judgments_that_were_selected_for_what_they_decide_decide_nothing(files):
    """The bounds: (1 − 1.5616) / 2.5616, and 1 where only the new run's others are good."""
    pool, found_pool = compared(*files(TOPS, {}))
    verdict, found = compared(*files(TOPS, {"a": TARGETED, "e": TARGETED}))

    assert (pool.headline, pool.needs_judging) == ("Better on current judgments", False)
    assert verdict.needs_judging
    assert verdict.rule.p is None
    for words in (
        TARGETED_WORDS,
        "39.0 % of this run’s pages are judged, and 39.0 % of the baseline’s.",
        "the difference of NDCG-max lies between −0.2192 and +1.0000.",
        "If everything were judged, the difference of NDCG-max is expected to be",
    ):
        assert words in verdict.details
    assert found.file_scores.warnings == [f"judgments.csv: {TARGETED_WORDS}"]
    assert found_pool.file_scores.warnings == []
    (split,) = as_json(found)["runs"]
    assert all(one["interval"] is None for one in split["split"].values())


@pytest.mark.parametrize("selection", ["", "at random"])
def test_other_judgments_are_a_pool(files, selection):
    verdict, found = compared(*files(TOPS, dict.fromkeys("ae", selection)))

    assert (verdict.headline, found.file_scores.warnings) == ("Better on current judgments", [])
    assert "outlook" not in found.overall["evidence"][0]


def test_runs_that_show_no_such_document_are_compared_as_ever(files):
    """The file is warned of, since anybody may compare others of it."""
    selections = {"a": TARGETED, "e": TARGETED}
    verdict, found = compared(*files(TOPS, selections, runs=("like-old", "like-new")))
    beside, _ = compared(*files(TOPS, selections, runs=("old", "like-new")))

    assert verdict.headline == "Better on current judgments"
    assert found.file_scores.warnings == [f"judgments.csv: {TARGETED_WORDS}"]
    assert beside.needs_judging


def test_beyond_the_depth_to_which_pages_are_read_each_run_counts_as_if_it_showed_one(files):
    """Bounds are known to rank 100 only."""
    judgments, runs = files(TOPS, {"a": TARGETED}, runs=("like-old", "like-new"))
    measure = "nDCG(ideal='max')@101"
    found = compare_files(judgments, runs, measures=measure, cutoff=101, max_grade=3)

    (verdict,) = found.verdicts(measure)
    assert (verdict.headline, verdict.needs_judging) == ("Can’t tell until more is judged", True)
    assert TARGETED_WORDS in verdict.details


def test_with_every_page_judged_the_selection_does_not_matter(files):
    """Old shows nothing good, new only good documents."""
    grades = dict.fromkeys("abcd", 0) | dict.fromkeys("efgh", 3)
    verdict, _ = compared(*files(grades, dict.fromkeys(grades, TARGETED)))

    assert verdict.headline == "Better"
    assert verdict.rule.p is not None


def test_a_gate_shows_nothing_that_rests_on_such_zeros(files):
    """The mean itself is 1 / 2.5616 = 0.3904 more, and conditions on means stay."""
    pool, of_pool = gated(*files(TOPS, {}), most_drop=0.0, significant=True, least=0.39)
    found, warnings = gated(
        *files(TOPS, {"a": TARGETED, "e": TARGETED}), most_drop=0.0, significant=True, least=0.39
    )

    assert ([(one.kind, one.passed, one.untold) for one in pool.conditions], of_pool) == (
        [("min", True, False), ("no-worse", True, False)],
        [],
    )
    assert [(one.kind, one.passed, one.untold) for one in found.conditions] == [
        ("min", True, False),
        ("no-worse", False, True),
    ]
    assert found.comparison.ends is None
    assert TARGETED_WORDS in found.comparison.caveat
    assert found.comparison.verdict.needs_judging
    assert warnings == [f"judgments.csv: {TARGETED_WORDS}"]


def test_a_gate_on_pages_that_are_judged_passes_as_ever(files):
    grades = dict.fromkeys("abcd", 0) | dict.fromkeys("efgh", 3)
    found, _ = gated(*files(grades, dict.fromkeys(grades, TARGETED)), most_drop=0.0, significant=True)

    assert [(one.passed, one.untold) for one in found.conditions] == [(True, False)]
    assert found.comparison.caveat == ""


def test_scores_say_that_zeros_can_mislead(files):
    judgments, runs = files(TOPS, {"a": TARGETED})

    assert score_files(judgments, runs, measures=MEASURE).warnings == [f"judgments.csv: {TARGETED_WORDS}"]
