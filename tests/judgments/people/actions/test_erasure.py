"""Erasing somebody's personal data: no name stays in any table, and no figure changes."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from judgments.agreement.actions.adjudication import adjudicate, exclude_rater, include_rater
from judgments.agreement.reports.agreement import agreement, steps_of
from judgments.base.names import NameTakenError
from judgments.content.actions.query_sets import archive_query_set
from judgments.files.actions.uploads import keep_upload
from judgments.lists.actions.versions import freeze_version
from judgments.lists.reports.version_checks import grades_problems, problems_in_log
from judgments.log.actions import acting
from judgments.models import Act, ConsensusGrade, Judgment, JudgmentHistory, Purpose, Rater, Upload, User
from judgments.people.actions import erasure, invitations, members, site_administration, tokens
from judgments.people.actions.accounts import AccountErasedError, create_account
from judgments.people.actions.erasure import erase_person
from judgments.people.reports.erasure import preview
from judgments.raters.actions.assignments import assign, unassign
from tests import factories as make
from tests.judgments.judging.actions.scene import Scene
from tests.signing_in import really_sign_in

pytestmark = pytest.mark.django_db
AT = make.NOW + timedelta(hours=1)
NAMES = ("kimberley", "Lindqvist", "kim@example.org", "kimmy")


def tables():
    """Each row of each table, as text."""
    rows = []
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            cursor.execute(f'SELECT to_jsonb(one)::text FROM "{table}" one')  # noqa: S608
            rows += [f"{table}: {text}" for (text,) in cursor.fetchall()]
    return rows


def naming(*names):
    return [row for row in tables() if any(name in row for name in names)]


@pytest.fixture
def site():
    return make.make_user("site", is_superuser=True, is_staff=True)


@pytest.fixture
def scene(site, client):
    """Two raters' judgments, one changed, a decision and a version; and whatever else can name Kim."""
    scene = Scene(queries=2, documents=2, overlap=2, tie="adjudicate")
    scene.pairs = list(scene.list.pairs.order_by("pk"))
    with acting(site):
        scene.kim = create_account(username="kimmy", password="a long password")
        scene.kim.username, scene.kim.first_name = "kimberley", "Kim"
        scene.kim.last_name, scene.kim.email = "Lindqvist", "kim@example.org"
        site_administration.save_account(user=scene.kim)
        membership = members.add_member(query_set=scene.query_set, user=scene.kim, role="rater")
        members.change_role(membership=membership, role="admin")
        assign(judgment_list=scene.list, user=scene.kim)
        assign(judgment_list=scene.list, user=scene.kim, quota=9)
        unassign(judgment_list=scene.list, user=scene.kim, at=make.NOW)
        assign(judgment_list=scene.list, user=scene.kim)
        members.add_member(query_set=scene.query_set, user=site, role="admin")
    other = scene.rater()
    with acting(scene.kim):
        for place, pair in enumerate(scene.pairs):
            scene.judge(scene.kim, pair.pk, value=place % 3, comment=f"Kim thinks {place}")
            scene.judge(other, pair.pk, value=(place + 1) % 3, comment="Somebody else")
        scene.judge(scene.kim, scene.pairs[0].pk, value=2, comment="Kim changed her mind")
        adjudicate(
            judgment_list=scene.list,
            pair_id=scene.pairs[1].pk,
            value=3,
            cause="slip",
            user=scene.kim,
            at=make.NOW,
        )
        invitations.invite(
            query_set=scene.query_set, role="rater", days=3, uses_most=1, at=make.NOW, user=scene.kim
        )
        tokens.create_token(user=scene.kim, name="build", scope="read", query_set=None, days=3, at=make.NOW)
        scene.version = freeze_version(judgment_list=scene.list, user=scene.kim)
        file = ContentFile(b"query,text\nq9,Of Kim\n", name="kimberley.csv")
        keep_upload(query_set=scene.query_set, user=scene.kim, purpose=Purpose.QUERIES, file=file)
    with acting(site):
        rater = Rater.objects.get(user=scene.kim)
        exclude_rater(judgment_list=scene.list, rater=rater, user=site, at=make.NOW)
        include_rater(judgment_list=scene.list, rater=rater, user=site, at=make.NOW)
        site_administration.save_password(user=scene.kim)
    really_sign_in(client, scene.kim)
    client.get("/accounts/")
    LogEntry.objects.create(
        user=site,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(scene.kim.pk),
        object_repr="kimberley",
        action_flag=CHANGE,
        change_message="Kim Lindqvist",
    )
    return scene


def figures(scene):
    """What the judgments say: each of them, the grades, the agreement, the version and what the log says of it."""
    scene.version.refresh_from_db()
    facts = ("pk", "pair", "rater", "value", "reason", "created_at", "updated_at", "method", "active_ms")
    return {
        "judgments": list(Judgment.objects.order_by("pk").values_list(*facts)),
        "history": list(
            JudgmentHistory.objects.order_by("pk").values_list("pk", "rater", "value", "answered_at")
        ),
        "grades": list(ConsensusGrade.objects.order_by("pair").values_list("pair", "value", "judgments")),
        "agreement": agreement(scene.list, steps_of(scene.list.scale)).headline,
        "hash": scene.version.sha256,
        "problems": grades_problems(scene.version) + problems_in_log(scene.list),
    }


def test_no_name_stays_in_any_table_and_no_figure_changes(scene, site):
    before = figures(scene)
    assert len(naming(*NAMES)) > 15
    assert before["agreement"] is not None

    with acting(site):
        erased = erase_person(user=scene.kim, blank_comments=True, at=AT)

    assert not Upload.objects.exists()
    assert naming(*NAMES) == []
    assert figures(scene) == before
    assert before["problems"] == []
    erased.refresh_from_db()
    assert (erased.username, erased.is_active, erased.email) == (f"erased-{erased.pk}", False, "")
    assert not erased.has_usable_password()
    assert Rater.objects.get(user=erased).display_name == erased.username
    assert scene.version.frozen_by_name == erased.username


def test_the_log_says_the_same_about_the_pseudonym(scene, site):
    facts = ("pk", "query_set", "judgment_list", "at", "by", "verb")
    before = list(Act.objects.order_by("pk").values_list(*facts))
    name = f"erased-{scene.kim.pk}"

    with acting(site):
        erase_person(user=scene.kim, blank_comments=False, at=AT)

    lines = Act.objects.order_by("pk")
    assert list(lines.values_list(*facts))[: len(before)] == before
    subjects = {(one.verb, one.subject) for one in lines}
    assert {
        ("changed", f"account {name}"),
        ("changed", f"the password of account {name}"),
        ("member-added", name),
        ("role-changed", name),
        ("assigned", f"{name} to list {scene.list}"),
        ("changed", f"the quota of {name} in list {scene.list}"),
        ("unassigned", f"{name} off list {scene.list}"),
        ("rater-excluded", f"rater {name}"),
        ("rater-included", f"rater {name}"),
        ("member-removed", name),
        ("erased", f"the personal data of {name}"),
    } <= subjects
    assert {one.by_name for one in lines.filter(by=scene.kim)} == {name}
    assert {one.by_name for one in lines.filter(verb="erased")} == {"site"}
    [renamed] = lines.filter(verb="changed", subject=f"account {name}")
    assert (renamed.before["username"], renamed.after["username"]) == (name, name)


def test_the_preview_counts_the_lines_that_the_erasure_changes(scene, site):
    expected = preview(scene.kim)

    with acting(site):
        erase_person(user=scene.kim, blank_comments=True, at=AT)

    assert Act.objects.get(verb="erased").after == {"lines of the log": expected.lines}
    assert (expected.judgments, expected.earlier_answers, expected.comments) == (4, 1, 5)
    assert (expected.tokens, expected.invitations, expected.sessions) == (1, 1, 1)
    assert preview(scene.kim).lines == 0


@pytest.mark.parametrize("blank", [True, False])
def test_comments_go_or_stay(scene, blank):
    erase_person(user=scene.kim, blank_comments=blank, at=AT)

    mine = [*Judgment.objects.filter(rater__user=scene.kim), *JudgmentHistory.objects.all()]
    assert {bool(one.comment) for one in mine} == {not blank}
    assert set(Judgment.objects.exclude(rater__user=scene.kim).values_list("comment", flat=True)) == {
        "Somebody else"
    }


def test_open_sessions_end(scene, client):
    assert client.get("/accounts/").status_code == 200

    erase_person(user=scene.kim, blank_comments=True, at=AT)

    assert client.get("/accounts/").status_code == 302
    assert naming(client.session.session_key or "no session") == []


def test_nobody_gets_the_name_that_became_free(scene, site):
    erase_person(user=scene.kim, blank_comments=True, at=AT)

    for name in ("kimberley", "KIMBERLEY", "kimmy", "ｋimberley", "erased-1", f"Erased-{scene.kim.pk}"):
        with pytest.raises(NameTakenError):
            create_account(username=name, password="a long password")
        with pytest.raises(NameTakenError):
            site_administration.save_account(user=User(username=name))
    with pytest.raises(CommandError, match="taken already"):
        call_command("createsuperuser", username="kimberley", email="", interactive=False)
    assert not User.objects.filter(username__iexact="kimberley").exists()


def test_the_preview_reads_only_lines_about_the_account(scene, site):
    """Of a log of a million lines, it would else read each."""
    with acting(site):
        query = scene.query_set.queries.first()
        others = [
            Act(at=AT, verb="changed", subject=f"query q{n}", query_set=scene.query_set, query=query)
            for n in range(5_000)
        ]
        others += [
            Act(at=AT, verb="created", subject=f"list {n}", by=site, by_name="site") for n in range(5_000)
        ]
        Act.objects.bulk_create(others)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judgments_act")
        cursor.execute(
            "SET LOCAL enable_seqscan = off"
        )  # a table of these few rows is read as fast as its index

    before = _lines_read()
    preview(scene.kim)

    assert _lines_read() - before < 300


def _lines_read():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'judgments_act'"
        )
        return cursor.fetchone()[0]


def test_lines_about_somebody_with_the_same_name_stay(scene, site):
    """Only what the person did themselves can be told apart from what concerns the other one."""
    namesake = make.make_user("other", first_name="Kim", last_name="Lindqvist")
    with acting(namesake):
        members.add_member(query_set=scene.query_set, user=make.make_user("third"), role="rater")
    assert preview(scene.kim).shared_names == ["Kim Lindqvist"]

    erase_person(user=scene.kim, blank_comments=True, at=AT)

    assert Act.objects.filter(subject=f"Kim Lindqvist to list {scene.list}").exists()
    assert set(Act.objects.filter(by=namesake).values_list("by_name", flat=True)) == {"Kim Lindqvist"}
    assert set(Act.objects.filter(by=scene.kim).values_list("by_name", flat=True)) == {
        f"erased-{scene.kim.pk}"
    }


def test_only_the_place_of_a_name_is_replaced(site):
    """A username may be a word that the log uses for other things."""
    user = make.make_user("list")
    query_set = make.make_query_set(name="list")
    with acting(site):
        members.add_member(query_set=query_set, user=user, role="rater")
        site_administration.save_account(user=user)
    query_set_line = Act.objects.create(
        verb="created", subject="query set list", at=make.NOW, after={"name": "list"}
    )

    erase_person(user=user, blank_comments=True, at=AT)

    query_set_line.refresh_from_db()
    assert (query_set_line.subject, query_set_line.after) == ("query set list", {"name": "list"})
    assert Act.objects.get(verb="member-added").subject == f"erased-{user.pk}"


def test_an_archived_query_set_loses_the_name_too(scene, site):
    archive_query_set(query_set=scene.query_set, user=site, at=make.NOW)

    erase_person(user=scene.kim, blank_comments=True, at=AT)

    assert naming(*NAMES) == []
    assert not scene.query_set.memberships.filter(user=scene.kim).exists()


def test_an_erased_account_stays_erased(scene, site):
    erased = erase_person(user=scene.kim, blank_comments=True, at=AT)

    with pytest.raises(AccountErasedError):
        erase_person(user=erased, blank_comments=True, at=AT)
    erased.is_active = True
    with pytest.raises(AccountErasedError):
        site_administration.save_account(user=erased)
    with pytest.raises(IntegrityError, match="erased_account_is_inactive"), transaction.atomic():
        erased.save()


def test_who_cannot_be_erased(site):
    with pytest.raises(erasure.LastSiteAdministratorError):
        erase_person(user=site, blank_comments=True, at=AT)
    second = make.make_user("second", is_superuser=True)
    with acting(site), pytest.raises(erasure.OwnAccountError):
        erase_person(user=site, blank_comments=True, at=AT)
    User.objects.filter(pk=second.pk).update(username=f"erased-{site.pk}")
    with pytest.raises(erasure.PseudonymTakenError):
        erase_person(user=site, blank_comments=True, at=AT)
    site.refresh_from_db()
    assert (site.username, site.is_active) == ("site", True)


def test_the_command_shows_first_and_erases_with_yes(scene, capsys):
    call_command("erase_person", "kimberley")

    shown = capsys.readouterr().out
    assert "4 judgments" in shown
    assert "Nothing was changed" in shown
    assert User.objects.filter(username="kimberley").exists()

    call_command("erase_person", "kimberley", "--yes")

    assert f"The account is now erased-{scene.kim.pk}" in capsys.readouterr().out
    assert naming(*NAMES) == []
    with pytest.raises(CommandError, match="no active account"):
        call_command("erase_person", "kimberley", "--yes")
