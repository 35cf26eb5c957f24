"""Site administration opens for site administrators only."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judgments.files.actions.uploads import keep_upload
from judgments.models import Purpose, Role
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(client):
    user = make.make_user("root", is_superuser=True, is_staff=True)
    client.force_login(user)
    return user


def test_every_page_of_site_administration_opens(client, root):
    query_set = make.make_query_set()
    make.make_member(query_set, Role.RATER)
    upload = keep_upload(
        query_set=query_set, user=root, purpose=Purpose.QUERIES, file=SimpleUploadedFile("q.csv", b"x")
    )

    for name, arguments in (
        ("index", []),
        ("judgments_user_changelist", []),
        ("judgments_user_add", []),
        ("judgments_user_change", [root.pk]),
        ("judgments_upload_changelist", []),
        ("judgments_upload_change", [upload.pk]),
        ("judgments_judgmenthistory_changelist", []),
    ):
        assert client.get(reverse(f"admin:{name}", args=arguments)).status_code == 200


def test_it_names_no_package(client, root):
    page = client.get(reverse("admin:index")).content.decode()

    assert re.findall(r"<caption>\s*<a[^>]*>\s*(.*?)\s*</a>", page) == ["Judgments"]


def test_records_are_for_looking_only(client, root):
    assert client.get(reverse("admin:judgments_upload_add")).status_code == 403


def test_an_account_is_made_without_extra_steps(client, root):
    fields = {"username": "new", "password1": "a long passphrase", "password2": "a long passphrase"}
    inline = {"memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0, "usable_password": "true"}

    response = client.post(reverse("admin:judgments_user_add"), fields | inline)

    assert response.status_code == 302


def test_members_of_query_sets_have_no_access(client):
    client.force_login(make.make_member(make.make_query_set(), Role.ADMIN))

    assert client.get(reverse("admin:index")).status_code == 302
