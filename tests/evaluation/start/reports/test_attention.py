"""What needs attention, on the first page of a query set and on Home."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Run
from judgments.models import ConsensusGrade, Deletion, Draft, JudgmentList, Purpose, Upload
from tests import factories as make
from tests.evaluation.scored import evaluate, make_grades, make_ranking, queries_of, text_of

pytestmark = pytest.mark.django_db

FACTS = {"purpose": Purpose.QUERIES, "size": 1, "sha256": ""}


def page_of(user, query_set=None):
    client = Client()
    client.force_login(user)
    return client.get(reverse("query-set", args=[query_set.pk]) if query_set else reverse("home"))


def on_home(user):
    """Query set, subject and sentence of each line."""
    notices = page_of(user).context["home"]["attention"].shown
    return [(one.query_set, one.about, one.text) for one in notices]


def on_overview(user, query_set):
    notices = page_of(user, query_set).context["notices"]
    return [(one.query_set, one.about, one.text) for one in notices]


def make_undecided(judgment_list, number, value=None):
    """So many pairs on which raters differ, and whose tie is left to an admin unless there is a value."""
    query = make.make_query(judgment_list.query_set)
    for place in range(number):
        document = make.make_document(judgment_list.query_set)
        pair = make.make_pair(judgment_list, query, document)
        make.make_consensus(pair, value, undecided=value is None, spread=1 + place, answers=2)


def make_half_judged(query_set, **fields):
    """A list whose newest run has an unjudged document on its page."""
    judgment_list = make.make_list(query_set, **fields)
    query = make.make_query(query_set)
    make_grades(judgment_list, query, {"a": 3})
    run = make.make_run(query_set, name=f"newest of {judgment_list}")
    make_ranking(run, query, ["a", "unknown"])
    evaluate(run, judgment_list)
    return judgment_list


@pytest.fixture
def shop():
    return make.make_query_set(name="Shop")


@pytest.mark.parametrize("role", ["engineer", "admin"])
def test_home_says_what_the_first_pages_of_the_query_sets_say(shop, role):
    library = make.make_query_set(name="Library")
    user = make.make_member(shop, role)
    library.memberships.create(user=user, role=role)
    make_half_judged(shop, name="First pass")
    make.make_list(library, name="Empty", paused=True)
    make.make_query(library)

    expected = [
        ("Library", "Empty", "Judging is paused."),
        ("Library", "Empty", "It has no pairs to judge yet."),
        (
            "Shop",
            "First pass",
            "newest of First pass, the newest run, is provisional: 86.1 % of the weight of its pages is judged.",
        ),
    ]

    assert on_home(user) == expected
    assert on_overview(user, library) + on_overview(user, shop) == expected


def test_each_line_names_its_query_set_and_has_one_link(shop):
    user = make.make_member(shop, "engineer")
    judgment_list = make_half_judged(shop, name="First pass")

    section = text_of(page_of(user)).split("Needs attention</h2>")[1].split("</section>")[0]

    assert section.count("<li>") == section.count("<a ") == 1
    assert "Shop" in section
    assert "First pass" in section
    assert f'href="{reverse("list-pairs", args=[judgment_list.pk])}' in section


def test_raters_and_strangers_see_none_of_it(shop):
    make_half_judged(shop)
    for user in (make.make_member(shop, "rater"), make.make_user()):
        page = page_of(user)
        assert "attention" not in page.context["home"]
        assert "Needs attention" not in text_of(page)
    assert on_home(make.make_member(make.make_query_set(), "admin")) == []


def test_where_all_is_well_there_is_no_heading(shop):
    make_grades(make.make_list(shop), make.make_query(shop), {"d": 3})

    page = page_of(make.make_member(shop, "admin"))

    assert page.context["home"]["attention"].shown == []
    assert "Needs attention" not in text_of(page)


def test_an_archived_query_set_asks_for_nothing(shop):
    user = make.make_member(shop, "admin")
    make_half_judged(shop)
    Upload.objects.create(user=user, query_set=shop, name="waits.csv", **FACTS)
    make_undecided(make.make_list(shop, tie="adjudicate"), 1)
    Upload.objects.create(
        user=make.make_user(), query_set=shop, name="x", failure="It broke.", **FACTS | {"purpose": "run"}
    )
    shop.archived_at = make.NOW
    shop.save()

    assert on_home(user) == []


def test_admins_are_told_of_pairs_without_grade_until_they_decide(shop):
    decided = make.make_list(shop, name="By median")
    left = make.make_list(shop, name="Left to admins", tie="adjudicate")
    one = make.make_list(shop, name="One", tie="adjudicate")
    make_undecided(left, 3)
    make_undecided(one, 1)
    make_undecided(decided, 1, value=2)
    for judgment_list in (decided, left, one):
        for query in shop.queries.all():
            judgment_list.list_queries.get_or_create(
                query=query,
                query_set=shop,
                defaults={"position": 100 + query.pk, "pair_count": 1},
            )
        judgment_list.list_queries.update(pair_count=1)
    admin = make.make_member(shop, "admin")

    expected = [
        ("Shop", "Left to admins", "3 pairs have no grade until an admin decides."),
        ("Shop", "One", "1 pair has no grade until an admin decides."),
    ]
    assert sorted(on_home(admin)) == on_overview(admin, shop) == expected
    assert on_home(make.make_member(shop, "engineer")) == []
    notice = page_of(admin, shop).context["notices"][0]
    assert notice.url == reverse("list-disagreements", args=[left.pk]) + "?show=undecided"
    client = Client()
    client.force_login(admin)
    assert len(client.get(notice.url).context["page"].rows) == 3
    ConsensusGrade.objects.filter(undecided=True).update(value=1, undecided=False)
    assert on_home(admin) == []


def test_many_pairs_are_not_counted_to_the_end(shop, monkeypatch):
    monkeypatch.setattr("judgments.agreement.reports.disagreements.MOST_COUNTED", 2)
    make_undecided(make.make_list(shop, tie="adjudicate"), 4)

    assert [text for *_, text in on_home(make.make_member(shop, "admin"))] == [
        "More than 2 pairs have no grade until an admin decides."
    ]


def test_jobs_that_failed_lately_are_counted_for_those_who_see_them(shop):
    admin, engineer = make.make_member(shop, "admin"), make.make_member(shop, "engineer")
    common = {"query_set": shop, "failure": "It broke."}
    at = timezone.now()
    for days, name in ((1, "new.trec"), (8, "old.trec")):
        run = Upload.objects.create(user=engineer, name=name, **common, **FACTS | {"purpose": Purpose.RUN})
        Upload.objects.filter(pk=run.pk).update(created_at=at - timedelta(days=days))
        Deletion.objects.create(
            **common,
            kind="runs",
            keys=[days],
            subject=name,
            user=admin,
            requested_at=at - timedelta(days=days),
        )
        batch = make.make_batch(make_half_judged(shop) if days == 1 else shop.judgment_lists.get())
        batch.failure, batch.at = "It broke.", at - timedelta(days=days)
        batch.save()
    for fields in ({"failure": "It was cancelled."}, {"failure": ""}, {"requested_at": at, "failure": "x"}):
        Upload.objects.create(
            user=engineer, query_set=shop, name="fine", **FACTS | {"purpose": "run"} | fields
        )

    def failed(found):
        return [one for one in found if "failed" in one[2]]

    assert failed(on_home(admin)) == [("Shop", "Jobs", "3 jobs failed in the last 7 days.")]
    assert failed(on_overview(admin, shop)) == failed(on_home(admin))
    assert failed(on_home(engineer)) == []
    own = [("Shop", "new.trec", "Not stored: It broke."), ("Shop", "old.trec", "Not stored: It broke.")]
    assert sorted(on_home(engineer)[:2]) == own
    assert [one for one in own if one not in on_overview(engineer, shop)] == []
    assert page_of(admin).context["home"]["attention"].shown[0].url == f"/query-sets/{shop.pk}/jobs/"


def test_a_query_set_that_could_not_be_deleted_is_named_to_who_asked(shop):
    admin = make.make_user(is_superuser=True)
    make.make_query_set(name="Other")
    gone = make.make_query_set(name="Gone", being_deleted=True, archived_at=make.NOW)
    Deletion.objects.create(
        query_set=gone,
        kind="query-set",
        keys=[gone.pk],
        subject="query set Gone",
        user=admin,
        requested_at=timezone.now(),
        failure="It broke.",
    )

    assert on_home(admin) == [("", "query set Gone", "1 job failed in the last 7 days.")]
    assert page_of(admin).context["home"]["attention"].shown[0].url == "/jobs/"


def test_own_files_and_drafts_wait_for_a_decision(shop):
    admin, other = make.make_member(shop, "admin"), make.make_member(shop, "admin")
    for user, name in ((admin, "waits.csv"), (other, "foreign.csv")):
        Upload.objects.create(user=user, query_set=shop, name=name, **FACTS)
        draft = Draft.objects.create(user=user, name=f"Draft of {name}")
        Upload.objects.create(user=user, draft=draft, name=name, **FACTS)
    Draft.objects.create(user=admin, name="Without files")
    failed = Draft.objects.create(user=admin, name="Failed", failure="It broke.")
    Upload.objects.create(user=admin, draft=failed, name="one.csv", **FACTS)

    assert sorted(on_home(admin)) == [
        ("", "Draft of waits.csv", "A new evaluation that you haven’t finished."),
        ("", "Failed", "A new evaluation that wasn’t made: It broke."),
        ("Shop", "waits.csv", "Uploaded, but not imported yet."),
    ]
    assert on_home(admin)[0][1] == "Failed"
    assert page_of(admin).context["home"]["attention"].shown[0].url == f"/new/{failed.pk}/"
    assert on_overview(admin, shop) == [("Shop", "waits.csv", "Uploaded, but not imported yet.")]


def test_a_file_that_was_uploaded_again_is_one_line(shop):
    """Of several refusals the newest is named, and none once the runs are stored. What waits stays, and so does another's file or list."""
    admin, other = make.make_member(shop, "admin"), make.make_member(shop, "admin")
    lists = [make.make_list(shop, name=name) for name in ("One", "Two")]
    run = FACTS | {"purpose": Purpose.RUN, "query_set": shop}
    for failure in ("No query is known.", "Line 3 has no score."):
        Upload.objects.create(user=admin, name="new.trec", failure=failure, **run)
    Upload.objects.create(user=other, name="new.trec", failure="It is empty.", **run)
    for judgment_list, failure in ((lists[0], "It stopped."), (lists[0], ""), (lists[0], ""), (lists[1], "")):
        facts = FACTS | {"purpose": Purpose.JUDGMENTS, "query_set": shop, "judgment_list": judgment_list}
        Upload.objects.create(user=admin, name="grades.csv", failure=failure, **facts)

    def lines():
        return [(about, text) for _, about, text in on_home(admin) if about.endswith((".trec", ".csv"))]

    waits = ("grades.csv", "Uploaded, but not imported yet.")
    assert lines() == [("new.trec", "Not stored: Line 3 has no score."), waits, waits, waits]

    make.make_run(shop, name="new", file_name="new.trec", uploaded_by=other)
    assert len(lines()) == 4
    make.make_run(shop, name="newer", file_name="new.trec", uploaded_by=admin)
    assert lines() == [waits, waits, waits]


def test_six_lines_are_shown_and_the_rest_counted_where_it_is(shop):
    library = make.make_query_set(name="Library")
    user = make.make_user(is_superuser=True)
    for number in range(5):
        make.make_list(shop, name=f"List {number}")
        make.make_list(library, name=f"List {number}", paused=number > 2)

    page = page_of(user)
    text = text_of(page)

    attention = page.context["home"]["attention"]
    assert len(attention.shown) == 6
    assert [(one.name, one.notices) for one in attention.more] == [("Library", 3), ("Shop", 3)]
    links = [f'<a href="/query-sets/{one.pk}/">{one}</a>' for one in (library, shop)]
    assert f"6 more: 3 in {links[0]} and 3 in {links[1]}." in text


def test_of_many_query_sets_the_sentence_names_a_few():
    user = make.make_user(is_superuser=True)
    for number in range(12):
        make.make_list(make.make_query_set(name=f"Set {number:02}"))

    text = text_of(page_of(user))

    assert "6 more: 1 in" in text
    assert 'and 3 in <a href="/query-sets/">other query sets</a>.' in text


def test_where_there_are_more_lists_than_are_looked_at_home_says_so(monkeypatch):
    user = make.make_user(is_superuser=True)
    shop = make.make_query_set()
    for _ in range(2):
        make.make_list(shop)
    said = "Only your 2 newest lists are looked at."

    monkeypatch.setattr("evaluation.start.reports.home.MOST_LISTS", 2)
    assert said not in text_of(page_of(user))
    make.make_list(shop)
    page = page_of(user)

    assert said in text_of(page)
    assert len(page.context["home"]["attention"].shown) == 2


def test_it_costs_the_same_however_many_query_sets_and_lists_there_are(shop):
    user = make.make_user(is_superuser=True)
    make_undecided(make.make_list(shop, tie="adjudicate"), 1)
    client = Client()
    client.force_login(user)
    home, overview = reverse("home"), reverse("query-set", args=[shop.pk])
    few = queries_of(client, home), queries_of(client, overview)
    for number in range(8):
        other = make.make_query_set(name=f"Set {number}")
        for query_set in (other, shop):
            make_undecided(make_half_judged(query_set, tie="adjudicate"), 1)
            Upload.objects.create(user=user, query_set=query_set, name="waits.csv", **FACTS)
            Draft.objects.create(user=user, name=f"Draft {number}")
            runs = [make.make_run(query_set) for _ in range(2)]
            make.make_contest(query_set.judgment_lists.latest("pk"), *runs, outcome="", ended_at=None)

    assert (queries_of(client, home), queries_of(client, overview)) == few
    assert few[0] <= 13
    assert Run.objects.exists()
    assert JudgmentList.objects.count() > 16
