"""What is said where zeros for unjudged documents would decide (issue 11 A4): worlds of files, from the verdict to the gate."""

import random

import numpy as np
import pytest

from tests.touchstone_core.comparison.worlds import said
from touchstone_core.metrics.arrays import join
from touchstone_core.metrics.rounding import read_rounded
from touchstone_core.metrics.scale import ScaleInfo
from touchstone_core.offline.compare_output import as_table
from touchstone_core.offline.file_comparison import compare_files
from touchstone_core.offline.file_gate import gate_files
from touchstone_core.offline.gate import Demand, GateRuns, measure_demand
from touchstone_core.offline.gate_report import as_table as gate_table

SCALE = ScaleInfo(top_grade=3.0)
TWO = {"g": 3, "z": 0}
# An unjudged document of the run stands for a worthless one of the baseline.
OUTSIDE = (TWO, ["g", "z"], ["g", "u"])


def gated(world, queries, measure, **conditions):
    qrels, runs = world(queries)
    ((_, one),) = read_rounded(measure)
    report, _ = gate_files(qrels, runs[1], runs[0], [Demand(one, **conditions)], max_grade=3)
    return report


def half_unjudged(depth, judged, count=60):
    """The run shows what the baseline shows, but for every second document below rank `judged`, which nobody judged."""
    draw = random.Random(2)
    for _ in range(count):
        grades = {f"d{place}": draw.choice([0, 1, 2, 3]) for place in range(depth)}
        old = draw.sample(sorted(grades), depth)
        new = [f"u{at}" if at >= judged and at % 2 else name for at, name in enumerate(old)]
        yield grades, old, new


@pytest.mark.parametrize(
    "queries", [[OUTSIDE] * 60, [OUTSIDE] * 55 + [({"g": 3, "h": 1, "z": 0}, ["g", "h"], ["g", "u"])] * 5]
)
def test_neither_equal_values_nor_few_changes_hide_that_one_run_is_judged_less(world, queries):
    found, plain, advice = said(world, queries, "nDCG@2", 2)

    assert (found.kind, found.headline) == ("open", "Can’t tell until more is judged")
    assert "61.3 % of this run’s pages are judged, and 100.0 % of the baseline’s." in found.details
    assert plain.depends == 60
    assert advice == "Judge more before you decide on new."


def test_equal_values_that_rest_on_zeros_in_both_runs_are_equal_on_current_judgments(world):
    found, plain, advice = said(world, [(TWO, ["g", "u"], ["g", "v"])] * 60, "nDCG@2", 2)

    assert (found.kind, found.headline) == ("open", "No difference on current judgments")
    assert "lies between −0.3869 and +0.3869." in found.details
    assert plain.sentence == "new and old don’t differ on current judgments."
    assert plain.text.endswith("Unjudged results could make a difference.")
    assert advice == "Judge more before you decide on new."


@pytest.mark.parametrize("page", [["g", "z"], ["g", "u"]])
def test_equal_values_that_no_grade_can_part_are_equal(world, page):
    """Also with an unjudged document, where both runs show it at the same rank."""
    found, plain, advice = said(world, [(TWO, page, page)] * 60, "nDCG@2", 2, measures="nDCG@2 P(rel=2)@2")

    assert (found.kind, found.headline) == ("same", "No difference")
    assert plain.sentence == "new and old don’t differ on any query."
    assert advice == "It makes no difference to ship new."
    assert said(world, [(TWO, page, page)] * 60, "P(rel=2)@2", 2)[0].headline == "No difference"


def test_equal_values_of_whole_rankings_need_every_document_judged(world):
    of_all, of_some = ([(TWO, ["g", *more], ["g", *more])] * 60 for more in (["z"], ["z", "u"]))

    assert said(world, of_all, "AP", 2)[0].headline == "No difference"
    assert said(world, of_some, "AP", 2)[0].headline == "No difference on current judgments"


def test_an_expected_difference_is_told_beside_equal_values(world):
    """Three more runs fed the pool, each with a good document of its own."""
    grades = {"g": 3, "z": 0, "a": 3, "b": 3, "c": 3}
    pool = [["a", "g"], ["b", "g"], ["c", "g"]]
    found, _, _ = said(world, [(grades, ["g", "z"], ["g", "u"], *pool)] * 60, "nDCG@2", 2)

    assert found.headline == "Can’t tell until more is judged"
    assert "the difference of NDCG-max is expected to be +0.0414" in found.details


@pytest.mark.parametrize(
    ("measure", "cutoff", "judged", "where"),
    [
        ("nDCG@200", 200, 0, "pages"),  # too long for bounds
        ("nDCG@20000", 20000, 0, "pages"),  # of which rankings fill few ranks
        ("P(rel=2)@20000", 10, 10, "top 20000"),
        ("AP", 10, 10, "rankings"),
        ("P(rel=2)@30", 10, 10, "top 30"),
        ("RBP", 10, 10, "rankings"),
    ],
)
def test_zeros_below_or_beyond_the_page_call_no_run_worse(world, measure, cutoff, judged, where):
    found, plain, _ = said(world, list(half_unjudged(40, judged)), measure, cutoff)

    assert (found.kind, found.headline) == ("open", "Can’t tell until more is judged")
    are = "is" if where.startswith("top") else "are"
    share = f"of this run’s {where} {are} judged, and 100.0 % of the baseline’s."
    assert f"{share} Unjudged documents count as 0" in found.details
    assert plain.sentence == "new: can’t tell until more is judged."
    assert share in plain.text or "depend on missing grades" in plain.text


def test_a_further_measure_that_shows_nothing_by_zeros_does_not_say_too_close_to_call(world):
    """By zeros new loses a little on half of the queries, and wins as much on the others."""
    lose = ({"g": 3, "z": 0}, ["g", "z", "y"], ["u", "g", "v"])
    win = ({"g": 3, "z": 0}, ["z", "g", "y"], ["g", "u", "v"])

    found, _, _ = said(world, [lose, win] * 30, "RR(rel=2)", 3)

    assert found.headline == "Can’t tell until more is judged"


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("nDCG(unjudged='condensed')@10", "Unjudged documents are left out"),
        ("Bpref(rel=2)", "Unjudged documents are left out"),
        ("infAP(rel=2)", "Unjudged documents outside the pool count as 0"),
        ("AP(rel=2)", "Unjudged documents count as 0"),
    ],
)
def test_the_reason_is_that_of_the_measure(world, measure, words):
    found, _, _ = said(world, list(half_unjudged(8, 0)), measure, 10)

    assert found.headline == "Can’t tell until more is judged"
    assert f"the baseline’s. {words}" in found.details


def test_measures_of_judging_itself_say_what_they_are(world):
    found, _, _ = said(world, list(half_unjudged(8, 0)), "Judged@10", 10)

    assert found.headline == "Another value, by more than noise"


def test_of_runs_that_are_judged_equally_zeros_decide_as_before(world):
    """Both show an unjudged document at the same rank."""
    queries = [({"g": 3, "z": 0}, ["z", "u", "g"], ["g", "u", "z"])] * 60

    found, _, _ = said(world, queries, "AP(rel=2)", 3)

    assert found.headline == "Better on current judgments"


def less_judged_baseline():
    """Every third document of the baseline is unjudged where the run shows a judged one."""
    for grades, new, _ in half_unjudged(10, 0):
        yield grades, [f"u{at}" if at % 3 == 0 else name for at, name in enumerate(new)], new


@pytest.mark.parametrize("condition", [{"most_drop": 0.02, "significant": True}, {"within": 0.9}])
def test_a_gate_shows_nothing_by_zeros_alone(world, condition):
    report = gated(world, list(less_judged_baseline()), "nDCG@10", **condition)

    (one,) = report.measures
    text = " ".join(gate_table(report).split())
    assert one.comparison.verdict.headline == "Can’t tell until more is judged"
    assert not report.passed
    assert "can’t be shown until more is judged" in text
    assert "100.0 % of this run’s pages are judged, and" in text
    assert "240 unjudged documents of the baseline in the top 10 of 60 queries could change it" in text
    assert one.as_json()["baseline_unjudged"] == {"cutoff": 10, "documents": 240, "queries": 60}


def test_what_a_mean_alone_decides_passes_with_the_same_caveat(world):
    report = gated(world, list(less_judged_baseline()), "nDCG@10", most_drop=0.02)

    assert report.passed
    assert "100.0 % of this run’s pages are judged, and" in gate_table(report)


def test_a_gate_shows_the_same_within_a_margin_only_as_far_as_bounds_go(world):
    """Better whatever the grades, since the run has three good documents; the same within .2 by zeros, not by other grades."""
    grades = dict.fromkeys("abcdefg", 3) | {"z": 0}
    queries = [(grades, ["z", *"bcdefg"], [*"abcdef", "u"])] * 60

    report = gated(world, queries, "nDCG@7", within=0.25)

    (one,) = report.measures
    assert one.comparison.verdict.headline == "Better"
    assert not report.passed
    assert gated(world, queries, "nDCG@7", most_drop=0.0, significant=True).passed


def test_a_command_gives_no_probability_beside_what_cannot_be_told(world):
    qrels, runs = world(list(less_judged_baseline()))
    compared = compare_files(qrels, runs, measures="nDCG@10", cutoff=10, max_grade=3)

    row = next(line.split() for line in as_table(compared).splitlines() if line.startswith("new "))

    assert row[-4] == "–"  # before won, tied and lost


def below_the_cutoff():
    """One result each, all judged; an unjudged document at rank 2 raises the ideal."""
    grades = {"g": 1, "z": 0}
    up, down = (grades, ["z", "u"], ["g", "u"]), (grades, ["g", "u"], ["z", "u"])
    return [up] * 40 + [down] * 16


def test_a_gate_says_what_documents_below_the_cutoff_could_change(world):
    report = gated(world, below_the_cutoff(), "nDCG@1", most_drop=0.02, significant=True)

    assert (
        "nDCG@1: every document of both runs in the top 1 is judged, but documents below it could change the difference: "
        "whatever their grades, it lies between −0.0476 and +0.6190, and the run lies between "
        in gate_table(report)
    )


def test_a_run_that_is_worse_does_not_pass_because_its_baseline_is_judged_less():
    """By simulation: the run is worse by 0.10 if everything is judged, and 60 % of the baseline's documents are."""
    ((_, measure),) = read_rounded("nDCG@10")
    passed = dict.fromkeys((0.6, 1.01), 0)
    drops = []
    for seed in range(10):
        for share in passed:
            runs = outsiders(np.random.default_rng(seed), share)
            found = measure_demand(Demand(measure, most_drop=0.02, significant=True), runs)
            passed[share] += found.passed
            if share > 1:
                drops.append(-found.comparison.figures.difference.mean)
            else:
                assert found.comparison.figures.one_sided.low > 0  # by zeros the run is better
                assert found.comparison.ends is None

    assert np.mean(drops) > 0.08
    assert passed == {0.6: 0, 1.01: 0}


def outsiders(source, share):
    """60 queries with ten documents each from a good baseline, of which a share is judged, and a run that is judged whole."""
    grades, old, new = {}, {}, {}
    for query in (f"q{at:02}" for at in range(60)):
        grades[query] = {}
        for pages, chance, judged in ((old, 0.5, share), (new, 0.42, 1.01)):
            worth = source.binomial(3, chance, 10)
            pages[query] = [f"{'old' if pages is old else 'new'}-{at}" for at in range(10)]
            known = source.random(10) < judged
            grades[query] |= {name: float(worth[at]) for at, name in enumerate(pages[query]) if known[at]}
    queries, baseline = join(grades, old, SCALE)
    _, run = join(grades, new, SCALE)
    pages = [[of[query] for query in queries] for of in (old, new)]
    return GateRuns(
        baseline, run, baseline_name="old", run_name="new", counted=np.arange(len(queries)), pages=pages
    )
