"""How far raters agree: what the pages are told."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judgments.agreement.figures import Figure
from judgments.agreement.reports import agreement as reports
from judgments.agreement.reports import rater_agreement as of_raters
from judgments.models import Scale
from tests import factories as make
from tests.judgments.agreed import Agreed
from tests.judgments.agreement import real

pytestmark = pytest.mark.django_db


def agreement(scene, **more):
    steps = reports.steps_of(scene.list.scale)
    return reports.agreement(scene.list, steps, **more)


def raters_of(scene, **more):
    steps = reports.steps_of(scene.list.scale)
    return of_raters.Raters(scene.list, steps, of_raters.grade_uses(scene.list, steps), **more)


def nominal_scale():
    scale = Scale.objects.create(name="Kinds", level="nominal", maximum=2)
    for value, label in enumerate(("Shop", "News", "Map")):
        scale.grades.create(value=value, label=label, gain=value, key=str(value))
    return scale


@pytest.fixture(scope="module")
def chorus_rows():
    rows = real.chorus_ratings()
    queries = list(dict.fromkeys(query for query, _ in rows))[:40]
    return [(query, grades) for query, grades in rows if query in queries]


def test_product_search_from_the_database(chorus_rows):
    """The figures of forty queries that went through the database are those of the same rows in memory."""
    names = list(dict.fromkeys(query for query, _ in chorus_rows))
    most = max(sum(query == name for query, _ in chorus_rows) for name in names)
    scene = Agreed(queries=len(names), documents=most)
    by_rater = {rater: ["-"] * len(scene.pairs) for rater in range(3)}
    for place, name in enumerate(names):
        for nth, grades in enumerate(grades for query, grades in chorus_rows if query == name):
            for rater, grade in enumerate(grades):
                by_rater[rater][place * most + nth] = grade
    for rater, values in by_rater.items():
        scene.rater(f"agent {rater}", values)

    headline = agreement(scene).headline

    units = reports.Units.of([(names.index(query), grades, 1) for query, grades in chorus_rows], len(names))
    result = reports.coincidences(units, real.FOUR)
    assert headline.alpha.value == pytest.approx(
        float(reports.shares.alpha(result.sum(axis=0), real.FOUR, "ordinal"))
    )
    assert (headline.pairs, headline.judgments, headline.queries) == (
        len(chorus_rows),
        3 * len(chorus_rows),
        len(names),
    )
    assert headline.interval.low < headline.alpha.value < headline.interval.high
    assert not headline.wide
    assert headline.all_agree.value == pytest.approx(
        np.mean([len(set(grades)) == 1 for _, grades in chorus_rows])
    )


def test_the_headline_of_an_ordered_scale():
    scene = Agreed(queries=3, documents=2)
    scene.rater("ann", [3, 1, 0, 2, 3, 0])
    scene.rater("bob", [3, 0, 0, 3, 3, 0])

    result = agreement(scene)

    headline = result.headline
    assert headline.level == "ordinal"
    assert headline.agreement.value == pytest.approx(4 / 6)
    assert headline.near.value == 1.0
    assert headline.gwet_name == "AC2"
    assert headline.fleiss.value is not None
    assert headline.wide
    assert headline.reading.startswith("Raters agree")
    assert not headline.one_prevails
    end, low, width = headline.bar
    assert end == pytest.approx(100 * headline.alpha.value)
    assert 0 <= low < end
    assert 0 < low + width <= 100
    assert result.by_query.pairs.tolist() == [2, 2, 2]
    assert result.by_query.agreement.tolist() == [0.5, 0.5, 1.0]
    assert result.by_query.distance.tolist() == [0.5, 0.5, 0.0]


def test_nothing_is_said_where_no_pair_has_two_judgments():
    scene = Agreed()
    scene.rater("ann", [3, 1, None])

    headline = agreement(scene).headline

    assert headline.alpha.value is None
    assert headline.alpha.why.startswith("No pair has two judgments")
    assert headline.agreement.why == headline.chance.why == headline.all_agree.why == headline.alpha.why
    assert headline.interval_why.startswith("An interval needs at least two queries")
    assert headline.reading == ""
    assert headline.bar == (0, 0, 0)


def test_one_grade_only_is_said_in_words():
    scene = Agreed(queries=3, documents=1)
    for name in ("ann", "bob"):
        scene.rater(name, [2, 2, 2])

    result = agreement(scene)

    assert result.headline.alpha.why.startswith("All raters gave the same grade to everything")
    assert result.headline.agreement.value == 1.0
    assert result.headline.one_prevails
    assert result.headline.interval_why.startswith("Too few grades differ")
    assert np.isnan(result.by_query.alpha).all()


def test_a_nominal_scale_has_no_distances():
    scene = Agreed(queries=2, documents=2, scale=nominal_scale())
    scene.rater("ann", [0, 1, 2, 2])
    scene.rater("bob", [0, 2, 2, 1])

    result = agreement(scene)

    assert (result.headline.level, result.headline.gwet_name) == ("nominal", "AC1")
    assert result.headline.near == Figure(None, reports.NO_NEARNESS)
    assert np.isnan(result.by_query.distance).all()
    assert result.by_query.worth.tolist() == pytest.approx([0.5, 0.5])


def test_a_slider_agrees_within_a_tenth_of_its_range():
    scene = Agreed(queries=2, documents=2, scale=make.preset("Slider 0–100"))
    scene.rater("ann", [10, 50, 90, 0])
    scene.rater("bob", [20, 61, 90, 40])
    scene.rater("cy", ["-", "-", 90, "-"])

    result = agreement(scene)

    assert result.headline.level == "interval"
    assert result.headline.agreement.value == pytest.approx((2 + 3) / 9)
    assert result.headline.chance.value is result.headline.near.value is result.headline.fleiss.value is None
    assert result.by_query.distance.tolist() == pytest.approx([10.5, 80 / 5])
    assert result.headline.alpha.value == pytest.approx(
        1 - (np.mean([2 * 10**2, 2 * 11**2, 2 * 40**2, 0]) * 4 / 9)
        / (2 * np.var([10, 20, 50, 61, 90, 90, 90, 0, 40], ddof=1)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("alpha", "words"),
    [(0.9, "closely"), (0.8, "closely"), (0.7, "well"), (0.5, "moderately"), (0.3, "little"), (0.1, "hardly"), (-0.2, "less than by chance")],
)  # fmt: skip
def test_an_alpha_in_words(alpha, words):
    assert words in reports.reading(alpha, "ordinal")


def test_nominal_alpha_is_read_beside_nominal_yardsticks():
    """Chorus' three raters: .6426 at nominal level, .7695 at ordinal. One and the same agreement reads the same."""
    assert reports.reading(0.6426, "nominal").startswith("Raters agree well.")
    assert reports.reading(0.7695, "ordinal").startswith("Raters agree well.")
    assert "0.64" in reports.reading(0.7, "nominal")
    assert reports.reading(0.5, "nominal") == reports.reading(0.5, "ordinal")
    assert reports.reading(None, "nominal") == ""


def test_queries_come_by_what_is_worth_a_look():
    """One wide pair alone is not worse than many pairs that are wide apart; undefined alphas come last."""
    figures = reports.ByQuery(
        [1, 2, 3],
        np.array([1, 40, 40]),
        np.array([0.0, 0.1, 0.9]),
        np.array([3.0, 2.5, 0.1]),
        np.array([np.nan, 0.2, -0.1]),
    )

    assert {sort: figures.order(sort).tolist() for sort in reports.SORTS} == {
        "worth": [1, 0, 2],
        "agreement": [0, 1, 2],
        "distance": [0, 1, 2],
        "alpha": [2, 1, 0],
        "pairs": [1, 2, 0],
    }


@pytest.fixture
def three():
    """Ann and Bob have 24 pairs in common; Cy graded four of them, always two higher."""
    scene = Agreed(queries=2, documents=12)
    scene.ann = scene.rater("ann", [0, 1, 2, 3] * 6)
    scene.bob = scene.rater("bob", [0, 1, 3, 3] * 5 + [0, 1, 2, None])
    scene.cy = scene.rater("cy", [2, 3] + ["-"] * 20 + [3, "-"])
    return scene


def test_each_rater_beside_the_others(three):
    ann, bob, cy = raters_of(three).figures()

    assert (ann.name, ann.judgments, ann.cannot, ann.pairs) == ("ann", 24, 0, 26)
    assert (bob.judgments, bob.cannot, bob.pairs) == (23, 1, 26)
    assert bob.bias == pytest.approx((5 - 2 - 2 - 1) / 26)
    assert ann.kappa > 0.7
    assert bob.enough
    assert not cy.enough
    assert cy.bias == pytest.approx((2 + 2 + 1 + 2 + 2 + 1) / 6)
    assert bob.use.shares == pytest.approx([6 / 23, 6 / 23, 1 / 23, 10 / 23])


def test_the_matrix_is_blank_below_twenty_pairs(three):
    ids = [rater.pk for rater in (three.ann, three.bob, three.cy)]

    matrix = raters_of(three).matrix(ids)

    assert [cell.pairs for cell in matrix[0]] == [0, 23, 3]
    assert [cell.self for cell in matrix[0]] == [True, False, False]
    assert matrix[0][1] == matrix[1][0]
    assert matrix[0][1].kappa == pytest.approx(1 - 5 / (23 * expected_cost()), abs=1e-9)
    assert matrix[0][1].heat == 9
    assert matrix[0][2].kappa is None


def expected_cost():
    """The mean squared distance of ann's and bob's grades if they were dealt out by chance."""
    ann = np.array([0, 1, 2, 3] * 5 + [0, 1, 2])
    bob = np.array([0, 1, 3, 3] * 5 + [0, 1, 2])
    return float(np.mean((ann[:, None] - bob[None, :]) ** 2))


def test_two_raters_in_either_order(three):
    raters = raters_of(three)

    one = raters.confusion(three.ann.pk, three.bob.pk)
    reverse = raters.confusion(three.bob.pk, three.ann.pk)

    assert (one.one, one.other, one.pairs) == ("ann", "bob", 23)
    assert [name for name, _ in one.kappas] == ["unweighted", "linear weights", "quadratic weights"]
    assert one.counts[2] == [0, 0, 1, 5]
    assert reverse.counts[3] == [0, 0, 5, 5]
    assert (one.higher, reverse.higher) == ("0.22 lower on average", "0.22 higher on average")
    assert [kappa.value for _, kappa in one.kappas] == [kappa.value for _, kappa in reverse.kappas]
    assert raters.confusion(three.ann.pk, three.ann.pk) is None


def test_two_raters_who_always_gave_one_grade():
    scene = Agreed(queries=1, documents=3)
    one, other = (scene.rater(name, [2, 2, 2]) for name in ("ann", "bob"))
    raters = raters_of(scene)

    result = raters.confusion(one.pk, other.pk)

    assert result.higher == "as high on average"
    assert {kappa.why for _, kappa in result.kappas} == {of_raters.NOT_DEFINED}
    assert raters.table() == [("ann", "bob", 3, 1.0, None, 0.0)]


def test_leaving_a_rater_out(three):
    raters = raters_of(three, without=[three.bob.pk])

    assert [one.name for one in raters.figures()] == ["ann", "cy"]
    assert raters.names[three.bob.pk] == "bob"
    assert agreement(three, without=[three.bob.pk]).headline.pairs == 3


def test_the_alpha_without_each_rater(three):
    result = agreement(three)

    alphas = raters_of(three).alphas_without(result)

    assert alphas == {
        rater.pk: pytest.approx(agreement(three, without=[rater.pk]).headline.alpha.value)
        for rater in (three.ann, three.bob, three.cy)
    }
    assert alphas[three.cy.pk] > result.headline.alpha.value
    figures = raters_of(three).figures(alphas)
    assert [one.alpha_without for one in figures] == [alphas[one.rater_id] for one in figures]


def test_without_one_of_two_raters_there_is_no_alpha():
    scene = Agreed(queries=1, documents=3)
    for name in ("ann", "bob"):
        scene.rater(name, [0, 1, 2])

    alphas = raters_of(scene).alphas_without(agreement(scene))

    assert np.isnan(list(alphas.values())).tolist() == [True, True]
    assert raters_of(scene).figures(alphas)[0].alpha_without is None


def test_a_rater_with_nothing_in_common_has_no_figures():
    scene = Agreed(queries=1, documents=2)
    scene.rater("ann", [1, "-"])
    scene.rater("bob", ["-", 1])

    ann, _ = raters_of(scene).figures()

    assert (ann.pairs, ann.agreement, ann.kappa, ann.bias) == (0, None, None, None)


def test_raters_on_a_nominal_scale_have_plain_kappas():
    scene = Agreed(queries=1, documents=4, scale=nominal_scale())
    one, other = scene.rater("ann", [0, 1, 2, 2]), scene.rater("bob", [0, 2, 2, 1])

    result = raters_of(scene).confusion(one.pk, other.pk)

    assert [name for name, _ in result.kappas] == ["unweighted"]
    assert result.kappas[0][1].value == pytest.approx((0.5 - 0.375) / (1 - 0.375))


def test_raters_on_a_slider():
    scene = Agreed(queries=2, documents=12, scale=make.preset("Slider 0–100"))
    one = scene.rater("ann", [float(4 * number) for number in range(24)])
    other = scene.rater("bob", [float(4 * number + 3) for number in range(23)] + [None])
    raters = raters_of(scene)

    ann, bob = raters.figures()
    result = raters.confusion(other.pk, one.pk)

    assert result.bias.value == bob.bias == pytest.approx(3) == -ann.bias
    assert result.agreement.value == 1.0
    assert result.counts == []
    assert [name for name, _ in result.kappas] == ["quadratic weights"]
    assert raters.matrix([one.pk, other.pk])[0][1].kappa == result.kappas[0][1].value
    assert result.kappas[0][1].value == pytest.approx(1 - 9 / (2 * np.var(4 * np.arange(23.0)) + 9))
    assert raters_of(scene).alphas_without(agreement(scene)) == {}
    assert ann.use.labels[0] == "0 to 10"
    assert ann.use.counts == [3, 2, 3, 2, 3, 2, 3, 2, 3, 1]
    assert bob.use.cannot == 1


def test_the_use_of_grades():
    labels = ["0", "1", "2"]
    use = of_raters.total_use(
        [reports.GradeUse(labels, [6, 1, 2], 1), reports.GradeUse(labels, [1, 0, 0], 2)], labels
    )

    assert (use.counts, use.cannot, use.total, use.middle) == ([7, 1, 2], 3, 10, 0.1)
    nothing = of_raters.total_use([], labels)
    assert (nothing.counts, nothing.shares, nothing.middle) == ([0, 0, 0], [0, 0, 0], None)
    assert reports.GradeUse(["0", "1"], [3, 1], 0).middle is None


def test_the_cost_is_the_same_for_any_number_of_raters(three):
    def cost():
        with CaptureQueriesContext(connection) as queries:
            agreement(three)
            raters = raters_of(three)
            raters.figures(raters.alphas_without(agreement(three)))
            raters.table()
        return len(queries)

    before = cost()
    for number in range(10):
        three.rater(f"further {number}", [1, 2, 3])

    assert cost() == before == 8
