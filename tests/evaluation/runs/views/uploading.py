"""What tests of the pages that take runs share."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests import factories as make

TREC = b"q1 Q0 d1 1 2.0 tagged\nq1 Q0 d2 2 1.0 tagged\n"


@pytest.fixture
def query_set():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")
    return query_set


@pytest.fixture
def engineer(query_set, client):
    user = make.make_member(query_set, "engineer")
    client.force_login(user)
    return user


def upload(client, query_set, content=TREC, name="run.trec", title="", **choices):
    fields = {
        "order": "score",
        "unknown": "refuse",
        "duplicates": "refuse",
        "encoding": "",
        "name": title,
    } | choices
    if content is not None:
        fields["file"] = SimpleUploadedFile(name, content)
    return client.post(reverse("run-upload", args=[query_set.pk]), fields)
