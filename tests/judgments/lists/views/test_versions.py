"""The Versions tab of a list."""

from hashlib import sha256

import pytest
from django.urls import reverse

from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, ConsensusGrade, Scale, Verb, Version
from tests import factories as make

pytestmark = pytest.mark.django_db
SURE = {"confirmed": "1"}


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set(name="Shop")
    judgment_list = make.make_list(query_set, name="Main list")
    for query, document, value in (("q1", "d2", 3), ("q1", "d1", 0), ("q2", "d1", 3)):
        asked = query_set.queries.filter(external_id=query).first() or make.make_query(query_set, query)
        found = query_set.documents.filter(external_id=document).first()
        pair = make.make_pair(judgment_list, asked, found or make.make_document(query_set, document))
        make.make_consensus(pair, value)
    return judgment_list


@pytest.fixture
def admin(client, judgment_list):
    user = make.make_member(judgment_list.query_set, "admin", username="anna")
    client.force_login(user)
    return user


@pytest.fixture
def engineer(client, judgment_list):
    user = make.make_member(judgment_list.query_set, "engineer")
    client.force_login(user)
    return user


def tab(judgment_list):
    return reverse("list-versions", args=[judgment_list.pk])


def page(judgment_list, number=1):
    return reverse("list-version", args=[judgment_list.pk, number])


def file(judgment_list, format, number=1):
    return reverse("version-file", args=[judgment_list.pk, number, format])


def test_an_admin_freezes_a_version(client, admin, judgment_list):
    before = client.get(tab(judgment_list)).content.decode()
    response = client.post(tab(judgment_list), {"note": "Report of May"} | SURE, follow=True)

    assert "No version yet" in before
    assert response.redirect_chain == [(page(judgment_list), 302)]
    text = response.content.decode()
    version = Version.objects.get()
    assert "Version 1 is frozen with 3 grades." in text
    assert "Report of May" in text
    assert version.sha256 in text
    assert "by anna" in text
    assert version.short_hash in client.get(tab(judgment_list)).content.decode()


def test_freezing_asks_first_and_says_what_has_changed(client, admin, judgment_list):
    first = client.post(tab(judgment_list), {"note": "May"})
    client.post(tab(judgment_list), {"note": "May"} | SURE)
    same = client.post(tab(judgment_list), {"note": "June"}).content.decode()
    ConsensusGrade.objects.filter(judgment_list=judgment_list).first().delete()
    other = client.post(tab(judgment_list), {"note": "June"}).content.decode()

    assert (first.status_code, Version.objects.count()) == (200, 1)
    assert "This would be the first version." in first.content.decode()
    assert 'value="June"' in same
    assert "Nothing has changed</strong> since version 1." in same
    assert "Since version 1: 0 grades added, 0 changed, 1 removed." in " ".join(other.split())


def test_a_form_that_is_sent_twice_freezes_once(client, admin, judgment_list):
    opened = client.get(tab(judgment_list)).content.decode()
    sent = {"note": "Report of May", "after": "0"} | SURE

    answers = [client.post(tab(judgment_list), sent) for _ in range(2)]

    assert '<input type="hidden" name="after" value="0">' in opened
    assert [answer["Location"] for answer in answers] == [page(judgment_list)] * 2
    assert Version.objects.count() == 1


def test_of_two_admins_the_second_is_told_and_may_freeze_another(client, admin, judgment_list):
    other = make.make_member(judgment_list.query_set, "admin", username="bert")
    freeze_version(judgment_list=judgment_list, note="Report of May", user=other)

    refused = client.post(tab(judgment_list), {"note": "Report of May", "after": "0"} | SURE)
    again = client.post(tab(judgment_list), {"note": "Report of May", "after": "1"} | SURE)

    assert refused.status_code == 422
    assert "Version 1 was frozen by bert meanwhile." in refused.content.decode()
    assert '<input type="hidden" name="after" value="1">' in refused.content.decode()
    assert again["Location"] == page(judgment_list, 2)


def test_an_engineer_looks_and_does_not_freeze(client, engineer, judgment_list):
    text = client.get(tab(judgment_list)).content.decode()

    assert "An admin of the query set freezes versions" in text
    assert "Ask an admin to freeze one before you publish a number" in text
    assert '<button class="btn btn-primary">Freeze' not in text
    assert client.post(tab(judgment_list), {"note": ""}).status_code == 404
    assert not Version.objects.exists()


def test_a_note_that_is_too_long_is_said(client, admin, judgment_list):
    response = client.post(tab(judgment_list), {"note": "x" * 501})

    assert response.status_code == 422
    assert "The note is too long. Use at most 500 characters." in response.content.decode()


def test_a_list_without_grades_is_not_frozen(client, admin, judgment_list):
    empty = make.make_list(judgment_list.query_set)

    assert "Nothing to freeze yet" in client.get(tab(empty)).content.decode()
    response = client.post(tab(empty), {"note": ""} | SURE)
    assert response.status_code == 422
    assert "has no consensus grade yet" in str(response.context["form"].errors)


def test_how_often_each_grade_stands_in_a_version(client, admin, judgment_list):
    freeze_version(judgment_list=judgment_list)

    counts = client.get(page(judgment_list)).context["grades"]

    assert [(grade.value, count) for grade, count, _ in counts] == [(0, 1), (1, 0), (2, 0), (3, 2)]
    assert counts[3][2] == pytest.approx(200 / 3)


def test_a_continuous_scale_has_no_such_table(client, admin, judgment_list):
    judgment_list.scale = Scale.objects.create(name="Slider", continuous=True, minimum=0, maximum=3)
    judgment_list.save()
    freeze_version(judgment_list=judgment_list)

    assert client.get(page(judgment_list)).context["grades"] == []


@pytest.mark.parametrize("name", ["list-version", "version-file", "version-difference"])
def test_a_version_that_there_is_not_is_no_page(client, admin, judgment_list, name):
    more = ["qrels"] if name == "version-file" else []

    assert client.get(reverse(name, args=[judgment_list.pk, 7, *more])).status_code == 404


def test_the_hash_can_be_checked_with_the_file(client, engineer, judgment_list):
    version = freeze_version(judgment_list=judgment_list)

    response = client.get(file(judgment_list, "hashed"))

    content = response.getvalue()
    assert content == b"q1\td1\t0\nq1\td2\t3\nq2\td1\t3\n"
    assert sha256(content).hexdigest() == version.sha256
    assert 'filename="Main-list.v1.grades.tsv"' in response["Content-Disposition"]


@pytest.mark.parametrize("format", ["hashed", "qrels"])
def test_who_asks_for_the_headers_of_a_file_takes_nothing_out(client, engineer, judgment_list, format):
    freeze_version(judgment_list=judgment_list)

    response = client.head(file(judgment_list, format))

    assert (response.status_code, response.getvalue()) == (200, b"")
    assert not Act.objects.filter(judgment_list=judgment_list, verb=Verb.EXPORTED).exists()
    client.get(file(judgment_list, format))
    assert Act.objects.filter(judgment_list=judgment_list, verb=Verb.EXPORTED).count() == 1


def test_a_version_is_exported_as_it_was(client, engineer, judgment_list):
    freeze_version(judgment_list=judgment_list)
    judgment_list.pairs.first().consensus_grade.delete()

    response = client.get(file(judgment_list, "qrels"))

    assert response.getvalue() == b"q1 0 d1 0\nq1 0 d2 3\nq2 0 d1 3\n"
    assert "Main-list.v1.qrels" in response["Content-Disposition"]
    letor = client.get(file(judgment_list, "letor")).getvalue().decode()
    assert f'"version": "1, SHA-256 {Version.objects.get().sha256}"' in letor


def test_what_a_format_cannot_hold_is_said(client, engineer, judgment_list):
    make.make_consensus(
        make.make_pair(
            judgment_list,
            judgment_list.query_set.queries.first(),
            make.make_document(judgment_list.query_set),
        ),
        1.5,
    )
    freeze_version(judgment_list=judgment_list)

    refused = client.get(file(judgment_list, "rank-eval"), follow=True)
    rounded = client.get(file(judgment_list, "rank-eval") + "?round=1")

    assert refused.redirect_chain == [(page(judgment_list), 302)]
    assert "notice-error" in refused.content.decode()
    assert rounded.status_code == 200
    assert rounded.getvalue()


@pytest.mark.parametrize("format", ["touchstone", "quepid-book", "x"])
def test_what_is_not_of_grades_is_no_file(client, engineer, judgment_list, format):
    freeze_version(judgment_list=judgment_list)

    assert client.get(file(judgment_list, format)).status_code == 404
