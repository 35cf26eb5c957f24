"""`make profile` shows what a page costs."""

from benchmarks.profile_page import find_account, report, statements
from tests.factories import make_user


def test_a_page_is_shown_with_its_statements_and_functions(client, db):
    client.force_login(make_user("kim"))

    text = report(client, "/")

    assert text.startswith("GET /\n200, ")
    assert 'FROM "judgments_user"' in text
    assert "/views" in text


def test_a_redirect_is_followed_once_and_the_page_behind_it_is_measured(client, db):
    assert report(client, "/").startswith("GET /accounts/sign-in/?next=/\n200, ")


def test_long_lists_of_columns_are_left_out():
    columns = ", ".join(f'"column_{n}"' for n in range(20))
    queries = [
        {"sql": " ".join(["SELECT", columns, 'FROM "one"']), "time": "0.010"},
        {"sql": 'SELECT COUNT(*)\n  FROM "two"', "time": "0.002"},
    ]

    assert statements(queries).splitlines() == [
        "SQL: 2 statements, 0.012 s",
        "seconds  statement",
        '  0.010  SELECT … FROM "one"',
        '  0.002  SELECT COUNT(*) FROM "two"',
    ]


def test_a_site_administrator_looks_unless_an_account_is_named(db):
    make_user("kim")
    root = make_user("root", is_superuser=True)

    assert find_account("") == root
    assert find_account("kim").username == "kim"
