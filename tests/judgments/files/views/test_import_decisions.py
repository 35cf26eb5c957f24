"""Decisions go from one list to its copy: by page, by command and by call, or say in which line they can't."""

import csv
from datetime import timedelta
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from judgments.agreement.actions.adjudication import withdraw_adjudication
from judgments.models import (
    Act,
    Adjudication,
    Batch,
    ConsensusGrade,
    Document,
    JudgmentList,
    Query,
    Slot,
    Verb,
)
from tests import factories as make
from tests.api import Api
from tests.judgments.agreement.decisions import decide
from tests.judgments.agreement.views.disputed import disputed

pytestmark = pytest.mark.django_db

HEAD = "query_id,document_id,decided_grade,cause,note,decided_at\n"


@pytest.fixture
def scene(client):
    """Two pairs are decided, one of them twice; another decision is withdrawn. A copy of the list has the judgments only."""
    scene = disputed(client)
    scene.copy = make.make_list(scene.query_set, overlap=3, tie="adjudicate", name="Copy")
    file = client.get(reverse("list-export", args=[scene.list.pk]), {"format": "touchstone"})
    url = send(client, scene.copy, file.getvalue().decode(), name="judgments.csv")
    assert client.post(url, {"action": "import"}).status_code == 302
    decide(scene, scene.wide, value=1, cause="query", note="first")
    decide(scene, scene.wide, value=3, cause="guidelines", note="=1+1")
    decide(scene, scene.unclear, value=0, cause="document")
    decide(scene, scene.near, value=0)
    withdraw_adjudication(judgment_list=scene.list, pair_id=scene.near.pk, user=scene.admin, at=make.NOW)
    return scene


def export(client, judgment_list):
    return client.get(reverse("decisions-file", args=[judgment_list.pk])).getvalue().decode()


def send(client, judgment_list, content, name="decisions.csv"):
    file = SimpleUploadedFile(name, content.encode())
    return client.post(reverse("import-judgments", args=[judgment_list.pk]), {"file": file})["Location"]


def grades(judgment_list):
    rows = ConsensusGrade.objects.filter(judgment_list=judgment_list)
    return set(rows.values_list("query__external_id", "document__external_id", "value", "judgments"))


def standing_rows(text):
    return [row for row in csv.DictReader(StringIO(text)) if not row["withdrawn_at"]]


def sentences(client, judgment_list, content):
    reading = client.get(send(client, judgment_list, content)).context["reading"]
    return list(reading.report.errors.sentences())


def names(pair):
    return pair.query.external_id, pair.document.external_id


def test_the_copy_gets_the_same_grades_and_the_same_export(client, scene):
    assert grades(scene.copy) != grades(scene.list)
    exported = export(client, scene.list)

    url = send(client, scene.copy, exported)
    page = client.get(url)
    text = page.content.decode()
    assert page.context["reading"].result.decisions == 2
    assert "Import 2 decisions</button>" in text
    assert "<h1>Import decisions: preview</h1>" in text
    assert page.context["preview"].headings == ["Query", "Document", "Grade", "Cause", "Note"]
    assert [*names(scene.wide), "3", "A gap in the guidelines", "=1+1"] in page.context["preview"].rows
    assert not Adjudication.objects.filter(judgment_list=scene.copy).exists()
    done = client.post(url, {"action": "import"}, follow=True).content.decode()

    assert "decisions.csv: 2 decisions new or replaced, 0 unchanged." in done
    assert grades(scene.copy) == grades(scene.list)
    assert standing_rows(export(client, scene.copy)) == standing_rows(exported)
    again = client.get(send(client, scene.copy, exported))
    assert (again.context["reading"].result.decisions, again.context["reading"].result.known_decisions) == (
        0,
        2,
    )
    assert "Everything in this file is already stored" in again.content.decode()


def test_the_page_says_how_a_decision_is_taken_back_and_what_does_not_come_back(client, scene):
    """The list of imports has no Undo for decisions."""
    query, document = names(scene.wide)
    url = send(client, scene.list, f"{HEAD}{query},{document},2,slip,,\n")
    page = client.get(url).content.decode()
    done = client.post(url, {"action": "import"}, follow=True).content.decode()

    assert "No undo for decisions." in page
    decided = f"{reverse('list-disagreements', args=[scene.list.pk])}?state=decided"
    assert f'href="{decided}"' in page
    assert f'href="{reverse("decisions-file", args=[scene.list.pk])}"' in page
    assert "To take a decision back, withdraw it at Quality, Disagreements." in done
    assert document in client.get(decided).content.decode()


def test_each_decision_is_in_the_log_and_needs_no_more_judgments(client, scene):
    open_before = Slot.objects.filter(pair__judgment_list=scene.copy, state="open").count()
    url = send(client, scene.copy, export(client, scene.list))
    client.post(url, {"action": "import"})

    acts = Act.objects.filter(judgment_list=scene.copy)
    decided = acts.filter(verb=Verb.ADJUDICATED).order_by("pk")
    assert [(one.after, one.note, one.by) for one in decided] == [
        ({"grade": 3, "cause": "A gap in the guidelines"}, "=1+1", scene.admin),
        ({"grade": 0, "cause": "The wrong document"}, "", scene.admin),
    ]
    assert acts.filter(verb=Verb.IMPORTED).latest("pk").after["decisions"] == 2
    assert Batch.objects.filter(judgment_list=scene.copy).count() == 1  # of the judgments
    pairs = Adjudication.objects.filter(judgment_list=scene.copy).values("pair")
    assert not Slot.objects.filter(pair__in=pairs, state="open").exists()
    assert Slot.objects.filter(pair__judgment_list=scene.copy, state="open").count() < open_before


def test_a_later_decision_replaces_an_earlier_one(client, scene):
    query, document = names(scene.wide)
    later = (make.NOW + timedelta(minutes=1)).isoformat()
    url = send(client, scene.list, f"{HEAD}{query},{document},2,slip,,{later}\n")
    client.post(url, {"action": "import"})

    standing = Adjudication.objects.standing().get(pair=scene.wide)
    assert (standing.value, standing.cause, standing.at.isoformat()) == (2, "slip", later)
    act = Act.objects.filter(verb=Verb.ADJUDICATED).latest("pk")
    assert (act.before["grade"], act.after["grade"]) == (3, 2)


def test_each_bad_line_says_what_is_wrong_and_what_to_do(client, scene):
    query, document = names(scene.wide)
    other, lost = Query.objects.exclude(external_id=query).first().external_id, "d-new"
    make.make_document(scene.query_set, lost)
    earlier = (make.NOW - timedelta(days=1)).isoformat()
    rows = [
        f"{query},{document},2,slip,,{earlier}",
        f"{query},{document},1,slip,,",
        f"{query},{lost},2,slip,,",
        f"{other},nowhere,2,slip,,",
        f"nothing,{document},2,slip,,",
        f"{query},{document},9,slip,,",
        f"{query},{document},2,whim,,",
        f"{query},{document},2,slip,,2190-01-01",
    ]

    found = sentences(client, scene.list, HEAD + "\n".join(rows) + "\n")

    said = dict(enumerate(sorted(found, key=lambda one: int(one.split(",")[0].split()[-1])), start=2))
    assert "later than the list’s own decision of" in said[2]
    assert "decide the pair on Disagreements" in said[2]
    assert "line 2 decides it already: remove one of them" in said[3]
    assert "a pair of this list (add it at Pairs, or import its judgments first)" in said[4]
    assert "a pair of this list" in said[5]
    assert "the ID of a query of this query set" in said[6]
    assert "a grade of the scale" in said[7]
    assert "one of these causes: A gap in the guidelines, The query is ambiguous" in said[8]
    assert "a time that has passed, or none" in said[9]
    assert len(said) == 8


def test_a_decision_creates_nothing_and_good_lines_are_imported_alone(client, scene):
    query, document = names(scene.near)
    url = send(client, scene.list, f"{HEAD}{query},{document},2,slip,,\nnothing,{document},2,slip,,\n")
    assert not client.get(url).context["has_unknown"]  # which would offer to create them
    client.post(url, {"action": "import_good", "create_missing": "on"})

    assert Adjudication.objects.standing().get(pair=scene.near).value == 2
    assert not Query.objects.filter(external_id="nothing").exists()
    assert Document.objects.count() == 2


@pytest.mark.parametrize("choice", ["pair", "cannot-judge", "leave-out"])
def test_a_negative_grade_is_no_decision_and_the_page_says_so(client, scene, choice):
    """It said that the decision becomes a pair to be judged, or “cannot judge”, and dropped it."""
    query, document = names(scene.near)
    url = send(client, scene.list, f"{HEAD}{query},{document},-1,slip,,\n")
    asked = client.get(url)
    (problem,) = asked.context["reading"].report.errors.sentences()
    assert problem.endswith("choose what a negative grade means: the lowest grade, or leave it out.")
    assert ("lowest", "The lowest grade of the scale") in asked.context["form"].fields["negative"].choices
    assert "A pair to be judged" not in asked.content.decode()

    client.post(url, {"action": "preview", "negative": choice})

    (warning,) = client.get(url).context["reading"].report.warnings.sentences()
    assert warning.endswith("(the line is left out).")


def test_the_preview_asks_only_what_decisions_need(client, scene):
    query, document = names(scene.near)
    form = client.get(send(client, scene.list, f"{HEAD}{query},{document},2,slip,,\n")).context["form"]
    of_judgments = client.get(send(client, scene.list, f"query,document,grade\n{query},{document},2\n"))

    assert {"rater", "create_missing", "priority"}.isdisjoint(form.fields)
    assert {"negative", "between", "good_lines"} <= form.fields.keys()
    assert {"rater", "create_missing", "priority"} <= of_judgments.context["form"].fields.keys()


def test_a_decision_made_while_the_file_waited_is_not_replaced_unseen(client, scene, monkeypatch):
    """It comes between the reading of the file and the lock on the list."""
    from judgments.files.actions import imports

    query, document = names(scene.near)
    url = send(client, scene.list, f"{HEAD}{query},{document},2,slip,,{make.NOW.isoformat()}\n")
    begin = imports.begin_rounds_anew

    def decide_meanwhile(judgment_list):
        begin(judgment_list)
        rows = {
            "query_set": scene.query_set,
            "judgment_list": scene.list,
            "pair": scene.near,
            "cause": "slip",
        }
        Adjudication.objects.create(value=1, at=make.NOW + timedelta(minutes=1), **rows)

    monkeypatch.setattr(imports, "begin_rounds_anew", decide_meanwhile)
    page = client.post(url, {"action": "import"})

    assert page.status_code == 422
    assert "later than the list’s own decision" in page.content.decode()


def test_a_decision_made_after_the_file_came_is_not_replaced_by_one_without_a_time(client, scene):
    """It was, although the preview had called it new. Who wants that sends the file again."""
    query, document = names(scene.near)
    url = send(client, scene.list, f"{HEAD}{query},{document},2,slip,,\n")
    assert client.get(url).context["reading"].result.decisions == 1
    by_page = {"query_set": scene.query_set, "judgment_list": scene.list, "pair": scene.near, "value": 1}
    Adjudication.objects.create(cause="query", at=timezone.now(), **by_page)

    refused = client.post(url, {"action": "import"})
    assert refused.status_code == 422
    assert "decided before this file came" in refused.content.decode()
    assert Adjudication.objects.standing().get(pair=scene.near).value == 1
    again = send(client, scene.list, f"{HEAD}{query},{document},2,slip,,\n")
    client.post(again, {"action": "import"})

    assert Adjudication.objects.standing().get(pair=scene.near).value == 2


def test_by_command_and_by_call(client, scene, tmp_path):
    file = tmp_path / "decisions.csv"
    file.write_text(export(client, scene.list))
    out, copy = StringIO(), JudgmentList.objects.get(pk=scene.copy.pk)
    names_of_both = ["--query-set", scene.query_set.name, "--list", copy.name]
    call_command("import_judgments", str(file), *names_of_both, "--dry-run", stdout=out)
    assert "2 decisions would be new or replaced, 0 unchanged." in out.getvalue()
    assert not Adjudication.objects.filter(judgment_list=copy).exists()

    api = Api(scene.admin, "admin")
    preview = api.post(f"lists/{copy.pk}/imports/preview?file_name=decisions.csv", file.read_bytes()).json()
    assert (preview["format"], preview["result"]["decisions"], preview["can_be_imported"]) == (
        "decisions",
        2,
        True,
    )

    call_command("import_judgments", str(file), *names_of_both, stdout=out)
    assert grades(copy) == grades(scene.list)
    assert set(Adjudication.objects.filter(judgment_list=copy).values_list("by", flat=True)) == {None}
    file.write_text(f"{HEAD}q,d,1,slip,,\n")
    with pytest.raises(CommandError):
        call_command("import_judgments", str(file), *names_of_both, stdout=out, stderr=out)
