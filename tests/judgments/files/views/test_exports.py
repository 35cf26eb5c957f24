"""Taking judgments out by page and by command; what comes out goes in again as the same list."""

import csv
import json
import os
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from judgments.files.reports.exports import ExportRefusedError, export, file_name
from judgments.lists.actions.versions import freeze_version
from judgments.models import ConsensusGrade, Gold, Judgment, Pair, Role
from tests import factories as make
from tests.html import html_of
from tests.judgments.files.actions.test_import_grades import bring_in, make_scale
from tests.judgments.files.views.export_pages import download, make_mixed_list
from tests.shared_data import shared_data
from touchstone_core.formats.judgments.judgment_files import GRADES, WRITABLE
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.writing import Description

pytestmark = pytest.mark.django_db


@pytest.fixture
def judgment_list(query_set):
    return make_mixed_list(query_set)


def everything(judgment_list):
    judged = Judgment.objects.filter(judgment_list=judgment_list).order_by("pair__query_id", "id")
    names = (
        "pair__query__external_id",
        "pair__document__external_id",
        "rater__name",
        "value",
        "reason",
        "comment",
    )
    pairs = Pair.objects.filter(judgment_list=judgment_list, judgments=None)
    return (
        sorted(judged.values_list(*names, "updated_at"), key=str),
        sorted(pairs.values_list("query__external_id", "document__external_id")),
    )


@pytest.mark.parametrize("format", ["touchstone", "jsonl"])
def test_all_judgments_come_back_into_another_list(client, admin, judgment_list, format):
    response, content = download(client, judgment_list, format)
    other = make.make_list(judgment_list.query_set, scale=judgment_list.scale, overlap=2)

    _, report = bring_in(other, content, name="export")

    assert response["Content-Disposition"].startswith('attachment; filename="A-list.')
    assert report.ok, list(report.errors.sentences())
    assert everything(other) == everything(judgment_list)
    assert len(everything(other)[0]) == 4


@pytest.mark.parametrize("format", [one.name for one in WRITABLE.values() if one.holds == "judgments"])
def test_answers_in_practice_are_left_out_and_their_pairs_stay(client, admin, judgment_list, format):
    pairs = {one.document.external_id: one for one in judgment_list.pairs.select_related("document")}
    practice = make.make_rater(judgment_list.query_set)
    make.make_judgment(pairs["d1"], practice, 2, gold=Gold.PRACTICE)
    make.make_judgment(pairs["@x"], practice, 2, gold=Gold.PRACTICE)
    make.make_judgment(pairs["d 3"], practice, 2, gold=Gold.TEST)

    content = download(client, judgment_list, format)[1]
    other = make.make_list(judgment_list.query_set, scale=judgment_list.scale, overlap=2)
    bring_in(other, content, name="export")

    judged = Judgment.objects.filter(judgment_list=other, rater=practice)
    assert [one.pair.document.external_id for one in judged.select_related("pair__document")] == ["d 3"]
    unjudged = other.pairs.filter(judgments=None)
    assert list(unjudged.values_list("document__external_id", flat=True)) == ["@x"]


@pytest.mark.parametrize("format", ["quepid", "opensearch", "rre"])
def test_grades_come_back_into_another_list(client, admin, judgment_list, format):
    _, content = download(client, judgment_list, format)
    other = make.make_list(judgment_list.query_set, scale=judgment_list.scale)

    bring_in(other, content, name="export")

    names = ("query__external_id", "document__external_id", "value")
    stored, fresh = (
        sorted(ConsensusGrade.objects.filter(judgment_list=one, value__isnull=False).values_list(*names))
        for one in (judgment_list, other)
    )
    assert fresh == stored == [("q1", "d1", 2), ("q2", "d 3", 0.5)]


def test_an_engineer_takes_grades_out_and_not_what_single_raters_said(client, judgment_list):
    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))

    page = client.get(reverse("list-export", args=[judgment_list.pk])).content.decode()

    assert "TREC qrels" in page
    assert "every rater" not in page
    for format in WRITABLE:
        assert (download(client, judgment_list, format)[0].status_code == 404) == (format not in GRADES)
    assert download(client, judgment_list, "xml")[0].status_code == 404


def test_what_a_format_cannot_hold_is_said_on_the_page(client, admin, judgment_list):
    response, page = download(client, judgment_list, "qrels")
    assert response.status_code == 422
    assert "The ID “d 3” holds a blank" in page

    response, page = download(client, judgment_list, "rank-eval")
    assert response.status_code == 422
    assert "Round the grades" in page
    rounded = json.loads(download(client, judgment_list, "rank-eval", round="1")[1])
    assert [one["ratings"][0]["rating"] for one in rounded["requests"]] == [2, 0]


def test_formats_that_hold_the_same_stand_together(client, admin, judgment_list):
    """“Every rater’s judgments” stood there three times, once above what isn’t."""
    page = " ".join(html_of(client.get(reverse("list-export", args=[judgment_list.pk]))).split())

    headings = re.findall(r'scope="rowgroup"><span>(.*?) ?</span>', page)
    assert headings == [
        "One grade per pair",
        "One grade per pair, with the rater of pairs judged once",
        "Every rater’s judgments",
    ]


def test_the_page_says_that_decisions_and_gold_pairs_are_left_out(client, admin, judgment_list):
    page = html_of(client.get(reverse("list-export", args=[judgment_list.pk])))

    assert page.count('<td class="wrap">decisions, gold pairs, how sure raters were') == 2
    assert reverse("list-disagreements", args=[judgment_list.pk]) in page.split("Decisions have a file")[1]


def test_a_file_beside_the_export_says_what_it_is(client, admin, judgment_list):
    response, content = download(client, judgment_list, "opensearch", about="1")

    about = json.loads(content)
    named = r'attachment; filename="about-A-list\.live-[0-9-]+\.opensearch\.json"'
    assert re.fullmatch(named, response["Content-Disposition"])
    assert (about["list"], about["query_set"], about["consensus_rule"], about["tie_rule"]) == (
        "A list",
        "Shop",
        "median",
        "higher",
    )
    assert about["scale"]["grades"] == {"-1": "Level 0", "0.5": "Level 1", "2": "Level 2"}


def test_queries_that_share_a_text_are_named_by_their_ids(client, admin, judgment_list):
    make.make_query(judgment_list.query_set, "q3", text="blue")

    assert download(client, judgment_list, "quepid")[1].splitlines()[1:] == ["q1,d1,2", "q2,d 3,0.5"]


def test_a_text_that_is_the_id_of_another_query_names_none(client, admin, judgment_list):
    make.make_query(judgment_list.query_set, "blue", text="Navy")

    assert download(client, judgment_list, "quepid")[1].splitlines()[1:] == ["q1,d1,2", "q2,d 3,0.5"]


def test_a_text_that_is_the_id_of_its_own_query_names_it(client, admin, judgment_list):
    make.make_query(judgment_list.query_set, "Navy", text="Navy")

    assert download(client, judgment_list, "quepid")[1].splitlines()[1:] == ["red dress,d1,2", "blue,d 3,0.5"]


def command(*arguments):
    out, err = StringIO(), StringIO()
    call_command("export_judgments", *map(str, arguments), stdout=out, stderr=err, no_color=True)
    return out.getvalue(), err.getvalue()


def test_the_command_writes_a_file_and_what_it_is(tmp_path, judgment_list):
    there = ("--query-set", "shop", "--list", "a list")
    path = tmp_path / "out.csv"

    command(*there, "--format", "quepid", "--output", path)

    assert next(csv.DictReader(StringIO(path.read_text()))) == {
        "query": "red dress",
        "docid": "d1",
        "rating": "2",
    }
    assert json.loads((tmp_path / "out.csv.about.json").read_text())["scale"]["name"] == "Own"
    command(*there, "--format", "touchstone", "--output", tmp_path / "own.csv")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["out.csv", "out.csv.about.json", "own.csv"]


def test_the_command_says_what_trec_eval_does_to_fractions():
    query_set = make.make_query_set(name="B")
    bring_in(
        make.make_list(query_set, name="L", scale=make.preset("Continuous 0–1")), "q 0 d 0.25\nq 0 e 1\n"
    )

    out, err = command("--query-set", "B", "--list", "L")

    assert out == "q 0 d 0.25\nq 0 e 1\n"
    assert err == "1 grade with a fraction: trec_eval cuts them to whole numbers.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--query-set", "No", "--list", "A list"), "no query set “No”"),
        (("--query-set", "Shop", "--list", "No"), "no list “No”"),
        (("--query-set", "Shop", "--list", "A list"), "holds a blank"),
        (
            ("--query-set", "Shop", "--list", "A list", "--format", "jsonl", "--output", "/nowhere/x"),
            "cannot be written",
        ),
    ],
)
def test_the_command_refuses_with_status_2(judgment_list, arguments, message):
    with pytest.raises(CommandError, match=message) as caught:
        command(*arguments)

    assert caught.value.returncode == 2


def test_real_qrels_come_out_as_they_went_in():
    data = (shared_data("esci_small") / "qrels.txt").read_text()
    bring_in(make.make_list(make.make_query_set(name="E"), name="L", scale=make.preset("ESCI")), data)

    out, _ = command("--query-set", "E", "--list", "L")

    assert sorted(out.splitlines()) == sorted(data.splitlines())


def test_the_page_says_how_many_grades_trec_eval_would_cut(client, admin, judgment_list):
    page = client.get(reverse("list-export", args=[judgment_list.pk]))

    assert page.context["contents"] == {
        "grades": 2,
        "judgments": 4,
        "pairs": 4,
        "fractions": 1,
        "targeted": 0,
    }
    text = " ".join(page.content.decode().split())
    assert "1 grade isn’t a whole number. trec_eval truncates it" in text


def test_the_command_writes_to_what_is_no_file(judgment_list):
    command("--query-set", "shop", "--list", "a list", "--format", "touchstone", "--output", os.devnull)

    assert not Path(os.devnull).is_file()
    assert not Path(f"{os.devnull}.part").exists()


ODD_IDS = st.sampled_from(
    ["a", "docid", "#a", "a#", "a b", "a\tb", "a\x0bb", "a\x0cb", "a\nb", "a\rb", "ä\u00a0b", "a\u2003b"]
)


@pytest.mark.parametrize("format", GRADES)
@given(
    query=ODD_IDS,
    document=ODD_IDS,
    value=st.sampled_from([0.0, 0.5, -0.5, -1.0]),
    whole=st.booleans(),
    frozen=st.booleans(),
)
def test_what_a_writer_refuses_is_known_beforehand(format, query, document, value, whole, frozen):
    with transaction.atomic():
        query_set = make.make_query_set()
        judgment_list = make.make_list(query_set, scale=make_scale(query_set, -1, -0.5, 0, 0.5))
        pair = make.make_pair(
            judgment_list, make.make_query(query_set, query), make.make_document(query_set, document)
        )
        make.make_consensus(pair, value)
        version = freeze_version(judgment_list=judgment_list) if frozen else None
        record = JudgmentRecord(0, query, document, "", value)
        try:
            list(GRADES[format].write([record], Description("L", whole_numbers=whole)))
            expected = None
        except FormatError as error:
            expected = error.message

        try:
            made = export(judgment_list, WRITABLE[format], at=make.NOW, whole_numbers=whole, version=version)
            made.content.close()
            refused = None
        except ExportRefusedError as error:
            refused = str(error)

        transaction.set_rollback(True)
    assert refused == expected


def test_names_of_files_differ_by_format_and_state(judgment_list):
    version = freeze_version(judgment_list=judgment_list)
    later = make.NOW + timedelta(seconds=1)
    live = {
        file_name(judgment_list, one.file_kind, at=at)
        for one in WRITABLE.values()
        for at in (make.NOW, later)
    }
    frozen = {
        file_name(judgment_list, GRADES[name].file_kind, at=make.NOW, version=version)
        for name in ("rre", "qrels")
    }

    assert len(live) == 2 * len(WRITABLE)
    assert frozen == {"A-list.v1.rre.json", "A-list.v1.qrels"}
