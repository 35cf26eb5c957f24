"""The preview of a file whose rater is a machine."""

import pytest
from django.urls import reverse

from judgments.models import Exclusion, Rater
from tests import factories as make
from tests.judgments.files.views.import_pages import confirm, send

pytestmark = pytest.mark.django_db

FILE = "query,document,rater,grade\nq1,d1,gpt,1\n"


def preview(client, url, who):
    client.post(url, {"create_missing": "on", "rater-name": "gpt", "rater-as": who})
    return client.get(url).content.decode()


def test_it_says_that_grades_of_machines_do_not_count(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, FILE)

    assert "Grades of machines don’t count" not in preview(client, url, "")
    text = preview(client, url, "machine")

    assert "Grades of machines don’t count" in text
    assert "Machines that count" not in text


def test_it_says_if_a_machine_counts_already(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    confirm(client, send(client, "judgments", judgment_list.pk, FILE), create_missing="on")
    url = send(client, "judgments", judgment_list.pk, "query,document,rater,grade\nq1,d2,gpt,1\n")

    text = preview(client, url, "machine")

    assert "Machines that count" in text
    assert reverse("list-raters", args=[judgment_list.pk]) in text
    assert "Grades of machines don’t count" not in text


def test_what_made_the_grades_is_asked_and_the_message_says_how_they_count(client, admin, query_set):
    judgment_list = make.make_list(query_set)
    url = send(client, "judgments", judgment_list.pk, FILE)
    choices = {
        "create_missing": "on",
        "rater-name": "gpt",
        "rater-as": "machine",
        "origin": " gpt-4o, prompt B ",
    }

    client.post(url, choices)
    assert "gpt-4o, prompt B" in client.get(url).content.decode(), "a choice stays"
    done = client.post(url, choices | {"action": "import"}, follow=True).content.decode()

    assert "grades of 1 machine don’t count. To let them count, open Quality, Raters." in done
    assert Rater.objects.get().origin == "gpt-4o, prompt B"
    assert Exclusion.objects.get().by == admin
