"""What goes, or comes, between two statements of a page is left out of it; the page is made all the same."""

import pytest
from django.db import connection

from judgments.agreement.reports.disagreements import DisagreementFilters, disagreement_page
from judgments.content.actions.deleting import delete_list
from judgments.log.reports.log import Cursor, Filters, Scope, log_page
from judgments.models import ConsensusGrade
from judgments.raters.reports.rater_names import Names
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from tests.meanwhile import Before

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("shown", "short"), [(False, "A"), (True, "ann")])
def test_a_rater_who_came_in_just_now_has_no_name_yet(shown, short):
    query_set = make.make_query_set()
    first = make.make_rater(query_set, make.make_user("ann"))
    names = Names(make.make_list(query_set), shown=shown)

    other = make.make_rater(query_set)

    assert (names.short(first.pk), names.short(other.pk)) == (short, "?")
    assert (names.of(first.pk), names.of(other.pk)) == ("ann" if shown else "Rater A", "Rater ?")


def test_a_disagreement_that_has_lost_its_grade_is_left_out():
    scene = Scene(queries=1, documents=2, overlap=2)
    anna, ben = scene.rater(), scene.rater()
    gone, stays = scene.list.pairs.order_by("pk")
    for pair in (gone, stays):
        scene.judge(anna, pair.pk, value=0)
        scene.judge(ben, pair.pk, value=3)
    losing = Before(ConsensusGrade.objects.filter(pair=gone).delete, 'FROM "judgments_consensusgrade"')

    with connection.execute_wrapper(losing):
        rows = disagreement_page(scene.list, DisagreementFilters(), None).rows

    assert [one.pair_id for one in rows] == [stays.pk]


def test_a_changed_judgment_of_a_list_that_has_gone_is_told_without_its_answers():
    scene = Scene(queries=1, documents=1, name="First pass")
    rater = scene.rater()
    for value in (1, 2):
        scene.judge(rater, scene.list.pairs.get().pk, value=value)
    admin = make.make_member(scene.query_set, "admin")

    def deleted():
        delete_list(judgment_list=scene.list, confirmed_name="First pass")

    with connection.execute_wrapper(Before(deleted, 'FROM "judgments_judgmentlist"', '"id" IN (')):
        page = log_page(Scope(query_set=scene.query_set), admin, Filters(), cursor=Cursor())

    (entry,) = [one for one in page.entries if one.change]
    assert (entry.verb, entry.judgment_list) == ("changed the judgment of", None)
    assert (entry.before, entry.after) == ({}, {})
