"""Machines compared with people's grades: what counts, and the figures of real judges."""

from collections import Counter
from statistics import mean, stdev

import pytest

from judgments.agreement.actions.agreement import agreement_of
from judgments.agreement.reports.agreement import steps_of
from judgments.agreement.reports.machines import machine_figures
from judgments.agreement.reports.stored_agreement import from_json
from judgments.agreement.sql import machines as sql
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import Choices, open_judgment_file
from judgments.files.reports.uploads import terms_of
from judgments.grades.actions.consensus import refresh_within
from judgments.models import Exclusion, JudgmentList, Scale
from tests import factories as make
from tests.judgments.agreed import Agreed
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db

KNOWN = {  # equal, kappa, quadratic kappa, bias, as published beside the data
    "TREMA-direct": (0.419, 0.174, 0.371, 0.35),
    "Olz-gpt4o": (0.513, 0.262, 0.507, -0.12),
    "prophet-setting4": (0.492, 0.147, 0.228, -0.59),
}


def settled(scene):
    refresh_within(judgment_list=scene.list, pair_ids=None)
    return scene


def figures_of(scene):
    steps = steps_of(scene.list.scale)
    return machine_figures(scene.list, steps, sql.machines_left_out(scene.list.pk))


def stored(scene):
    steps = steps_of(scene.list.scale)
    result = agreement_of(judgment_list=scene.list, steps=steps, without=None, at=make.NOW)
    return from_json(result.figures, scene.list, steps)


def test_a_machine_is_compared_with_the_grades_of_pairs():
    scene = Agreed(queries=2, documents=2)
    scene.rater("ann", [0, 1, 2, 3])
    gpt = scene.machine("gpt", [0, 3, 2, 2])

    [one] = figures_of(settled(scene))

    assert (one.rater_id, one.pairs, one.agreement) == (gpt.pk, 4, 0.5)
    assert one.bias == pytest.approx((0 + 2 + 0 - 1) / 4)
    assert one.counts == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 1, 0]]
    observed, expected = 4 + 1, sum((a - b) ** 2 for a in (0, 1, 2, 3) for b in (0, 3, 2, 2)) / 4
    assert one.kappa == pytest.approx(1 - observed / expected)


def test_only_pairs_that_both_graded_are_compared():
    scene = Agreed(queries=1, documents=3)
    scene.rater("ann", [1, None, "-"])
    scene.machine("gpt", [1, 1, 1])
    scene.machine("llama", [None, 1, 1])

    assert [one.pairs for one in figures_of(settled(scene))] == [1, 0]
    assert figures_of(scene)[1].kappa is None


def test_a_grade_in_which_a_machine_counts_is_no_grade_of_people():
    scene = Agreed(queries=1, documents=2)
    scene.rater("ann", [1, 1])
    scene.machine("old", [1], counts=True)
    scene.machine("gpt", [3, 1])

    [gpt] = figures_of(settled(scene))

    assert (gpt.pairs, gpt.bias) == (1, 0.0)


def test_a_grade_between_two_of_the_scale_counts_as_it_is_and_stands_at_the_nearest():
    scene = Agreed(queries=1, documents=1)
    JudgmentList.objects.filter(pk=scene.list.pk).update(rule="mean")
    scene.list.refresh_from_db()
    for name, value in (("ann", 1), ("bob", 1), ("cy", 2)):
        scene.rater(name, [value])
    scene.machine("gpt", [2])

    [gpt] = figures_of(settled(scene))

    assert gpt.bias == pytest.approx(2 / 3)
    assert gpt.counts[1] == [0, 0, 1, 0]
    assert gpt.agreement == 0.0


def test_grades_without_order_have_no_bias_and_an_unweighted_kappa():
    scale = Scale.objects.create(name="Kinds", level="nominal", maximum=2)
    for value, label in enumerate(("Shop", "News", "Map")):
        scale.grades.create(value=value, label=label, gain=value, key=str(value))
    scene = Agreed(queries=1, documents=4, scale=scale)
    scene.rater("ann", [0, 1, 2, 2])
    scene.machine("gpt", [0, 1, 1, 2])

    [gpt] = figures_of(settled(scene))

    assert (gpt.bias, gpt.low) == (None, None)
    by_chance = (1 * 1 + 1 * 2 + 2 * 1) / 16
    assert gpt.kappa == pytest.approx((0.75 - by_chance) / (1 - by_chance))


def test_a_machine_is_not_among_the_people_who_agree():
    scene = Agreed(queries=2, documents=2)
    scene.rater("ann", [0, 1, 2, 3])
    scene.rater("bob", [0, 1, 2, 3])
    before = stored(settled(scene)).headline
    gpt = scene.machine("gpt", [3, 0, 0, 0])

    figures = stored(scene)

    assert figures.headline.alpha.value == before.alpha.value == 1.0
    assert (figures.headline.judgments, figures.headline.pairs) == (8, 4)
    assert gpt.pk not in figures.raters.uses
    assert [one.rater_id for one in figures.machines] == [gpt.pk]
    assert figures.machines == figures_of(scene)


def test_a_machine_that_counts_is_one_of_those_who_agree():
    scene = Agreed(queries=2, documents=2)
    scene.rater("ann", [0, 1, 2, 3])
    gpt = scene.machine("gpt", [3, 0, 0, 0], counts=True)

    figures = stored(settled(scene))

    assert (figures.machines, gpt.pk in figures.raters.uses) == ([], True)
    assert figures.headline.pairs == 4


def test_letting_a_machine_count_makes_stored_figures_old_even_if_no_grade_changes():
    scene = Agreed(queries=1, documents=2)
    scene.rater("ann", [1, 2])
    gpt = scene.machine("gpt", [1, 2])
    assert stored(settled(scene)).headline.pairs == 0

    Exclusion.objects.update(lifted_at=make.NOW)

    assert stored(scene).headline.pairs == 2
    assert gpt.pk in stored(scene).raters.uses


def bring_in(judgment_list, path, who=""):
    choices = Choices(rater=path.stem, create_missing=True, raters={path.stem: who} if who else {})
    with (
        path.open("rb") as file,
        open_judgment_file(file, name=path.name, choices=choices, limit=10**8) as opened,
    ):
        return import_judgments(
            judgment_list=judgment_list, file=opened, at=make.NOW, terms=terms_of(path.name, choices)
        )


def qrels(path):
    lines = (line.split() for line in path.read_text().splitlines())
    return {(query, document): int(grade) for query, _, document, grade in lines}


@pytest.mark.sampled
def test_real_judges_have_the_figures_that_are_known():
    folder = shared_data("llm_judges")
    judgment_list = make.make_list(make.make_query_set(), overlap=1)
    bring_in(judgment_list, folder / "human.txt")
    for name in KNOWN:
        assert bring_in(judgment_list, folder / f"{name}.txt", "machine").machines_left_out == 1
    steps = steps_of(judgment_list.scale)

    found = machine_figures(judgment_list, steps, sql.machines_left_out(judgment_list.pk))

    names = dict(judgment_list.query_set.raters.values_list("pk", "name"))
    assert [names[one.rater_id] for one in found] == list(KNOWN)
    people = qrels(folder / "human.txt")
    for one in found:
        theirs = qrels(folder / f"{names[one.rater_id]}.txt")
        equal, kappa, quadratic, bias = KNOWN[names[one.rater_id]]
        assert one.pairs == len(people) == 4423
        assert one.agreement == pytest.approx(equal, abs=0.0005)
        assert one.kappa == pytest.approx(quadratic, abs=0.0005)
        assert one.bias == pytest.approx(bias, abs=0.005)
        both = Counter((people[pair], theirs[pair]) for pair in people)
        assert one.counts == [[both[row, column] for column in range(4)] for row in range(4)]
        assert unweighted(one.counts) == pytest.approx(kappa, abs=0.0005)
        low, high = linearized(people, theirs)
        assert (one.low, one.high) == pytest.approx((low, high), abs=0.03)


def unweighted(counts):
    total = sum(map(sum, counts))
    observed = sum(counts[grade][grade] for grade in range(4)) / total
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    expected = sum(one * other for one, other in zip(rows, columns, strict=True)) / total**2
    return (observed - expected) / (1 - expected)


def linearized(people, theirs):
    """A 95 % interval of the mean difference with queries as clusters, by the formula for a ratio (Cochran 1977, 6.4)."""
    sums = {}
    for (query, document), grade in people.items():
        pairs, difference = sums.get(query, (0, 0))
        sums[query] = pairs + 1, difference + theirs[query, document] - grade
    bias = sum(one for _, one in sums.values()) / sum(pairs for pairs, _ in sums.values())
    size = mean(pairs for pairs, _ in sums.values())
    error = stdev(one - bias * pairs for pairs, one in sums.values()) / size / len(sums) ** 0.5
    return bias - 1.96 * error, bias + 1.96 * error
