"""The formulas that give a number, and the presets, of one run."""

from decimal import Decimal

import pytest

from evaluation.guide.reports.reconcile import OtherNumber, Reconciliation, RunOrder, ValueRow
from touchstone_core.metrics import averages
from touchstone_core.metrics.arrays import JudgedRun, ScaleInfo, join
from touchstone_core.metrics.measure import parse
from touchstone_core.metrics.presets import PRESETS
from touchstone_core.metrics.selection import read_measures

SCALE = ScaleInfo(top_grade=3.0)
BY_SCORE = RunOrder(by_rank_column=False, tied=False)
JUDGMENTS = {
    "q1": {"a": 3.0, "b": 2.0, "c": 0.0, "d": 1.0, "e": 3.0},
    "q2": {"a": 1.0, "b": 0.0},
    "nothing relevant": {"a": 0.0},
    "missing": {"a": 2.0},
    "missing too": {"a": 2.0},
}
RANKINGS = {"q1": ["b", "x", "d", "a", "e"], "q2": ["b", "a"], "nothing relevant": ["a"]}


@pytest.fixture
def run() -> JudgedRun:
    return join(JUDGMENTS, RANKINGS, SCALE)[1]


def seen(text: str, cutoff: int | None = None) -> OtherNumber:
    return OtherNumber(Decimal(text), len(text.partition(".")[2]), cutoff)


def mean(run: JudgedRun, text: str) -> float:
    found = averages.mean(parse(text).values(run))
    assert found is not None
    return found


@pytest.mark.parametrize("cutoff", [1, 2, 3, 10, 100_000])
def test_the_presets_have_the_values_of_their_measures(run, cutoff):
    rows = Reconciliation(run).presets(cutoff, BY_SCORE)

    assert [row.preset for row in rows] == list(PRESETS.values())
    for row in rows:
        expected = averages.mean(row.preset.values(run, cutoff))
        assert row.value == pytest.approx(expected, abs=1e-12), row.preset.name
        ((measure, digits),) = read_measures(row.text)
        assert (measure, digits) == (row.preset.measure(cutoff), row.preset.digits)


def test_what_is_found_has_the_value_of_its_text(run):
    answer = Reconciliation(run).find(seen("0.5"), 10)

    assert answer.rows
    for row in answer.rows:
        for candidate in row.candidates:
            (measure,) = read_measures(candidate.text)
            expected = averages.mean(measure.values(run))
            assert candidate.value == pytest.approx(expected, abs=1e-12), candidate.text


@pytest.mark.parametrize(
    "text",
    [
        "nDCG@10",
        "nDCG(gain='exp', ideal='global-uncut')@3",
        "nDCG(discount='jk')@5",
        "nDCG(ideal='local')@3",
        "nDCG(ideal='max')@1",
        "nDCG(zero='skip')@10",
        "nDCG(gain='exp', missing='skip', zero=1)@3",
        "RR@10",
    ],
)
def test_a_formula_is_found_by_its_number(run, text):
    value = mean(run, text)

    answer = Reconciliation(run).find(seen(f"{value:.6f}"), 10)

    assert answer.rows[0].matches
    assert text in [candidate.text for row in answer.rows if row.matches for candidate in row.candidates]


def test_a_cutoff_that_the_text_names_is_tried_too(run):
    value = mean(run, "nDCG(gain='exp')@2")

    without = Reconciliation(run).find(seen(f"{value:.6f}"), 10)
    named = Reconciliation(run).find(seen(f"{value:.6f}", cutoff=2), 10)

    assert without.cutoffs == (1, 3, 5, 10, 20, 100)
    assert named.cutoffs == (1, 2, 3, 5, 10, 20, 100)
    assert "nDCG(gain='exp')@2" in [candidate.text for candidate in named.rows[0].candidates]


def test_of_those_that_match_the_likeliest_stands_first():
    """Rounding decides which value is nearer, so the cutoff that was asked for comes before it, and then the fewest departures."""
    judgments = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 3.0, "b": 2.0, "c": 1.0}, "q3": {"a": 1.0}}
    run = join(judgments, {"q1": ["b", "x", "a"], "q2": ["a", "b", "x"]}, SCALE)[1]

    for cutoff in (3, 10):
        for number in ("0.8", "0.5"):
            answer = Reconciliation(run).find(seen(number), cutoff)
            matching = [row.candidates[0] for row in answer.rows if row.matches]
            assert len({one.cutoff for one in matching}) > 1
            places = [(one.cutoff != cutoff, not one.presets, len(one.parameters)) for one in matching]
            assert places == sorted(places)


def test_the_nearest_stand_first_and_only_what_rounds_to_the_digits_matches(run):
    value = mean(run, "nDCG@10")

    answer = Reconciliation(run).find(seen(f"{value:.3f}"), 10)

    distances = [abs(row.distance) for row in answer.rows if not row.matches]
    assert distances == sorted(distances)
    for row in answer.rows:
        assert row.matches == (abs(row.distance) <= 0.0005 + 1e-12)
    assert len(answer.rows) >= 10


@pytest.mark.parametrize(
    ("distance", "away"), [(0.00299, "+0.0030"), (-0.1, "−0.10"), (12.4, "+12"), (0.0, "0")]
)
def test_how_far_a_value_is_away_has_two_digits(distance, away):
    assert ValueRow([], distance, matches=False, text="", exact="").away == away


def test_half_of_the_last_digit_still_matches():
    judgments = {f"q{number}": {"a": 1.0} for number in range(8)}
    _, run = join(judgments, {"q0": ["a"]}, SCALE)

    for text in ("0.12", "0.13"):
        answer = Reconciliation(run).find(seen(text), 10)
        assert answer.rows[0].exact == "0.125"
        assert answer.rows[0].matches


def test_nothing_matches_a_number_that_no_formula_gives(run):
    answer = Reconciliation(run).find(seen("0.999"), 10)

    assert answer.matches == 0
    assert len(answer.rows) == 10
    assert not any(row.matches for row in answer.rows)


def test_rounding_each_query_makes_a_candidate_of_its_own(run):
    opensearch = averages.mean(PRESETS["opensearch"].values(run, 3))
    assert opensearch is not None

    answer = Reconciliation(run).find(seen(f"{opensearch:.4f}"), 3)

    found = [candidate for row in answer.rows if row.matches for candidate in row.candidates]
    assert ("nDCG(gain='exp')@3~2", (PRESETS["opensearch"].name,)) in [
        (candidate.text, candidate.presets) for candidate in found
    ]


def test_a_policy_that_changes_nothing_is_listed_only_if_a_tool_has_it():
    _, run = join({"q": {"a": 2.0, "b": 1.0}}, {"q": ["b", "a"]}, SCALE)

    answer = Reconciliation(run).find(seen("0.5"), 10)

    texts = [candidate.text for row in answer.rows for candidate in row.candidates]
    assert not [text for text in texts if "skip" in text]
    assert all("ideal='recall'" in text for text in texts if "zero=1" in text)


def test_many_matches_are_cut_short_and_counted():
    judgments = {f"q{number}": {"a": 1.0, "b": 0.0, "c": float(number % 4)} for number in range(12)}
    rankings = {query: ["b", "x", "a", "c"] for query in list(judgments)[:9]}
    _, run = join(judgments, rankings, ScaleInfo(top_grade=3.0, gains={0: 0.0, 1: 0.2, 2: 0.5, 3: 1.0}))

    answer = Reconciliation(run).find(OtherNumber(Decimal("0.5"), decimals=0), 10)

    assert len(answer.rows) == 40
    assert all(row.matches for row in answer.rows)
    assert answer.more > 0
    assert answer.formula_count >= answer.matches + answer.more


def test_grades_that_exponential_gain_cannot_take_are_said_and_not_computed():
    scale = ScaleInfo(top_grade=1000.0)
    _, run = join({"q": {"a": 1000.0, "b": 10.0}}, {"q": ["b", "a"]}, scale)
    reconciliation = Reconciliation(run)

    rows = {row.preset.key: row for row in reconciliation.presets(10, BY_SCORE)}

    assert rows["quepid"].value is None
    assert "top grade of at most 900" in rows["quepid"].notes[0]
    assert rows["trec-eval"].value is not None
    texts = [row.candidates[0].text for row in reconciliation.find(seen("0.5"), 10).rows]
    assert not [text for text in texts if "exp" in text]


def notes(run: JudgedRun, key: str, order: RunOrder = BY_SCORE) -> str:
    rows = Reconciliation(run).presets(10, order)
    return " ".join(next(row.notes for row in rows if row.preset.key == key))


def test_where_a_tool_would_read_the_run_otherwise_it_is_said(run):
    _, odd = join({"q": {"a": 4.5, "b": -1.0}}, {"q": ["a"]}, ScaleInfo(top_grade=5.0))
    by_rank = RunOrder(by_rank_column=True, tied=False)

    tied = notes(run, "scikit-learn", RunOrder(by_rank_column=False, tied=True))
    assert "equal retrieval scores" in tied
    assert "NDCG-recall, expected over ties" in tied
    assert notes(run, "scikit-learn") == ""
    assert "order it by score" in notes(run, "trec-eval", by_rank)
    assert notes(run, "trec-eval") == ""
    assert "take its rank column" in notes(run, "ms-marco")
    assert notes(run, "ms-marco", by_rank) == ""
    assert "cannot read these grades" in notes(odd, "gdeval")
    assert notes(run, "gdeval") == ""
    assert "below 0 in Quepid" in notes(odd, "quepid")


def test_a_list_without_grades_has_no_values():
    _, run = join({}, {}, SCALE)

    rows = Reconciliation(run).presets(10, BY_SCORE)

    assert {row.value for row in rows} == {None}
    assert Reconciliation(run).find(seen("0.5"), 10).rows == []


def test_a_table_of_gains_that_does_not_rise_is_tried_too():
    scale = ScaleInfo(top_grade=3.0, gains={0.0: 0.0, 1.0: 5.0, 2.0: 1.0, 3.0: 2.0})
    _, run = join(JUDGMENTS, RANKINGS, scale)
    value = averages.mean(parse("nDCG(gain='table')@3").values(run))
    assert value is not None

    answer = Reconciliation(run).find(seen(f"{value:.9f}"), 3)

    assert "nDCG(gain='table')@3" in [
        each.text for row in answer.rows if row.matches for each in row.candidates
    ]


def test_a_candidate_leads_to_the_formula_that_shows_it(run):
    answer = Reconciliation(run).find(seen("0.5"), 10)

    candidates = [candidate for row in answer.rows for candidate in row.candidates]
    assert candidates
    for candidate in candidates:
        assert candidate.chosen.shows(candidate.measure, candidate.digits)
