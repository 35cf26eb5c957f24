"""Raters of imported judgments: accounts, external raters and machines, as found or as somebody says."""

import pytest

from judgments.files.actions.imports import ImportRefusedError, import_judgments
from judgments.files.reports import import_raters
from judgments.files.reports.import_raters import FileRater
from judgments.files.reports.imports import OpenedFile
from judgments.files.reports.judgment_imports import Terms, compare_judgments
from judgments.models import Judgment, Rater, RaterKind, Role
from tests import factories as make
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list():
    query_set = make.make_query_set()
    make.make_query(query_set, "q1")
    make.make_document(query_set, "d1")
    make.make_document(query_set, "d2")
    return make.make_list(query_set, overlap=3)


def said(rater, document="d1", grade=1.0, line=2):
    return JudgmentRecord(line, "q1", document, f"{grade:g}", grade, rater=rater)


def bring_in(judgment_list, *records, **terms):
    terms = Terms(**{"rater_name": "file"} | terms)
    return import_judgments(judgment_list=judgment_list, file=OpenedFile(records), at=make.NOW, terms=terms)


def stored():
    found = Judgment.objects.order_by("pk").values_list("rater__name", "rater__kind", "rater__user__username")
    return [*found]


def test_names_mean_members_and_else_external_raters(judgment_list):
    make.make_member(judgment_list.query_set, Role.RATER, username="ann")
    make.make_user("bob")

    bring_in(judgment_list, said("ann"), said("bob"))

    assert stored() == [("ann", "person", "ann"), ("bob", "external", None)]


def test_a_name_may_be_an_account_of_another_name_a_machine_or_an_external_rater(judgment_list):
    for username in ("ann", "bob"):
        make.make_member(judgment_list.query_set, Role.RATER, username=username)
    chosen = {"a@example.org": "account:ann", "gpt": "machine", "bob": "external"}

    bring_in(judgment_list, said("a@example.org"), said("gpt"), said("bob"), raters=chosen)

    assert stored() == [("ann", "person", "ann"), ("gpt", "machine", None), ("bob", "external", None)]


def test_a_known_rater_becomes_what_it_is_said_to_be_and_stays_so(judgment_list):
    bring_in(judgment_list, said("gpt"))
    assert Rater.objects.get().kind == RaterKind.EXTERNAL

    bring_in(judgment_list, said("gpt", grade=2.0), raters={"gpt": "machine"})
    bring_in(judgment_list, said("gpt", "d2"))

    assert stored() == [("gpt", "machine", None)] * 2
    bring_in(judgment_list, said("gpt", "d2"), raters={"gpt": "external"})
    assert Rater.objects.get().kind == RaterKind.EXTERNAL


def test_two_names_of_one_account_cannot_say_different_things(judgment_list):
    make.make_member(judgment_list.query_set, Role.RATER, username="ann")

    with pytest.raises(ImportRefusedError) as caught:
        bring_in(judgment_list, said("ann"), said("Ann", grade=2.0, line=3), raters={"Ann": "account:ann"})

    assert [problem.value for problem in caught.value.report.errors.first] == ["q1, d1, ann"]


def test_an_account_that_is_no_member_is_taken_as_found(judgment_list):
    make.make_user("eve")

    bring_in(judgment_list, said("x"), raters={"x": "account:eve"})

    assert stored() == [("x", "external", None)]


def test_the_names_are_shown_with_their_numbers_and_who_they_are(judgment_list):
    make.make_member(judgment_list.query_set, Role.RATER, username="ann")
    bring_in(judgment_list, said("gpt"), said("old"), raters={"gpt": "machine"})
    records = [said(name, document) for name in ("ann", "gpt", "old", "new") for document in ("d1", "d2")]

    found = compare_judgments(
        judgment_list,
        OpenedFile([*records[:-1], JudgmentRecord(9, "q1", "d2", "", None)]),
        Terms(raters={"new": "machine"}),
    )

    assert found.raters == [
        FileRater("ann", 2, "account ann", ""),
        FileRater("gpt", 2, "machine", ""),
        FileRater("old", 2, "external rater", ""),
        FileRater("new", 1, "external rater, new", "machine"),
    ]
    assert found.more_raters == 0
    assert found.rows[0][3] == "ann"


def test_more_raters_than_a_list_can_have_refuse_the_file(judgment_list, monkeypatch):
    monkeypatch.setattr(import_raters, "MOST_RATERS", 2)

    with pytest.raises(ImportRefusedError) as caught:
        bring_in(judgment_list, *(said(f"rater {number}") for number in range(5)))

    assert caught.value.report.errors.counts == {"too many raters": 1}


CASES = "query,document,rater,grade\nq1,d1,ann,1\nq1,d2,Ann,1\nq1,d3,ANN,1\nq2,d1,bob,1\n"


def records_of(content):
    return open_judgment_text(text_of(content)).records


def bring_cases(judgment_list, content, **raters):
    return import_judgments(
        judgment_list=judgment_list,
        file=OpenedFile(records_of(content)),
        at=make.NOW,
        terms=Terms(create_missing=True, raters=raters),
    )


def test_names_that_differ_in_case_only_are_asked_for():
    query_set = make.make_query_set()
    make.make_member(query_set, "rater", username="ann")
    judgment_list = make.make_list(query_set)

    with pytest.raises(ImportRefusedError) as refused:
        bring_cases(judgment_list, CASES)
    bring_cases(judgment_list, CASES, Ann="same:ann", ANN="external")

    errors = refused.value.report.errors
    assert errors.counts == {"names that differ in case only": 2}
    assert "marked as “ann”" in next(errors.sentences())
    given = Judgment.objects.order_by("id").values_list("rater__name", "rater__kind")
    assert list(given) == [("ann", "person"), ("ann", "person"), ("ANN", "external"), ("bob", "external")]
    bring_cases(judgment_list, "query,document,rater,grade\nq3,d1,ANN,1\n")
    with pytest.raises(ImportRefusedError):
        bring_cases(judgment_list, "query,document,rater,grade\nq3,d1,Bob,1\n")


@pytest.mark.parametrize("name", ["Ann", "many"])
def test_a_file_whose_raters_are_unclear_is_refused_even_without_its_bad_lines(monkeypatch, name):
    monkeypatch.setattr(import_raters, "MOST_RATERS", 10 if name == "Ann" else 2)
    query_set = make.make_query_set()
    make.make_member(query_set, "rater", username="ann")
    judgment_list = make.make_list(query_set)

    with pytest.raises(ImportRefusedError, match=r"[Rr]ater") as refused:
        import_judgments(
            judgment_list=judgment_list,
            file=OpenedFile(records_of(CASES + "q2,d2,bob,none\n")),
            at=make.NOW,
            terms=Terms(create_missing=True, good_lines=True),
        )

    assert name != "Ann" or "“Ann”" in str(refused.value)
    assert not Judgment.objects.exists()


def test_the_spelling_that_nobody_has_decided_on_is_the_one_that_others_are_like(judgment_list):
    content = "query,document,rater,grade\nq1,d1,Bob,1\nq1,d2,Bob,1\nq1,d1,bob,1\n"

    bring_cases(judgment_list, content, Bob="external")

    assert sorted(stored()) == [("Bob", "external", None)] * 2 + [("bob", "external", None)]


def test_a_name_that_is_another_one_is_what_that_one_is(judgment_list):
    content = "query,document,rater,grade\nq1,d1,gpt,1\nq1,d2,GPT,1\nq1,d1,GPT,2\n"

    with pytest.raises(ImportRefusedError):  # the same rater says two things of d1
        bring_cases(judgment_list, content, GPT="same:gpt", gpt="machine")
    bring_cases(judgment_list, content.replace("q1,d1,GPT,2\n", ""), GPT="same:gpt", gpt="machine")

    assert stored() == [("gpt", "machine", None)] * 2


@pytest.mark.parametrize("email", ["zoe@a.example", "Zoe@A.example"])
def test_the_email_of_one_member_means_that_member(judgment_list, email):
    make.make_member(judgment_list.query_set, Role.RATER, username="zoe", email="zoe@a.example")
    make.make_user("eve", email="eve@a.example")

    found = compare_judgments(judgment_list, OpenedFile([said(email)]), Terms()).raters
    bring_in(judgment_list, said(email), said("eve@a.example"))

    assert [(one.as_found, one.alike) for one in found] == [("account zoe", "")]
    assert stored() == [("zoe", "person", "zoe"), ("eve@a.example", "external", None)]


def test_an_email_of_two_members_or_of_an_earlier_rater_stays_a_name(judgment_list):
    for username in ("zoe", "zac"):
        make.make_member(judgment_list.query_set, Role.RATER, username=username, email="team@a.example")
    bring_in(judgment_list, said("max@a.example"))
    make.make_member(judgment_list.query_set, Role.RATER, username="max", email="max@a.example")

    bring_in(judgment_list, said("team@a.example", "d2"), said("max@a.example"))

    assert stored() == [("max@a.example", "external", None), ("team@a.example", "external", None)]


def test_a_rater_who_may_be_an_account_is_shown_beyond_the_first_hundred():
    query_set = make.make_query_set()
    make.make_member(query_set, "rater", username="zoe", email="zoe@a.example")
    rows = [f"q{n},d,rater{place},1\n" for place in range(120) for n in (1, 2)]
    content = (
        "query,document,rater,grade\n" + "".join(rows) + "q1,d,Zoe,1\nq1,d,zoe@a.example,1\nq1,d,last,1\n"
    )
    terms = Terms(create_missing=True, raters={"last": "machine"})

    compared = compare_judgments(make.make_list(query_set), OpenedFile(records_of(content)), terms)

    found = {one.name: one for one in compared.raters}
    assert (len(found), compared.more_raters) == (103, 20)
    assert (found["Zoe"].alike, found["zoe@a.example"].alike, found["last"].decision) == (
        "zoe",
        "",
        "machine",
    )
