"""What a version says and what runs score against it, whatever happens to its list: judgments, a model, forms, archive, copies."""

import pytest
from django.db import connection

from evaluation.models import Evaluation
from evaluation.runs.actions.copying import copy_with_runs
from evaluation.scores.actions.scores import bring_up_to_date
from evaluation.scores.actions.scoring_request import ScoringRequest
from judgments.content.actions.deleting import HasVersionsError, delete_list, delete_query_set
from judgments.content.actions.query_sets import archive_query_set, restore_query_set
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import fit_now
from judgments.lists.actions.copying import Parts
from judgments.lists.actions.versions import freeze_version
from judgments.lists.sql.versions import content_hash
from judgments.models import ConsensusGrade, ListQuery, Version, VersionGrades
from tests import factories as make
from tests.evaluation.scored import make_ranking, ndcgs
from tests.judgments.modelled import make_modelled
from tests.sweeps import SHARES, draw_addresses
from tests.test_access import address_of, named_addresses, world
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db

__all__ = ["world"]


@pytest.fixture
def judgment_list():
    """Forty pairs of four queries, judged by four raters, whose grades a model makes."""
    judgment_list = make_modelled(name="Main")
    fit_now(judgment_list=judgment_list, rule="ds-ordinal")
    change_rule(judgment_list=judgment_list, rule="ds-ordinal", tie="lower")
    return judgment_list


@pytest.fixture
def run(judgment_list):
    """The worst documents first."""
    run = make.make_run(judgment_list.query_set)
    grades = ConsensusGrade.objects.filter(judgment_list=judgment_list).order_by("query", "value", "pk")
    for query in judgment_list.query_set.queries.order_by("pk"):
        ranked = grades.filter(query=query).values_list("document__external_id", flat=True)
        make_ranking(run, query, list(ranked))
    return run


@pytest.fixture
def version(judgment_list):
    return freeze_version(judgment_list=judgment_list, at=make.NOW)


def computed_anew(run, version):
    """The means of the run and its values in each query, with nothing left of what was stored."""
    Evaluation.objects.all().delete()
    bring_up_to_date(ScoringRequest(version.judgment_list, [run], Formula(cutoff=5), version=version))
    found = Evaluation.objects.get(version=version)
    return ndcgs(found), list(found.scores.order_by("query").values_list("query", "dcg", "ideal_global"))


def frozen():
    """Every byte of every version."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM judgments_version t),"
            " (SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM judgments_versiongrades t)"
        )
        return cursor.fetchone()


def test_a_thousand_further_judgments_and_another_fit_change_neither_a_version_nor_a_score(
    judgment_list, run, version
):
    stored, scored = frozen(), computed_anew(run, version)
    live = grades_of(judgment_list)
    raters = [make.make_rater(judgment_list.query_set) for _ in range(25)]

    pairs = judgment_list.pairs.order_by("pk")
    make.make_judgments((pair, rater, nth % 4) for nth, pair in enumerate(pairs) for rater in raters)
    assert fit_now(judgment_list=judgment_list, rule="ds-ordinal")

    assert judgment_list.judgments.count() == 1000 + 160
    assert grades_of(judgment_list) != live
    assert (frozen(), computed_anew(run, version)) == (stored, scored)
    assert content_hash(version.pk) == version.sha256


def test_neither_archive_nor_copy_nor_deletion_of_the_copy_nor_another_rule_changes_them(
    judgment_list, run, version
):
    query_set = judgment_list.query_set
    stored, scored = frozen(), computed_anew(run, version)

    archive_query_set(query_set=query_set, user=None, at=make.NOW)
    assert (frozen(), computed_anew(run, version)) == (stored, scored)
    restore_query_set(query_set=query_set)
    parts = Parts(members=True, lists=True, judgments=True)
    copied = copy_with_runs(query_set=query_set, name="Copy", user=make.make_user(), parts=parts, runs=True)
    assert Version.objects.get() == version
    delete_query_set(query_set=copied, confirmed_name="Copy")
    change_rule(judgment_list=judgment_list, rule="mean", tie="lower")
    with pytest.raises(HasVersionsError):
        delete_list(judgment_list=judgment_list, confirmed_name="Main")

    assert (frozen(), computed_anew(run, version)) == (stored, scored)


@SHARES
def test_no_address_changes_a_version(share, world, client):
    client.force_login(world["users"]["site"])
    client.raise_request_exception = False
    ListQuery.objects.update(graded_count=1)
    version = Version.objects.values().get()
    grades = VersionGrades.objects.values().get()

    for name in draw_addresses(set(named_addresses()) - SIGNS_OUT, share):
        for act in (client.post, client.put, client.patch, client.delete):
            act(address_of(name, world), SENT if act == client.post else {})

            assert Version.objects.values().get(number=1) == version, name
            assert VersionGrades.objects.values().get(version=version["id"]) == grades, name


SIGNS_OUT = {"demo-sign-in", "sign-in", "sign-out", "password-change"}
SENT = {
    "name": "Other",
    "note": "Other",
    "number": "7",
    "sha256": "0" * 64,
    "action": "save",
    "rule": "mean",
    "tie": "lower",
    "typed": "Main",
    "grade": "0",
    "value": "0",
    "cause": "slip",
}


def grades_of(judgment_list):
    return dict(ConsensusGrade.objects.filter(judgment_list=judgment_list).values_list("pair", "value"))
