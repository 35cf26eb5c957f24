"""Whether versions are what the log says was frozen, and their grades what the hash says."""

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from judgments.content.actions.content import delete_row
from judgments.content.actions.deleting import delete_query_set
from judgments.lists.actions.versions import freeze_version
from judgments.lists.reports.version_checks import (
    ADVICE,
    grades_problems,
    problems_in_log,
    problems_of_gone_lists,
)
from judgments.log.actions import record_act
from judgments.models import Act, Verb, VersionGrades
from tests import factories as make
from tests import tampering
from tests.snapshot import undone

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main")
    for query, document, value in (("q1", "d1", 3), ("q1", "d2", 1), ("q2", "d3", 2)):
        queries = judgment_list.query_set.queries
        row = queries.filter(external_id=query).first() or make.make_query(judgment_list.query_set, query)
        pair = make.make_pair(judgment_list, row, make.make_document(judgment_list.query_set, document))
        make.make_consensus(pair, value)
    return judgment_list


@pytest.fixture
def version(judgment_list):
    return freeze_version(judgment_list=judgment_list)


def said(problems):
    return [(problem.number, problem.what) for problem in problems]


def log_line(version, **fields):
    return Act.objects.create(
        query_set_id=version.query_set_id,
        judgment_list_id=version.judgment_list_id,
        at=timezone.now(),
        verb=Verb.FROZEN,
        **{"subject": f"version {version.number} of list Main", "after": {"sha256": "f" * 64}, **fields},
    )


def test_versions_as_they_were_frozen_have_no_problem(judgment_list, version):
    second = freeze_version(judgment_list=judgment_list)

    assert problems_in_log(judgment_list) == []
    assert grades_problems(version) == grades_problems(second) == []


def test_another_hash_than_the_one_in_the_log(judgment_list, version):
    tampering.change_hash(version)

    assert said(problems_in_log(judgment_list)) == [
        (1, f"its recorded hash is {'0' * 64}, but the log says it was frozen with {version.sha256}")
    ]


def test_a_version_that_the_log_does_not_know(judgment_list, version):
    tampering.forget_in_log(version)

    assert said(problems_in_log(judgment_list)) == [(1, "the log has no line that says it was frozen")]


def test_a_version_that_is_missing(judgment_list, version):
    second = freeze_version(judgment_list=judgment_list)
    tampering.remove(version)

    assert said(problems_in_log(judgment_list)) == [
        (1, f"the log says it was frozen with hash {version.sha256}, but it is missing")
    ]
    assert grades_problems(second) == []


def test_a_number_that_was_frozen_twice(judgment_list, version):
    log_line(version)

    assert said(problems_in_log(judgment_list)) == [
        (1, f"the log says it was frozen twice: with hash {version.sha256}, then with {'f' * 64}")
    ]


def test_of_two_lines_the_first_one_counts_and_no_line_stops_the_check(judgment_list, version):
    tampering.change_hash(version)
    log_line(version, after=[])
    log_line(version, after={"sha256": "0" * 64})
    log_line(version, subject="version 99999999999999999999 of list Main", after={})
    log_line(version, subject="something else")

    assert said(problems_in_log(judgment_list)) == [
        (1, f"its recorded hash is {'0' * 64}, but the log says it was frozen with {version.sha256}"),
        (
            1,
            f"the log says it was frozen 3 times: with hash {version.sha256}, then with none, then with {'0' * 64}",
        ),
        (99999999999999999999, "the log says it was frozen with hash none, but it is missing"),
    ]


def test_stored_grades_that_do_not_give_the_recorded_hash(judgment_list, version):
    tampering.change_grades(version)

    (problem,) = grades_problems(version)
    assert problem.what.startswith("its stored grades give the hash ")
    assert problem.what.endswith(f", not the recorded {version.sha256}")
    assert problem.advice == ADVICE["grades"]
    assert problems_in_log(judgment_list) == []


@pytest.mark.parametrize(
    "change",
    [
        "SET documents = documents[2:2] || documents[1:1] WHERE cardinality(documents) = 2",
        "SET documents = documents || documents[1:1], values = values || '{3}'",
        "SET values = values || '{3}'",
        "SET documents = array_replace(documents, documents[1], 0)",
    ],
)
def test_grades_of_other_documents_under_the_same_hash(version, change):
    tampering.tamper(f"UPDATE judgments_versiongrades {change}")

    assert "its grades point to other queries or documents than the IDs beside them" in [
        problem.what for problem in grades_problems(version)
    ]


def test_grades_of_another_query_under_the_same_hash(judgment_list, version):
    other = make.make_query(judgment_list.query_set, "q3")
    tampering.tamper(
        "UPDATE judgments_versiongrades SET query_id = %(other)s WHERE external_id = 'q2'", other=other.pk
    )

    assert len(grades_problems(version)) == 1


def test_a_version_that_goes_meanwhile_is_no_problem(version):
    tampering.remove(version)

    assert grades_problems(version) == []


def test_versions_that_went_with_their_query_set_are_no_problem(judgment_list, version):
    delete_query_set(query_set=judgment_list.query_set, confirmed_name="Shop")

    assert problems_of_gone_lists() == []


def test_a_query_set_that_went_without_a_line_in_the_log(judgment_list, version):
    delete_query_set(query_set=judgment_list.query_set, confirmed_name="Shop")
    tampering.tamper("DELETE FROM judgments_act WHERE verb = 'deleted'")

    assert [problem.what for problem in problems_of_gone_lists()] == [
        "the log says it was frozen, but its list is gone and no line says that its query set was deleted"
    ]


def test_what_else_was_deleted_in_it_does_not_excuse_a_query_set_that_went(judgment_list, version):
    """Runs, formulas, intents and documents are deleted in the name of their query set, too."""
    query_set = judgment_list.query_set
    delete_row(row=make.make_document(query_set, "query set Shop"))
    record_act(Verb.DELETED, "run query set Shop", query_set=query_set)
    delete_query_set(query_set=query_set, confirmed_name="Shop")
    tampering.tamper(
        "DELETE FROM judgments_act WHERE verb = 'deleted' AND subject = 'query set Shop' AND document_id IS NULL"
    )

    assert [problem.number for problem in problems_of_gone_lists()] == [1]


IDS = some.text(
    some.characters(exclude_characters="\0", exclude_categories=["Cs"]) | some.sampled_from("\\\t\n\r"),
    min_size=1,
    max_size=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ids=some.lists(IDS, min_size=1, max_size=4, unique=True),
    at=some.integers(0, 3),
    other=some.sampled_from([0, 1, 2]),
)
@undone()
def test_any_change_of_a_grade_is_seen_and_no_change_is_not(judgment_list, ids, at, other):
    query = make.make_query(judgment_list.query_set)
    for one in ids:
        document = make.make_document(judgment_list.query_set, f"{query.pk} {one}")
        make.make_consensus(make.make_pair(judgment_list, query, document), 3)
    version = freeze_version(judgment_list=judgment_list)
    at = at % len(ids) + 1

    assert grades_problems(version) == []
    tampering.tamper(
        "UPDATE judgments_versiongrades SET values[%(at)s] = %(other)s WHERE version_id = %(pk)s AND query_id = %(query)s",
        at=at,
        other=other,
        pk=version.pk,
        query=query.pk,
    )

    assert VersionGrades.objects.get(version=version, query=query).values[at - 1] == other
    assert len(grades_problems(version)) == 1
