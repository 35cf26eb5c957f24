"""What is foreseen of a change of the grades is what the change then does, whatever the rule, the tie rule and the rater."""

from itertools import product

import pytest

from judgments.agreement.actions.adjudication import effect_of_exclusion, exclude_rater, include_rater
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import fit_now
from judgments.grades.reports import effect_of_rule
from judgments.grades.sql.consensus import look_ahead
from judgments.grades.sql.explanations import explanations
from judgments.models import Gold, Rater, Scale
from judgments.raters.sql.leave_one_out import grades_without_each
from tests import factories as make
from tests.judgments.modelled import grades_of
from tests.judgments.refreshed import refresh_consensus
from tests.snapshot import undone
from touchstone_core.grades.rules import MODEL_RULES, ConsensusRule, Rule, Tie

pytestmark = pytest.mark.django_db
ANSWERS = (None, "language", 0, 1, 3)


@pytest.fixture
def judgment_list():
    """Four raters, the last of them excluded, and every combination of three of their answers; decided pairs, practice, pairs alone."""
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, rule="median", tie="adjudicate")
    raters = [make.make_rater(query_set) for _ in range(4)]
    queries = [make.make_query(query_set) for _ in range(3)]
    for number, answers in enumerate(product(ANSWERS, repeat=3)):
        pair = make.make_pair(judgment_list, queries[number % 3], make.make_document(query_set))
        for rater, answer in zip(raters, (*answers, number % 4), strict=True):
            if isinstance(answer, int):
                gold = Gold.PRACTICE if number % 11 == 0 and rater == raters[0] else ""
                make.make_judgment(pair, rater, value=answer, gold=gold)
            elif answer:
                make.make_judgment(pair, rater, reason=answer)
        if number % 17 == 0:
            judgment_list.adjudications.create(
                query_set=query_set, pair=pair, value=2, cause="slip", at=make.NOW
            )
    make.make_pair(judgment_list, queries[0], make.make_document(query_set))
    judgment_list.exclusions.create(query_set=query_set, rater=raters[3], at=make.NOW)
    for rule in MODEL_RULES:
        fit_now(judgment_list=judgment_list, rule=rule)
    refresh_consensus(judgment_list=judgment_list)
    return judgment_list


def differences(before, after):
    return {pair: after.get(pair) for pair in {**before, **after} if after.get(pair) != before.get(pair)}


def said(changes):
    values = [None if value != value else value for value in changes.values.tolist()]
    return dict(zip(changes.pairs.tolist(), values, strict=True))


def test_another_rule_does_what_was_foreseen(judgment_list):
    for rule, tie in product(Rule, Tie):
        with undone():
            judgment_list.refresh_from_db()
            assert_change_is_foreseen(judgment_list, rule, tie)


def assert_change_is_foreseen(judgment_list, rule, tie):
    before = grades_of(judgment_list)
    effect = effect_of_rule(judgment_list, rule, tie)
    before_grades = grades_of(judgment_list)

    change_rule(judgment_list=judgment_list, rule=rule, tie=tie)

    after = grades_of(judgment_list)
    expected = differences(before, after)
    assert before_grades == before
    assert said(effect.changes) == expected
    assert effect.changes.total == len(expected)
    assert effect.changes.added == sum(before[pair] is None for pair in expected)
    assert effect.changes.removed == sum(value is None for value in expected.values())
    queries = judgment_list.pairs.filter(pk__in=expected).values("query").distinct().count()
    assert effect.changes.query_count == queries
    sentences = explanations(list(expected))
    assert {pair: value for pair, (value, _) in sentences.items()} == expected
    pairs = judgment_list.pairs.select_related("query", "document").in_bulk(sentences)
    assert set(effect.examples) <= {
        f"“{pairs[key].query.text}”, “{pairs[key].document}”: {how}" for key, (_, how) in sentences.items()
    }
    assert bool(effect.examples) == bool(expected)
    assert effect_of_rule(judgment_list, rule, tie).changes.total == 0


def test_excluding_and_including_a_rater_does_what_was_foreseen(judgment_list):
    for rule, place in product(Rule, range(3)):
        with undone():
            judgment_list.refresh_from_db()
            assert_exclusion_is_foreseen(judgment_list, rule, place)


def assert_exclusion_is_foreseen(judgment_list, rule, place):
    change_rule(judgment_list=judgment_list, rule=rule, tie="adjudicate")
    judgment_list.refresh_from_db()
    user = make.make_user()
    rater = Rater.objects.filter(query_set=judgment_list.query_set).order_by("pk")[place]
    about = {"judgment_list": judgment_list, "rater": rater, "user": user, "at": make.NOW}
    before = grades_of(judgment_list)
    beside = said(
        grades_without_each(judgment_list.pk, [rater.pk], ConsensusRule(rule, Tie.ADJUDICATE))[rater.pk]
    )
    exclusion = effect_of_exclusion(**about, excluded=True)

    exclude_rater(judgment_list=judgment_list, rater=rater, user=user, at=make.NOW)

    without = grades_of(judgment_list)
    assert said(exclusion.changes) == beside == differences(before, without)
    assert exclusion.pairs == judgment_list.judgments.filter(rater=rater).count()

    assert effect_of_exclusion(**about, excluded=True).changes.total == 0, "nothing is left to change"

    inclusion = effect_of_exclusion(**about, excluded=False)
    include_rater(judgment_list=judgment_list, rater=rater, user=user, at=make.NOW)

    assert said(inclusion.changes) == differences(without, before)
    assert differences(before, grades_of(judgment_list)) == {}


def test_grades_that_no_two_pairs_share_are_foreseen_too():
    scale = Scale.objects.create(name="Slider", continuous=True, minimum=0, maximum=1)
    judgment_list = make.make_list(make.make_query_set(), scale=scale, rule="median", tie="lower")
    raters = [make.make_rater(judgment_list.query_set) for _ in range(3)]
    query = make.make_query(judgment_list.query_set)
    for number in range(1, 8):
        pair = make.make_pair(judgment_list, query, make.make_document(judgment_list.query_set))
        for rater, share in zip(raters, (0.1, 0.3, 0.7), strict=True):
            make.make_judgment(pair, rater, value=share / number)
    refresh_consensus(judgment_list=judgment_list)
    before = grades_of(judgment_list)

    changes = look_ahead(list_id=judgment_list.pk, rule=ConsensusRule(Rule.MEAN))

    change_rule(judgment_list=judgment_list, rule="mean", tie="lower")
    assert said(changes) == differences(before, grades_of(judgment_list))
    assert len(changes.pairs) == 7


def test_nothing_is_foreseen_of_an_empty_list_and_nothing_happens():
    judgment_list = make.make_list(make.make_query_set())

    changes = look_ahead(list_id=judgment_list.pk, rule=ConsensusRule(Rule.MEAN), rater_id=1)

    assert (changes.added, changes.changed, changes.removed, changes.examples(5)) == (0, 0, 0, [])
    assert grades_without_each(judgment_list.pk, [], ConsensusRule(Rule.MEAN)) == {}
    assert change_rule(judgment_list=judgment_list, rule="mean", tie="lower") == 0
