"""manage.py check_versions: exit status 0 for no problem, 1 for problems, 2 where nothing was checked."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from judgments.content.actions.deleting import delete_query_set
from judgments.lists.actions.versions import freeze_version
from judgments.lists.reports.version_checks import ADVICE
from tests import factories as make
from tests import tampering
from tests.evaluation.whole_set import WholeSet

pytestmark = pytest.mark.django_db


@pytest.fixture
def whole():
    return WholeSet()


def check(**options):
    out = StringIO()
    try:
        call_command("check_versions", stdout=out, **options)
    except SystemExit as end:
        return end.code, out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


def test_versions_as_they_were_frozen(whole):
    freeze_version(judgment_list=whole.list)

    assert check() == check(query_set="shop") == (0, ["Checked 2 versions: 0 problems."])


def test_without_a_version_there_is_nothing_to_say(db):
    assert check() == (0, ["Checked 0 versions: 0 problems."])


def test_each_problem_is_a_line_and_the_last_one_says_what_rests_on_the_version(whole):
    for name in ("Y", "X"):
        make.make_comparison(whole.list, whole.runs, name=name, version=whole.version)
    tampering.change_grades(whole.version)
    tampering.change_hash(whole.version)

    status, (first, second, last) = check()

    assert status == 1
    zeros = "0" * 64
    assert first == (
        f"Shop, First@1: its recorded hash is {zeros}, but the log says it was frozen with {whole.version.sha256}. "
        + ADVICE["hash"]
    )
    assert second.startswith("Shop, First@1: its stored grades give the hash ")
    assert second.endswith(
        ADVICE["grades"] + " It is used by 4 stored averages of runs and the saved comparisons “X”, “Y”."
    )
    assert last == "Checked 1 version: 2 problems."


def test_a_version_that_nothing_uses_and_one_that_one_comparison_uses(whole):
    lonely = freeze_version(judgment_list=whole.list)
    used = freeze_version(judgment_list=whole.list)
    make.make_comparison(whole.list, whole.runs, name="X", version=used)
    tampering.change_hash(lonely)
    tampering.change_hash(used)

    lines = check()[1]

    assert [line.rpartition("version. ")[2] for line in lines if "used by" in line] == [
        "It is used by the saved comparison “X”."
    ]
    assert sum("First@2" in line for line in lines) == 2


def test_versions_that_are_missing(whole):
    other = WholeSet("Other")
    delete_query_set(query_set=other.query_set, confirmed_name="Other")
    tampering.tamper("DELETE FROM judgments_act WHERE verb = 'deleted'")
    second = freeze_version(judgment_list=whole.list)
    tampering.remove(second)

    status, lines = check()

    assert status == 1
    assert lines == [
        f"Shop, First@2: the log says it was frozen with hash {second.sha256}, but it is missing. "
        + ADVICE["missing"],
        "First@1: the log says it was frozen, but its list is gone and no line says that its query set was deleted. "
        + ADVICE["gone"],
        "Checked 1 version: 2 problems.",
    ]
    assert check(query_set="Shop")[1][-1] == "Checked 1 version: 1 problem."


def test_a_query_set_that_there_is_not(db):
    with pytest.raises(CommandError, match="no query set") as refused:
        call_command("check_versions", query_set="Nowhere")

    assert refused.value.returncode == 2


def test_a_database_that_refuses(db, monkeypatch):
    def refuse():
        raise OperationalError("the server closed the connection.\nMore")

    monkeypatch.setattr("evaluation.management.commands.check_versions.problems_of_gone_lists", refuse)

    with pytest.raises(
        CommandError, match=r"not checked, because the database refused: the server closed the connection\.$"
    ) as refused:
        call_command("check_versions", stdout=StringIO())

    assert refused.value.returncode == 2
