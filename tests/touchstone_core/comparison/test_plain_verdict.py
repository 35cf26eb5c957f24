"""A verdict in one sentence, its reason, and what follows from all of them."""

import numpy as np
import pytest

from tests.touchstone_core.comparison.test_verdict import evidence_of, told
from touchstone_core.comparison.headline import Headline
from touchstone_core.comparison.plain_verdict import MARKS, plain_verdict
from touchstone_core.comparison.recommendation import recommendation
from touchstone_core.comparison.ruling import Looks
from touchstone_core.comparison.verdict import verdict_of
from touchstone_core.significance.comparison import compare
from touchstone_core.significance.settings import Settings

QUERIES = 80


def figures_of(one, evidence=None, answered=QUERIES):
    return {
        "comparisons": [one],
        "evidence": evidence and [evidence],
        "coverage": {
            "runs": [evidence["baseline_coverage"], evidence["coverage"]] if evidence else [1.0, 1.0],
            "where": "pages",
            "unjudged": "zero",
        },
        "cutoff": 10,
        "queries": one["queries"],
        "runs": [{"answered": count, "judged": 1.0, "holes": 0} for count in (one["queries"], answered)],
    }


def plain(one, evidence=None, on="global", answered=QUERIES):
    figures = figures_of(one, evidence, answered)
    return plain_verdict(figures, 0, verdict_of(figures, 0, on=on), run="new", baseline="old", on=on)


def compared(differences):
    (one,) = compare(np.full(len(differences), 0.5), [0.5 + np.array(differences)], settings=Settings(seed=1))
    return one.as_json()


def test_every_kind_has_a_mark_and_every_sentence_names_the_run():
    assert {one.kind for one in Headline} == set(MARKS)
    assert all(one.sentence.format(run="new", baseline="old").startswith("new") for one in Headline)
    assert len({one.sentence for one in Headline}) == len(Headline)


@pytest.mark.parametrize(("sign", "word", "verb"), [(1, "better", "wins"), (-1, "worse", "loses")])
def test_a_run_is_better_or_worse_for_a_reason(sign, word, verb):
    ends = tuple(sorted((0.01 * sign, 0.09 * sign)))

    found = plain(told(0.05 * sign), evidence_of(*[ends] * QUERIES))

    assert (found.kind, found.sentence) == (word, f"new is {word} than old.")
    assert f"{verb} 80 of 80 queries. No unjudged result can turn that around." in found.text


@pytest.mark.parametrize(("sign", "rare"), [(1, "loss"), (-1, "gain")])
def test_few_queries_with_skewed_differences_may_not_show_a_rare_change(sign, rare):
    """In 1 of 20 samples of 40 queries none shows a change that hits 7.2 % of queries: (1 − .072)⁴⁰ = .05."""
    skewed = sign * np.array([0.05] * 37 + [-0.1] * 3)
    even = sign * np.linspace(-0.05, 0.15, 40)
    words = f"40 queries may not show a rare {rare} at all, one that hits fewer than 7 % of queries."
    turned = evidence_of(*[(-0.01, 0.09)] * 40)

    for evidence in (evidence_of(*[tuple(sorted((0.01 * sign, 0.09 * sign)))] * 40), turned):
        found = plain(compared(skewed), evidence)
        assert words in found.reasons
        assert words in verdict_of(figures_of(compared(skewed), evidence), 0, on="global").details
        assert words not in plain(compared(even), evidence).reasons


def test_many_queries_need_no_such_care():
    assert "rare" not in plain(compared([0.05] * 93 + [-0.1] * 7)).text


def test_a_test_that_holds_for_any_distribution_needs_no_such_care():
    (one,) = compare(np.full(99, 0.5), [np.full(99, 0.9)], settings=Settings(seed=1), span=1.0)
    figures = figures_of(one.as_json(), evidence_of(*[(0.01, 0.09)] * 99))

    assert one.unseen
    assert verdict_of(figures, 0, on="global").care
    assert not verdict_of(figures, 0, on="global", looks=Looks(2, queries_added=True)).care


def test_queries_without_results_are_told():
    found = plain(told(0.05), evidence_of(*[(0.01, 0.09)] * QUERIES), answered=QUERIES - 1)

    assert "1 query gets no results." in found.text


def test_a_run_of_other_document_ids_is_told():
    """All of its results are unjudged, and judging them would be of no use."""
    figures = figures_of(told(-0.5), evidence_of(*[(-0.5, 0.5)] * QUERIES, coverage=(1.0, 0.0)))
    words = (
        "None of its results up to rank 10 is judged. Do the run and the judgments use the same document IDs?"
    )

    for judged, holes, expected in ((0.0, 800, True), (0.1, 700, False), (0.0, 0, False)):
        figures["runs"][1] |= {"judged": judged, "holes": holes}
        found = plain_verdict(
            figures, 0, verdict_of(figures, 0, on="global"), run="new", baseline="old", on="global"
        )
        assert (words in found.reasons) == expected


@pytest.mark.parametrize(("judged", "said"), [(0.0, False), (0.02, True)])
def test_no_share_of_judged_pages_is_said_where_nothing_is_judged(judged, said):
    """It would be that of places without a document, such as pages of queries without results."""
    figures = figures_of(told(-0.5))
    figures["coverage"]["runs"] = [1.0, 0.02]
    figures["runs"][1] |= {"judged": judged, "holes": 780}

    found = plain_verdict(figures, 0, verdict_of(figures, 0, on="AP"), run="new", baseline="old", on="AP")

    assert found.needs_judging
    share = "2.0 % of this run’s pages are judged, and 100.0 % of the baseline’s."
    assert (share in found.reasons, any("None of its results" in one for one in found.reasons)) == (
        said,
        not said,
    )


def test_what_depends_on_missing_grades_is_counted():
    evidence = evidence_of(*[(-0.1, 0.3)] * 60, *[(0.1, 0.3)] * 20, coverage=(1.0, 0.8))

    found = plain(told(0.05), evidence)

    assert found.sentence == "new: can’t tell until more is judged."
    assert (found.depends, found.queries) == (60, QUERIES)
    assert found.text.endswith("60 of 80 queries depend on missing grades.")


@pytest.mark.parametrize("on", ["AP", "P@10", "recall"])
def test_no_number_of_queries_depends_on_missing_grades_where_it_is_one_of_another_measure(on):
    """AP of a query whose pages are judged may still change by what is below them."""
    evidence = evidence_of(*[(-0.1, 0.3)] * 60, *[(0.1, 0.3)] * 20, coverage=(1.0, 0.8))

    found = plain(told(0.05), evidence, on=on)

    assert found.sentence == "new: can’t tell until more is judged."
    assert "depend" not in found.text
    assert found.text.endswith("80.0 % of this run’s pages are judged, and 100.0 % of the baseline’s.")


def test_nobody_wins_or_loses_queries_where_unjudged_documents_decide_it_by_counting_as_zero():
    evidence = evidence_of(*[(-0.1, 0.3)] * 60, *[(0.1, 0.3)] * 20, coverage=(1.0, 0.8))
    one = told(0.05)
    assert one["outcomes"]["wins"] > 0

    found = plain(one, evidence)

    assert (found.count, found.summary) == (0, "+0.0500 on average on current judgments.")
    assert plain(one).summary.startswith("+0.0500 on average; wins ")


@pytest.mark.parametrize(
    ("evidence", "on", "reason"),
    [
        (None, "global", "What unjudged documents could change isn’t known under this formula."),
        (evidence_of(*[(-0.1, 0.3)] * QUERIES), "global", "Unjudged results could still turn that around."),
        (
            evidence_of(*[(0.1, 0.3)] * QUERIES),
            "RR",
            "What unjudged documents could change is known for NDCG@10 only.",
        ),
    ],
)
def test_better_on_current_judgments_says_what_is_missing(evidence, on, reason):
    found = plain(told(0.05), evidence, on)

    assert found.sentence == "new is better than old on current judgments."
    assert found.reasons[0] == reason
    assert "rare" in found.reasons[1]


def test_too_close_to_call_says_what_could_be_detected_as_the_record_has_it():
    one = compared(np.tile([0.2, -0.2], 40) + 0.001)

    found = plain(one, evidence_of(*[(-0.1, 0.1)] * QUERIES))

    assert found.sentence == "new and old are too close to call."
    assert found.reasons == [
        f"With these queries you can reliably detect differences of {one['detectable']:.4f} or more."
    ]


def test_few_changed_queries_tell_nothing():
    found = plain(compared([0.1] * 3 + [0.0] * 77))

    assert found.kind == "unshown"
    assert found.reasons == ["Only 3 queries changed in value. It takes 15 to tell a difference from noise."]


def test_equal_runs_have_no_count():
    found = plain(compared([0.0] * QUERIES))

    assert found.sentence == "new and old don’t differ on any query."
    assert found.text == "0.0000 on average."


def test_where_more_is_not_better_nothing_is_won():
    found = plain(told(0.05), on="local")

    assert found.sentence == "new and old differ in how well they order what they show."
    assert "is higher on 80 of 80 queries" in found.text


def test_the_recommendation_names_every_run_by_its_verdict():
    better = plain(told(0.05), evidence_of(*[(0.01, 0.09)] * QUERIES))
    best = plain(told(0.07), evidence_of(*[(0.01, 0.09)] * QUERIES))
    worse = plain(told(-0.05), evidence_of(*[(-0.09, -0.01)] * QUERIES))
    untold, same = plain(told(0.05)), plain(compared([0.0] * QUERIES))
    few = plain(compared([0.1] * 3 + [0.0] * 77))

    assert recommendation(["a"], [worse], ranks=True) == "Don’t ship a."
    assert recommendation(["a", "b"], [better, best], ranks=True) == "Ship b. a would improve things, too."
    assert recommendation(["a", "b", "c"], [worse, worse, worse], ranks=True) == "Don’t ship a, b or c."
    assert recommendation(["a", "b", "c", "d"], [best, untold, same, few], ranks=True) == (
        "Ship a. Judge more before you decide on b. These queries show no reason to switch to d. "
        "It makes no difference to ship c."
    )
    assert recommendation(["a"], [better], ranks=False) == "This measure doesn’t say which run is better."
