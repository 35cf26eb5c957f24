"""The pages of the log: who did what, filtered, opened, by the page, and as files."""

import csv
import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judgments.content.actions.deleting import delete_query_set
from judgments.lists.actions.lists import set_paused
from judgments.log.actions import acting, record_act
from judgments.models import Act, ApiToken, Document, Verb
from tests import factories as make
from tests.api import Api
from tests.html import html_of
from tests.judgments.judging.actions.scene import NOW, Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(client):
    scene = Scene(queries=1, documents=2, overlap=2, name="First pass")
    scene.admin = make.make_member(scene.query_set, "admin", username="ada")
    client.force_login(scene.admin)
    return scene


@pytest.fixture
def address(scene):
    return reverse("list-log", args=[scene.list.pk])


def subjects(response):
    return [entry.subject for entry in response.context["page"].entries]


def act(scene, subject, verb=Verb.CHANGED, by=None, token=None, **more):
    with acting(by or scene.admin, token and token.pk):
        record_act(verb, subject, judgment_list=scene.list, **more)


def test_an_act_is_a_sentence_with_what_was_before_and_after(client, scene, address):
    act(
        scene,
        "list First pass",
        before={"overlap": 1, "paused": False},
        after={"overlap": 3, "paused": False},
    )

    page = client.get(address)

    assert "<b>ada</b> changed list First pass" in html_of(page)
    assert "Raters per pair" in html_of(page)
    entry = page.context["page"].entries[0]
    assert [(one.name, one.before, one.after) for one in entry.fields] == [("Raters per pair", "1", "3")]
    assert entry.brief == "Raters per pair: 1 → 3"


def test_a_command_is_told_as_such(client, scene, address):
    set_paused(judgment_list=scene.list, paused=True, note="until Monday")

    page = client.get(address)

    assert "<b>Command line</b> paused list First pass" in html_of(page)
    assert "until Monday" in html_of(page)


def test_an_act_of_a_program_names_its_token(client, scene, address):
    api = Api(scene.admin, ending="ab12")
    api.call("put", f"lists/{scene.list.pk}/paused", {"paused": True})
    token = f"API token {api.token} (…ab12)"  # its name is its text

    said = html_of(client.get(address))
    row, _ = csv.DictReader(client.get(address, {"format": "csv"}).getvalue().decode().splitlines())

    assert f"<b>ada</b> (by {token}) paused list First pass" in said
    assert (row["who"], row["token"], row["did"]) == ("ada", token, "paused")


def test_a_token_that_went_with_its_account_has_no_name(client, scene, address):
    act(scene, "list First pass", token=make.make_own_token(scene.admin, name="nightly"))
    act(scene, "list First pass")
    ApiToken.objects.all().delete()

    newest, older, *_ = client.get(address).context["page"].entries

    assert (newest.token, older.token) == ("", "API token of an erased account")


def test_changed_and_withdrawn_answers_stand_in_the_same_stream(client, scene, address):
    rater = make.make_member(scene.query_set, "rater", first_name="Rosa", last_name="Rater")
    first, second = scene.claim(rater, count=2)
    scene.judge(rater, first, 1.0)
    scene.judge(rater, first, 3.0, at=NOW + timedelta(minutes=1), may_replace=True, comment="seen now")
    scene.judge(rater, second, 2.0, at=NOW + timedelta(minutes=2))
    scene.undo(rater, at=NOW + timedelta(minutes=3))
    Document.objects.update(title="Salt <b>good</b> &amp; pepper")

    page = client.get(address, {"group": "judgments"})

    taken_back, changed = page.context["page"].entries
    assert changed.subject.startswith("“Salt good & pepper” for “")
    assert (taken_back.who, taken_back.verb) == ("Rosa Rater", "withdrew the judgment of")
    assert (taken_back.before, taken_back.after) == ({"answer": "Highly relevant"}, {})
    assert changed.before == {"answer": "Related", "comment": ""}
    assert changed.after == {"answer": "Perfectly relevant", "comment": "seen now"}


def test_an_answer_that_is_given_again_is_no_change(client, scene, address):
    rater = scene.rater()
    pair = scene.claim(rater)[0]
    for minutes in (0, 1):
        scene.judge(rater, pair, 1.0, at=NOW + timedelta(minutes=minutes), may_replace=True)

    [entry] = client.get(address, {"group": "judgments"}).context["page"].entries

    assert entry.verb == "gave the same answer again to"
    assert "gave the same answer again to" in html_of(client.get(address))


def test_a_change_that_is_undone_says_what_stands_again(client, scene, address):
    rater = scene.rater()
    pair = scene.claim(rater)[0]
    scene.judge(rater, pair, 1.0)
    scene.judge(rater, pair, 3.0, at=NOW + timedelta(minutes=1), may_replace=True)
    scene.undo(rater, at=NOW + timedelta(minutes=2))

    entries = client.get(address, {"group": "judgments"}).context["page"].entries

    assert [(one.before["answer"], one.after["answer"]) for one in entries] == [
        ("Perfectly relevant", "Related"),
        ("Related", "Perfectly relevant"),
    ]


def test_an_answer_given_anew_after_it_was_taken_back_does_not_follow_it(client, scene, address):
    rater = scene.rater()
    pair = scene.claim(rater)[0]
    scene.judge(rater, pair, 1.0)
    scene.undo(rater, at=NOW + timedelta(minutes=1))
    scene.judge(rater, pair, 2.0, at=NOW + timedelta(minutes=2))

    entries = client.get(address, {"group": "judgments"}).context["page"].entries

    assert [(one.before, one.after) for one in entries] == [({"answer": "Related"}, {})]


def test_a_page_leads_to_the_next_without_a_gap_or_a_line_twice(client, scene, address):
    Act.objects.bulk_create(
        Act(
            query_set=scene.query_set,
            judgment_list=scene.list,
            at=NOW + timedelta(minutes=number),
            verb="changed",
            subject=f"act {number}",
        )
        for number in range(120)
    )
    subject_lines, search = [], ""
    while search is not None:
        page = client.get(f"{address}?text=act&{search}")
        subject_lines += subjects(page)
        older = page.context["page"].older
        search = f"before={older}" if older else None

    assert subject_lines == [f"act {number}" for number in reversed(range(120))]
    assert "Newest" in html_of(page)


def test_filters_leave_what_was_asked_for(client, scene, address):
    act(scene, "list First pass")
    act(scene, "version 1 of list First pass", Verb.FROZEN, by=make.make_user(first_name="Grace"))

    assert subjects(client.get(address, {"group": "grades"})) == ["version 1 of list First pass"]
    assert subjects(client.get(address, {"person": "grace"})) == ["version 1 of list First pass"]
    assert subjects(client.get(address, {"text": "VERSION 1"})) == ["version 1 of list First pass"]
    assert len(subjects(client.get(address, {"person": "ada"}))) == 1


def test_a_command_is_found_by_its_name(client, scene, address):
    act(scene, "list First pass")

    subject_lines = subjects(client.get(address, {"person": "command"}))

    assert subject_lines == ["list First pass"]
    assert client.get(address, {"person": "command"}).context["page"].entries[0].who == "Command line"


def test_changes_of_judgments_are_filtered_too(client, scene, address):
    rosa = make.make_member(scene.query_set, "rater", username="rosa")
    emil = make.make_member(scene.query_set, "rater", username="emil")
    for rater in (rosa, emil):
        pair = scene.claim(rater)[0]
        scene.judge(rater, pair, 1.0)
        scene.judge(rater, pair, 2.0, at=NOW + timedelta(days=1), may_replace=True)

    def who(**filters):
        page = client.get(address, {"group": "judgments"} | filters).context["page"]
        return sorted(entry.who for entry in page.entries)

    day, next_day = (str((NOW + timedelta(days=days)).date()) for days in (1, 2))
    assert who(person="ros") == ["rosa"]
    assert who(person="%") == who(person="_") == who(text="\\") == []
    assert who(since=day, until=day) == ["emil", "rosa"]
    assert who(since=next_day) == who(until=str(NOW.date())) == []
    assert who(text=scene.list.pairs.first().query.text) == ["emil", "rosa"]


def test_days_are_included_from_the_first_to_the_last(client, scene, address):
    act(scene, "list First pass")
    today = timezone.localdate()

    assert subjects(client.get(address, {"since": today, "until": today, "text": "First"}))
    assert not subjects(client.get(address, {"until": today - timedelta(days=1)}))
    assert not subjects(client.get(address, {"since": today + timedelta(days=1)}))
    assert subjects(client.get(address, {"until": "9999-12-31", "text": "First"}))


def test_a_filter_that_cannot_be_read_is_refused_and_says_so(client, scene, address):
    act(scene, "list First pass")

    page = client.get(address, {"since": "yesterday", "group": "nothing", "before": "x"})

    assert page.status_code == 422
    assert "Enter a day as year, month and day" in html_of(page)
    assert "list First pass" in subjects(page)


def test_the_log_of_a_query_set_has_all_its_lists_and_can_show_one(client, scene):
    other = make.make_list(scene.query_set, name="Second pass")
    act(scene, "list First pass")
    set_paused(judgment_list=other, paused=True)
    address = reverse("query-set-log", args=[scene.query_set.pk])

    everything = client.get(address)
    one = client.get(address, {"list": other.pk})

    assert {"list First pass", "list Second pass"} <= set(subjects(everything))
    assert subjects(one) == ["list Second pass"]
    assert reverse("list", args=[other.pk]) in html_of(one)


def test_what_an_act_is_about_is_linked_while_it_is_there(client, scene, address):
    pair = scene.list.pairs.first()
    gone = make.make_query(scene.query_set)
    act(scene, "a pair", query=pair.query, document=pair.document)
    act(scene, "a query that goes", query=gone)
    gone.delete()

    page = client.get(address)

    assert reverse("query", args=[pair.query_id]) in html_of(page)
    assert reverse("document", args=[pair.document_id]) in html_of(page)
    assert page.context["page"].entries[0].query is None


def test_an_empty_log_says_so_and_an_empty_answer_too(client, scene):
    fresh = make.make_list(scene.query_set, name="Fresh")
    address = reverse("list-log", args=[fresh.pk])

    assert "No changes yet" in html_of(client.get(address))
    assert "No matching entries" in html_of(client.get(address, {"text": "nowhere"}))


def test_the_log_as_csv_has_every_line_that_the_filters_leave(client, scene, address):
    act(scene, "=list", before={"overlap": 1}, after={"overlap": 2})
    act(scene, "other", note="why")

    response = client.get(address, {"format": "csv", "text": "list"})

    assert response["Content-Disposition"] == 'attachment; filename="log-first-pass.csv"'
    rows = list(csv.DictReader(response.getvalue().decode().splitlines()))
    row = next(row for row in rows if row["subject"] == "'=list")
    assert (row["who"], row["did"], row["list"]) == ("ada", "changed", "First pass")
    assert (row["before"], row["after"], row["note"]) == ('{"overlap": 1}', '{"overlap": 2}', "")
    assert "other" not in {row["subject"] for row in rows}


def test_the_log_as_json_lines_is_read_in_parts(client, scene, address, monkeypatch):
    monkeypatch.setattr("judgments.log.reports.log.CHUNK", 2)
    for number in range(5):
        act(scene, f"act {number}", after={"number": number})

    response = client.get(address, {"format": "jsonl", "text": "act"})

    records = [json.loads(line) for line in response.getvalue().decode().splitlines()]
    assert [record["after"] for record in records] == [{"number": number} for number in (4, 3, 2, 1, 0)]


def test_the_site_log_keeps_what_is_said_of_a_deleted_query_set(client, scene):
    client.force_login(make.make_user("site", is_superuser=True))
    act(scene, "list First pass", Verb.PAUSED)
    there = client.get(reverse("site-log"))

    delete_query_set(query_set=scene.query_set, confirmed_name=scene.query_set.name)
    gone = client.get(reverse("site-log"))

    assert scene.query_set.name in html_of(there)
    assert "list First pass" in subjects(gone)
    assert all(entry.query_set is None for entry in gone.context["page"].entries)
    file = client.get(reverse("site-log"), {"format": "csv"})
    assert file["Content-Disposition"].endswith('"log.csv"')
    assert file.getvalue().decode().splitlines()[0].endswith("query_set")


def test_only_admins_are_shown_the_tab(client, scene):
    address = reverse("list", args=[scene.list.pk])
    engineer = make.make_member(scene.query_set, "engineer")

    as_admin = html_of(client.get(address))
    client.force_login(engineer)
    as_engineer = html_of(client.get(address))

    assert reverse("list-log", args=[scene.list.pk]) in as_admin
    assert reverse("list-log", args=[scene.list.pk]) not in as_engineer


def test_a_full_page_costs_no_more_statements_than_one_line(client, scene, address):
    costs = []
    for count in (1, 60):
        for number in range(count):
            pair = scene.list.pairs.first()
            token = make.make_own_token(scene.admin)
            act(
                scene,
                f"act {number}",
                token=token,
                query=pair.query,
                document=pair.document,
                after={"n": number},
            )
        with CaptureQueriesContext(connection) as context:
            client.get(address)
        costs.append(len(context))

    assert costs[0] == costs[1] <= 15


def test_a_text_that_is_kept_in_part_says_so(client, scene, address):
    begins = "x" * 300 + "…"
    act(scene, "query q1", before={"weight": 1.0, "text": begins}, after={"weight": 2.0, "text": begins})

    kept_in_part = html_of(client.get(address))

    # Of two equal values the log keeps nothing; an import compares the texts themselves.
    assert "changed further below" not in kept_in_part
    Act.objects.create(
        query_set=scene.query_set,
        judgment_list=scene.list,
        at=timezone.now(),
        verb=Verb.CHANGED,
        subject="q2",
        before={"text": begins},
        after={"text": begins},
    )
    page = html_of(client.get(address))
    assert "changed further below" in page
    assert "Long texts are shortened" in page
