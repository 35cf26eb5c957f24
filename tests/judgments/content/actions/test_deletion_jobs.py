"""Large deletions: out of reach at once, deleted in portions by a worker, which is a real one in this process."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, OperationalError, connection
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.models import Comparison, Ranking, Run
from evaluation.runs.actions.runs import delete_runs_or_ask
from judgments.base.errors import ArchivedError
from judgments.content.actions import deletion_jobs
from judgments.content.actions.deleting import HasVersionsError, NameDiffersError
from judgments.content.actions.deletion_jobs import (
    FAILURE_NOTE,
    delete_list_or_ask,
    delete_query_set_or_ask,
    retry_deletion,
)
from judgments.content.actions.query_sets import archive_query_set
from judgments.lists.actions.copying import Parts, copy_query_set
from judgments.models import (
    Act,
    ApiToken,
    Deletion,
    Document,
    Judgment,
    JudgmentList,
    Membership,
    Pair,
    Query,
    QuerySet,
    Upload,
    Verb,
)
from tests import factories as make
from tests.api import Api
from tests.evaluation.whole_set import WholeSet, counts
from tests.judgments.working import bring_forward, forget_jobs, taken_by_a_dead_worker, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch, db):
    forget_jobs()
    monkeypatch.setattr(deletion_jobs, "MOST_ROWS", 0)


@pytest.fixture
def whole():
    return WholeSet()


def delete_list(whole, **others):
    given = {"judgment_list": whole.second, "confirmed_name": "Second", "user": whole.admin, "at": make.NOW}
    return delete_list_or_ask(**given | others)


def delete_query_set(whole):
    return delete_query_set_or_ask(
        query_set=whole.query_set, confirmed_name="Shop", user=whole.admin, at=make.NOW
    )


def rows():
    """Of everything but deletions themselves."""
    return {model: count for model, count in counts().items() if model is not Deletion}


def test_a_small_list_is_deleted_by_the_request(whole, monkeypatch):
    monkeypatch.setattr(deletion_jobs, "MOST_ROWS", 10_000)

    assert delete_list(whole) is None

    assert not JudgmentList.everything.filter(pk=whole.second.pk).exists()
    assert not Deletion.objects.exists()


@pytest.mark.parametrize("seconds", [0, 100])
def test_a_worker_deletes_what_the_request_would_have_deleted(whole, monkeypatch, seconds):
    """Also if each portion takes too long, so that it's one ID each, or no time, so that portions grow."""
    monkeypatch.setattr(deletion_jobs, "PORTION_SECONDS", seconds)
    other = WholeSet("Other")
    before = rows()

    deletion = delete_list(whole)
    work()

    deletion.refresh_from_db()
    assert (deletion.keys, deletion.failure, bool(deletion.done_at)) == ([], "", True)
    assert deletion.rows_gone == deletion.row_total > 0
    assert not JudgmentList.everything.filter(pk=whole.second.pk).exists()
    after_jobs = rows()
    monkeypatch.setattr(deletion_jobs, "MOST_ROWS", 10_000)
    delete_list(other, judgment_list=other.second)
    by_request = rows()
    lost = {model: before[model] - after_jobs[model] for model in before}
    assert lost == {model: after_jobs[model] - by_request[model] for model in before}
    assert lost[Judgment] == 4


def test_a_job_without_its_deletion_does_nothing(whole):
    deletion = delete_list(whole)
    Deletion.objects.all().delete()
    before = rows()

    work()

    assert rows() == before
    assert not Deletion.objects.filter(pk=deletion.pk).exists()


def test_runs_that_somebody_else_has_deleted_are_gone(whole):
    runs = list(Run.objects.filter(query_set=whole.query_set))
    given = {"runs": runs, "user": whole.admin, "at": make.NOW}
    assert delete_runs_or_ask(**given)

    with pytest.raises(Run.DoesNotExist):
        delete_runs_or_ask(**given)


def test_a_list_is_out_of_reach_at_once_and_its_name_is_free(whole):
    comparison, upload = Comparison.objects.get(), Upload.objects.get(judgment_list=whole.second)

    delete_list(whole)

    for viewer in (whole.admin, make.make_user(is_superuser=True)):
        lists = JudgmentList.objects
        assert [*lists.visible_to(viewer)] == [*lists.judgeable_by(viewer)] == [whole.list]
        assert [*lists.administered_by(viewer)] == [whole.list]
    assert [*whole.query_set.judgment_lists.all()] == [whole.list]
    assert not Comparison.objects.filter(pk=comparison.pk).exists()
    assert not upload.file.storage.exists(upload.file.name)
    assert Judgment.objects.filter(judgment_list=whole.second).exists()  # not deleted yet
    make.make_list(whole.query_set, name="Second")


def test_a_copy_of_the_query_set_is_made_without_it(whole):
    delete_list(whole)

    parts = Parts(members=True, lists=True, judgments=True)
    copied, _ = copy_query_set(query_set=whole.query_set, name="Copy", user=whole.admin, parts=parts)

    assert [one.name for one in JudgmentList.everything.filter(query_set=copied)] == ["First"]


def test_the_log_says_who_began_and_how_much_went(whole):
    delete_list(whole)
    began = Act.objects.first()
    work()
    ended = Act.objects.first()

    assert (began.verb, began.subject, began.note) == (
        Verb.DELETED,
        "list Second",
        "A worker deletes its rows.",
    )
    assert (ended.verb, ended.subject, ended.by) == (Verb.DELETION_ENDED, "list Second", whole.admin)
    assert ended.before["judgments"] == 4


def test_a_list_with_versions_and_a_wrong_name_are_refused_at_once(whole):
    with pytest.raises(HasVersionsError):
        delete_list(whole, judgment_list=whole.list, confirmed_name="First")
    with pytest.raises(NameDiffersError):
        delete_list(whole, confirmed_name="second")

    assert JudgmentList.objects.count() == 2
    assert not Deletion.objects.exists()


def test_the_second_of_two_clicks_finds_no_list_and_asks_for_nothing(whole):
    delete_list(whole)

    with pytest.raises(JudgmentList.DoesNotExist):
        delete_list(whole)

    assert Deletion.objects.count() == ProcrastinateJob.objects.count() == 1


def test_nothing_is_deleted_in_the_archive_but_what_was_asked_for_before_is(whole):
    archive_query_set(query_set=whole.query_set, user=None, at=make.NOW)
    with pytest.raises(ArchivedError):
        delete_list(whole)
    QuerySet.objects.update(archived_at=None)
    deletion = delete_list(whole)
    archive_query_set(query_set=whole.query_set, user=None, at=make.NOW)

    work()

    deletion.refresh_from_db()
    assert deletion.done_at


def test_nothing_of_a_query_set_is_left(whole):
    """It has a version, which keeps its pairs until it goes itself."""
    other = WholeSet("Other")
    deletion = delete_query_set(whole)
    work()

    assert not QuerySet.objects.filter(pk=whole.query_set.pk).exists()
    assert not Deletion.objects.exists()
    assert not ProcrastinateJob.objects.exists()
    last = Act.objects.first()
    assert (last.verb, last.subject, last.by) == (Verb.DELETED, "query set Shop", whole.admin)
    assert (last.before["judgments"], last.before["rankings"], last.before["versions"]) == (8, 2, 1)
    assert deletion.subject == "query set Shop"
    assert {pair.query_set for pair in Pair.objects.all()} == {other.query_set}


def test_a_query_set_is_out_of_everybodys_reach_at_once(whole):
    query, document, run = whole.queries[0], whole.documents[0], whole.runs[0]
    site = make.make_user(is_superuser=True)
    assert Query.objects.visible_to(site).filter(pk=query.pk).exists()

    deletion = delete_query_set(whole)

    for viewer in (whole.admin, site, AnonymousUser()):
        assert not QuerySet.objects.visible_to(viewer).exists()
        assert not Query.objects.visible_to(viewer).filter(pk=query.pk).exists()
        assert not Document.objects.visible_to(viewer).filter(pk=document.pk).exists()
        assert not Run.objects.visible_to(viewer).filter(pk=run.pk).exists()
        assert not JudgmentList.objects.visible_to(viewer).exists()
        assert not Upload.objects.visible_to(viewer).exists()
    assert [*Deletion.objects.visible_to(whole.admin)] == [*Deletion.objects.visible_to(site)] == [deletion]
    make.make_query_set(name="Shop")


def test_runs_are_deleted_with_all_that_was_computed_from_them(whole):
    names = [run.name for run in whole.runs]
    deletion = delete_runs_or_ask(runs=whole.runs, user=whole.admin, at=make.NOW)

    assert deletion.subject == "2 runs"
    assert not Run.objects.exists()
    compared = Comparison.objects.get().compared.get()
    assert (compared.run, compared.name) == (None, "a")
    acts = Act.objects.filter(verb=Verb.DELETED).order_by("pk")
    assert [act.subject for act in acts] == [f"run {name}" for name in names]
    assert Ranking.objects.count() == 2

    work()

    assert not Run.everything.exists()
    assert not Ranking.objects.exists()
    assert JudgmentList.objects.count() == 2


def test_another_worker_goes_on_where_a_killed_one_stopped(whole, monkeypatch):
    """A worker that is killed leaves whole portions behind: here, the first two."""
    deletion, began = delete_list(whole), []
    delete_portion = deletion_jobs._delete

    def killed_at_the_third(*arguments):
        began.append(arguments)
        if len(began) == 3:
            raise KeyboardInterrupt
        delete_portion(*arguments)

    monkeypatch.setattr(deletion_jobs, "_delete", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        deletion_jobs.delete_in_portions(deletion=deletion, at=make.NOW)
    deletion.refresh_from_db()
    assert 0 < deletion.rows_gone < deletion.row_total
    monkeypatch.undo()
    taken_by_a_dead_worker()

    work()

    deletion.refresh_from_db()
    assert deletion.done_at
    assert deletion.rows_gone == deletion.row_total
    assert not Pair.objects.filter(judgment_list=whole.second).exists()


def test_a_job_that_is_done_twice_does_nothing_the_second_time(whole):
    deletion = delete_list(whole)
    work()
    acts = Act.objects.count()

    deletion_jobs.delete_in_portions(deletion=deletion, at=make.NOW)  # with the keys of before

    assert Act.objects.count() == acts


@pytest.mark.parametrize("error", [OperationalError("gone"), IntegrityError("late")])
def test_what_may_pass_is_tried_again_three_times(whole, monkeypatch, error):
    tries = []

    def fail(**_):
        tries.append(1)
        raise error

    monkeypatch.setattr(deletion_jobs, "delete_in_portions", fail)
    deletion = delete_list(whole)
    for _ in range(5):
        work()
        bring_forward()

    deletion.refresh_from_db()
    assert (len(tries), deletion.failure) == (4, FAILURE_NOTE)


def test_what_failed_can_be_tried_again(whole, monkeypatch):
    deletion = delete_list(whole)
    with monkeypatch.context() as patch:
        patch.setattr(deletion_jobs, "delete_in_portions", lambda **_: 1 / 0)
        work()
    assert not JudgmentList.objects.filter(pk=whole.second.pk).exists()

    assert retry_deletion(deletion=deletion)
    assert not retry_deletion(deletion=deletion)  # a second click
    work()

    deletion.refresh_from_db()
    assert deletion.done_at
    assert not retry_deletion(deletion=deletion)


def test_a_row_that_somebody_added_late_goes_too(whole):
    """Somebody who had the list open before it was out of reach."""
    delete_list(whole)
    make.make_pair(whole.second, make.make_query(whole.query_set), make.make_document(whole.query_set))

    work()

    assert not JudgmentList.everything.filter(pk=whole.second.pk).exists()


def test_ended_deletions_are_forgotten_after_a_week(whole):
    earlier = delete_list(whole)
    work()
    assert Deletion.objects.filter(pk=earlier.pk).exists()
    Deletion.objects.update(done_at=make.NOW)

    delete_runs_or_ask(runs=whole.runs, user=whole.admin, at=make.NOW + timedelta(days=8))

    assert not Deletion.objects.filter(pk=earlier.pk).exists()


def test_portions_lock_no_table(whole, monkeypatch):
    """Else whoever saves something in another list would wait for them."""
    deletion = delete_list(whole)
    seen = []
    delete_with_all = deletion_jobs.delete_with_all

    def look(*arguments):
        counts = delete_with_all(*arguments)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' "
                "AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')"
            )
            seen.append(cursor.fetchone()[0])
        return counts

    monkeypatch.setattr(deletion_jobs, "delete_with_all", look)
    deletion_jobs.delete_in_portions(deletion=deletion, at=make.NOW)
    assert len(seen) > 2
    assert set(seen) == {0}


def test_the_log_says_which_token_asked_for_it(whole):
    Api(whole.admin).delete(f"lists/{whole.second.pk}?name=Second")
    work()

    lines = Act.objects.filter(verb__in=[Verb.DELETED, Verb.DELETION_ENDED])
    assert [line.token_id for line in lines] == [ApiToken.objects.get().pk] * 2


def test_programs_ask_for_the_deletion_of_a_query_set_unless_their_token_is_for_another(whole):
    other = make.make_query_set(name="Other")
    Membership.objects.create(query_set=other, user=whole.admin, role="admin")
    site = make.make_user(is_superuser=True)
    answer = Api(whole.admin).delete(f"query-sets/{whole.query_set.pk}?name=Shop")
    address = f"jobs/{answer.json()['id']}"

    found = Api(whole.admin).get(address).json()
    assert (found["what"], found["state"]) == ("deletion of query set Shop", "waiting")
    assert Api(site).get(address).status_code == 200
    for stranger in (Api(whole.admin, query_set=other), Api(site, query_set=other), Api(make.make_user())):
        assert stranger.get(address).status_code == 404
