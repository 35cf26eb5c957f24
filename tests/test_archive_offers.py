"""Pages of an archived query set offer nothing that would be refused: they say once why, and leave the rest out."""

import re

import pytest
from django.urls import reverse

from judgments.content.actions.query_sets import archive_query_set
from judgments.models import Assignment
from tests import factories as make
from tests.test_access import address_of, named_addresses, world
from tests.test_archive import ELSEWHERE, JUDGING, MEANT, READS

pytestmark = pytest.mark.django_db

__all__ = ["world"]

# The rating screen's forms stand there for its script; the screen says that the list is archived.
SCREENS = {"judge", "judge-shell"}


@pytest.fixture(params=["full", "without grades", "empty"])
def archived(request, world):
    """The state decides which of a page's empty states are seen."""
    if request.param == "empty":
        empty = make.make_query_set(name="Empty")
        empty.memberships.create(user=world["users"]["admin"], role="admin")
        world |= {"query_set": empty}
    if request.param != "full":
        world |= {"list": make.make_list(world["query_set"], name="Without grades")}
    Assignment.objects.create(judgment_list=world["list"], user=world["users"]["rater"])
    make.make_gold_pair(world["pair"], 1)
    archive_query_set(query_set=world["query_set"], user=None, at=make.NOW)
    return world


def pages_of(client, world):
    """Every page about what is archived, by its address; of a list's rule, a try of another one."""
    elsewhere = set(world["keys"]) if world["query_set"].name == "Empty" else set()
    names = set(named_addresses()) - ELSEWHERE - JUDGING - elsewhere
    asked = {"list-rule": {"rule": "mean", "tie": "lower"}}
    return {name: client.get(address_of(name, world), asked.get(name, {})) for name in sorted(names)}


def body_of(page):
    """What is below the way there."""
    if page.status_code != 200 or page.streaming:
        return ""
    return re.sub(r'<nav class="trail".*?</nav>', "", page.content.decode(), flags=re.DOTALL)


def leads_to(body):
    return {found.partition("?")[0].partition("#")[0] for found in re.findall(r'href="(/[^"]*)"', body)}


def sends_to(body):
    """Of each form with a button; "" is the page's own address."""
    forms = re.findall(r'<form method="post"(.*?)</form>', body, re.DOTALL)
    actions = [re.match(r'[^>]*action="([^"?#]*)', form) for form in forms if "<button" in form]
    return {found[1] if found else "" for found in actions} - {reverse("sign-out")}


@pytest.mark.sampled
@pytest.mark.parametrize("role", ["admin", "engineer"])
def test_no_page_offers_what_would_be_refused(role, archived, client):
    client.force_login(archived["users"][role])
    pages = pages_of(client, archived)
    refused = {address_of(name, archived) for name, page in pages.items() if page.status_code in (405, 409)}
    refused |= {address_of("judge", archived)}
    allowed = {address_of(name, archived) for name in MEANT | READS}

    bodies = {name: body_of(page) for name, page in pages.items() if name not in SCREENS | MEANT}
    links = {name: leads_to(body) & refused for name, body in bodies.items()}
    forms = {name: sends_to(body) - allowed for name, body in bodies.items()}

    assert {name: found for name, found in links.items() if found} == {}
    assert {name: found for name, found in forms.items() if found} == {}


@pytest.mark.parametrize("archived", ["full"], indirect=True)
@pytest.mark.parametrize(
    "name",
    [
        "query-edit",
        "document-new",
        "list-new",
        "import-judgments",
        "batch",
        "run-upload",
        "list-pairs",
        "list-candidates",
        "scale-edit",
        "upload",
    ],
)
def test_a_page_that_only_changes_is_not_opened(name, archived, client):
    client.force_login(archived["users"]["admin"])

    response = client.get(address_of(name, archived))

    assert response.status_code == 409
    assert "This query set is archived" in response.content.decode()


def test_new_scales_are_offered_where_there_is_a_query_set_for_them(archived, client):
    client.force_login(archived["users"]["site"])
    others = b"scales/new/" in client.get(reverse("scales")).content

    assert others is (archived["query_set"].name == "Empty")
    assert client.get(reverse("scale-new")).status_code == (200 if others else 404)
