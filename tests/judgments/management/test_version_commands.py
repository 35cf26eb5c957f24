"""Versions from the command line."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judgments.models import Version
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    judgment_list = make.make_list(make.make_query_set(name="Shop"), name="Main")
    query, document = (
        make.make_query(judgment_list.query_set, "q1"),
        make.make_document(judgment_list.query_set, "d1"),
    )
    make.make_consensus(make.make_pair(judgment_list, query, document), 2)
    return judgment_list


def run(name, **options):
    out = StringIO()
    call_command(name, query_set="Shop", stdout=out, **options)
    return out.getvalue()


def test_a_version_is_frozen_and_exported(judgment_list):
    said = run("freeze_version", list="main", note="Release")
    judgment_list.pairs.get().consensus_grade.delete()

    version = Version.objects.get()
    assert version.note == "Release"
    assert said == f"Main@1: 1 grade, SHA-256 {version.sha256}\n"
    assert run("export_judgments", list="Main@1") == "q1 0 d1 2\n"
    assert run("export_judgments", list="Main") == ""


def test_a_version_like_the_last_one_says_so(judgment_list):
    """On standard error: the line with number and hash stays the same for scripts."""
    first = StringIO()
    run("freeze_version", list="Main", stderr=first)
    second = StringIO()

    said = run("freeze_version", list="Main", stderr=second)

    assert said.startswith("Main@2: 1 grade, SHA-256 ")
    assert first.getvalue() == ""
    assert "Nothing has changed since version 1: version 2 has the same grades." in second.getvalue()


def test_a_name_with_an_at_sign_is_a_name_first(judgment_list):
    run("freeze_version", list="Main")
    make.make_list(judgment_list.query_set, name="Main@1")

    assert run("export_judgments", list="Main@1") == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"list": "Main@2"}, r"Main has no version 2\. It has: 1\.$"),
        ({"list": "Main@99999999999999"}, "Main has no version 99999999999999"),
        ({"list": "Other@1"}, r"has no list “Other”\. It has: Main\.$"),
        ({"list": "Main@x"}, "has no list “Main@x”"),
        ({"list": "@1"}, "has no list “@1”"),
        ({"list": "Main@1", "format": "touchstone"}, "A version holds grades, not judgments"),
    ],
)
def test_what_there_is_not_is_said(judgment_list, options, words):
    run("freeze_version", list="Main")

    with pytest.raises(CommandError, match=words) as refused:
        run("export_judgments", **options)
    assert refused.value.returncode == 2


def test_a_list_without_grades_is_not_frozen(judgment_list):
    make.make_list(judgment_list.query_set, name="Empty")

    with pytest.raises(CommandError, match="nothing to freeze") as refused:
        run("freeze_version", list="Empty")
    assert refused.value.returncode == 2
