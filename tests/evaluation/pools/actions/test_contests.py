"""A worker adds what decides between two runs, batch by batch, until that is decided or the judgments are spent."""

from threading import Thread
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from evaluation.models import Contest
from evaluation.pools.actions.contests import GoingOnError, go_on, start_contest, stop_contest
from evaluation.runs.actions.runs import delete_run
from judgments.content.actions.query_sets import archive_query_set
from judgments.files.actions.import_jobs import import_in_background, one_at_a_time
from judgments.models import SELECTION, Act, Pair, Role, Slot
from tests import factories as make
from tests.evaluation.pools.deciding import judge_all, make_deciding
from tests.judgments.working import (
    bring_forward,
    forget_jobs,
    somebody_waits,
    taken_by_a_dead_worker,
    until,
    work,
)
from touchstone_core.formats.judgments.judgments import TARGETED
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    judgment_list, runs = make_deciding()
    return judgment_list, runs, make.make_member(judgment_list.query_set, Role.ADMIN)


def start(scene, batch_size=25, budget=1_000):
    judgment_list, runs, admin = scene
    return start_contest(
        judgment_list=judgment_list,
        runs=runs,
        formula=Formula(cutoff=4),
        batch_size=batch_size,
        budget=budget,
        priority=10,
        user=admin,
        at=timezone.now(),
    )


def look(contest):
    go_on(contest=contest, at=timezone.now())
    contest.refresh_from_db()
    return contest


def pairs(scene):
    return Pair.objects.filter(judgment_list=scene[0]).count()


def jobs():
    return ProcrastinateJob.objects.filter(task_name="go_on_deciding", status="todo")


def test_the_first_batch_is_added_at_once_and_the_next_once_it_is_judged(scene):
    contest = start(scene)

    assert pairs(scene) == 25
    assert set(Pair.objects.values_list("priority", flat=True)) == {10}
    assert look(contest).outcome == ""
    assert pairs(scene) == 25  # raters have not judged anything
    judge_all(scene[0])
    assert look(contest).outcome == ""
    assert pairs(scene) == 50
    assert (contest.judgments_requested, contest.outlook["judged"], contest.outlook["waiting"]) == (
        50,
        25,
        25,
    )


def test_raters_get_the_next_batch_a_little_before_they_run_out(scene):
    contest = start(scene, batch_size=30)
    waiting = list(Pair.objects.order_by("pk"))
    make.make_all_consensus((pair, 0.0) for pair in waiting[:26])

    look(contest)
    assert pairs(scene) == 30  # 4 of 30 are more than a tenth

    make.make_all_consensus((pair, 0.0) for pair in waiting[26:28])
    look(contest)
    assert pairs(scene) == 60


def test_it_ends_when_it_is_decided(scene):
    contest = start(scene)
    for _ in range(10):
        judge_all(scene[0])
        if look(contest).outcome:
            break

    assert contest.outcome == Contest.Outcome.DECIDED
    assert contest.ended_at is not None
    assert contest.outlook["expected"] > 0  # the second run is the better one
    assert pairs(scene) == contest.judgments_requested < 160
    assert Act.objects.filter(subject="judging between old and new").latest("pk").after == {
        "outcome": "decided"
    }
    assert look(contest).judgments_requested == pairs(scene)  # nothing goes on after the end


def test_each_batch_is_one_look_of_the_rule(scene):
    contest = start(scene)
    for _ in range(3):
        look(contest)  # while raters judge
    judge_all(scene[0])
    look(contest)

    checks = Act.objects.filter(after__contains={SELECTION: TARGETED})
    afters = checks.order_by("pk").values_list("after", flat=True)
    assert [after["judged before"] for after in afters] == [0, 25]


def test_it_asks_for_no_more_than_was_allowed(scene):
    contest = start(scene, batch_size=25, budget=30)
    judge_all(scene[0], is_even=True)
    assert look(contest).outcome == ""
    assert pairs(scene) == contest.judgments_requested == 30
    judge_all(scene[0], is_even=True)

    assert look(contest).outcome == Contest.Outcome.SPENT
    assert contest.outlook["judged"] == 30  # what is said at the end knows all of them


def test_judgments_are_counted_for_each_rater_of_a_pair():
    judgment_list, runs = make_deciding(overlap=2)
    contest = start((judgment_list, runs, make.make_user()), batch_size=25, budget=51)

    assert (Pair.objects.count(), contest.judgments_requested) == (12, 24)
    judge_all(judgment_list, is_even=True)
    assert look(contest).judgments_requested == 48
    judge_all(judgment_list, is_even=True)
    assert look(contest).judgments_requested == 50
    judge_all(judgment_list, is_even=True)
    assert look(contest).outcome == Contest.Outcome.SPENT  # the judgment that is left is half a pair


def test_it_ends_when_nothing_is_left_that_raters_can_judge(scene):
    contest = start(scene, batch_size=10_000, budget=20_000)
    Slot.objects.all().delete()  # as where nobody can judge

    assert look(contest).outcome == Contest.Outcome.EXHAUSTED
    assert contest.outlook["unknown"] == pairs(scene)


def test_one_question_at_a_time(scene):
    first = start(scene)

    with pytest.raises(GoingOnError, match="between old and new are already being added"):
        start(scene)

    assert pairs(scene) == 25
    assert stop_contest(contest=first, at=timezone.now())
    start(scene)


def test_it_is_stopped(scene):
    contest = start(scene)

    assert stop_contest(contest=contest, at=timezone.now())
    assert not stop_contest(contest=contest, at=timezone.now())

    judge_all(scene[0])
    assert look(contest).outcome == Contest.Outcome.STOPPED
    assert pairs(scene) == 25
    told = Act.objects.filter(subject="judging between old and new").order_by("pk")
    assert [(act.verb, act.after) for act in told] == [
        ("created", {"batch size": 25, "budget": 1_000}),
        ("changed", {"outcome": "stopped"}),
    ]


def test_it_goes_with_a_run(scene):
    contest = start(scene)
    delete_run(run=scene[1][1])
    assert not Contest.objects.exists()
    go_on(contest=contest, at=timezone.now())


@pytest.mark.django_db(transaction=True)
class TestByAWorker:
    @pytest.fixture(autouse=True)
    def no_jobs(self):
        forget_jobs()
        yield
        forget_jobs()

    def work(self):
        bring_forward()
        work()

    def tasks_of_free_workers(self):
        """The names of the tasks that workers would begin now, one after the other, while none of them ends."""
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")
            (worker,) = cursor.fetchone()
            while True:
                cursor.execute("SELECT task_name FROM procrastinate_fetch_job_v2(NULL, %s)", [worker])
                (name,) = cursor.fetchone()
                if name is None:
                    return
                yield name

    def test_a_worker_goes_on_until_the_end(self, scene):
        contest = start(scene)
        for _ in range(10):
            judge_all(scene[0])
            self.work()
            contest.refresh_from_db()
            assert jobs().count() == (not contest.outcome)
            if contest.outcome:
                break

        assert contest.outcome == Contest.Outcome.DECIDED
        added = Act.objects.filter(after__contains={SELECTION: TARGETED})
        assert added.count() > 1
        assert set(added.values_list("by_name", flat=True)) <= {scene[2].display_name, ""}

    def test_a_worker_that_dies_is_followed_by_another(self, scene):
        start(scene)
        judge_all(scene[0])
        taken_by_a_dead_worker()
        self.work()

        assert pairs(scene) == 50
        assert jobs().count() == 1

    def test_it_waits_for_an_import_without_a_worker_and_no_import_waits_for_it(self, scene):
        judgment_list = scene[0]
        start(scene)
        judge_all(judgment_list)
        lock = one_at_a_time(judgment_list.query_set_id)
        imports = import_in_background.configure(lock=lock)
        imports.defer(upload_id=str(uuid4()), requested_at="2026-11-27T09:00:00+00:00", seen="", rows=1)
        bring_forward()

        assert list(self.tasks_of_free_workers()) == ["import_upload"]  # though it was asked for later

    @pytest.mark.parametrize("how", ["rater", "archived", "erased"])
    def test_it_ends_with_the_right_of_who_started_it(self, scene, how):
        judgment_list, _, admin = scene
        contest = start(scene)
        judge_all(judgment_list)
        if how == "rater":
            judgment_list.query_set.memberships.filter(user=admin).update(role=Role.RATER)
        elif how == "archived":
            archive_query_set(query_set=judgment_list.query_set, user=admin, at=timezone.now())
        else:
            Contest.objects.update(started_by=None)
        self.work()

        contest.refresh_from_db()
        assert contest.outcome == Contest.Outcome.FAILED
        assert "no longer an engineer or admin" in contest.failure
        assert pairs(scene) == 25
        assert not jobs().exists()

    def test_a_grade_above_the_scale_ends_it_with_what_is_wrong(self, scene):
        contest = start(scene)
        make.make_all_consensus((pair, 9.0) for pair in Pair.objects.all())
        self.work()

        contest.refresh_from_db()
        assert contest.outcome == Contest.Outcome.FAILED
        assert contest.failure.startswith("The grade 9 lies above the top of the scale, 3.")

    def test_a_fault_of_ours_ends_it_in_a_sentence(self, scene, monkeypatch):
        contest = start(scene)

        def broken(**_):
            raise RuntimeError

        monkeypatch.setattr("evaluation.pools.actions.contests.read_deciding_batch", broken)
        self.work()

        contest.refresh_from_db()
        assert contest.outcome == Contest.Outcome.FAILED
        assert contest.failure.startswith("Something went wrong")

    def test_a_second_click_at_the_same_moment_starts_nothing(self, scene):
        refused = []

        def second():
            try:
                start(scene)
            except GoingOnError as error:
                refused.append(str(error))
            finally:
                connection.close()

        thread = Thread(target=second)
        with transaction.atomic():
            start(scene)
            thread.start()
            until(somebody_waits, seconds=20)
        thread.join()

        assert len(refused) == 1
        assert pairs(scene) == 25
