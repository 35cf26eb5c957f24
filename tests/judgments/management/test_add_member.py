"""Members, scales and hints of the commands that fill a query set."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from judgments.models import JudgmentList, Membership, QuerySet
from tests import factories as make
from tests.judgments.management.importing import refused, run, write

pytestmark = pytest.mark.django_db


def test_a_query_set_that_a_command_made_can_be_opened_after_members_are_added(tmp_path, client):
    user = make.make_user("ann")
    _, err = run("import_queries", write(tmp_path, "query_id,query\n1,a\n"), "--query-set", "New", "--create")
    assert err == (
        "Nobody is a member of New yet, so that only site administrators can open it: add people with manage.py add_member, "
        "or import with --admin USERNAME.\n"
    )

    out, _ = run("add_member", "ann", "--query-set", "new", "--role", "admin")

    assert out == "ann is admin of New.\n"
    assert list(QuerySet.objects.administered_by(user)) == [QuerySet.objects.get(name="New")]


def test_a_member_gets_another_role_unless_nobody_would_be_left():
    query_set = make.make_query_set(name="Shop")
    for name in ("ann", "bob"):
        make.make_user(name)
        run("add_member", name, "--query-set", "Shop", "--role", "admin")

    run("add_member", "bob", "--query-set", "Shop", "--role", "rater")

    assert Membership.objects.get(query_set=query_set, user__username="bob").role == "rater"
    with pytest.raises(CommandError):
        call_command("add_member", "ann", "--query-set", "Shop", "--role", "rater")


@pytest.mark.parametrize(("name", "query_set"), [("nobody", "Shop"), ("ann", "No shop")])
def test_unknown_names_are_refused(name, query_set):
    make.make_query_set(name="Shop")
    make.make_user("ann")

    message, status, _ = refused("add_member", name, "--query-set", query_set, "--role", "rater")

    assert (status, (name if name == "nobody" else query_set) in message) == (2, True)


@pytest.mark.parametrize("typed", ["TREC 0-3", "trec 0–3", "TREC 0-2"])
def test_scales_are_found_as_keyboards_have_their_names(tmp_path, typed):
    make.make_query_set(name="Shop")

    run(
        *("import_judgments", write(tmp_path, "q1 0 d1 2\n"), "--query-set", "Shop", "--list", "A"),
        *("--scale", typed, "--create", "--create-missing"),
    )

    assert JudgmentList.objects.get().scale.name.casefold() == typed.replace("-", "–").casefold()


def test_unknown_queries_are_refused_with_the_option_that_makes_them(tmp_path):
    make.make_query_set(name="Shop")

    message, _, _ = refused(
        *("import_judgments", write(tmp_path, "q1 0 d1 2\n"), "--query-set", "Shop", "--list", "A"),
        *("--scale", "TREC 0-3", "--create"),
    )

    assert message == (
        "Nothing was imported: 1 problem in file.csv. --create-missing makes unknown queries and documents."
    )
