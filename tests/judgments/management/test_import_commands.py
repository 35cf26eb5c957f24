"""The three import commands on real and on broken files."""

import bz2
import gzip
import zipfile
from io import BytesIO

import pytest
import zstandard

from judgments.models import (
    ConsensusGrade,
    Document,
    Judgment,
    JudgmentList,
    Pair,
    Query,
    QuerySet,
    Slot,
)
from tests import factories as make
from tests.judgments.management.importing import refused, run, write
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["judgments.csv", "qrels.txt"])
def test_the_real_data_arrive_by_command(name):
    folder = shared_data("esci_small")

    out, _ = run("import_queries", folder / "queries.csv", "--query-set", "ESCI", "--create")
    assert out == "queries.csv: 30 queries new, 0 changed, 0 unchanged.\n"
    for file, count in (("products.csv", 1267), ("extra_products_in_runs.csv", 512)):
        out, _ = run("import_documents", folder / file, "--query-set", "ESCI")
        assert out == f"{file}: {count:,} documents new, 0 changed, 0 unchanged.\n"
    out, _ = run(
        "import_judgments",
        folder / name,
        "--query-set",
        "esci",
        "--list",
        "All",
        "--create",
        "--scale",
        "ESCI",
    )

    assert out == f"{name}: 1,269 judgments new, 0 changed, 0 unchanged.\n"
    assert ConsensusGrade.objects.filter(value__isnull=False).count() == 1269
    assert "\n" in Document.objects.get(external_id="B07CXG6C9W").fields["bullet_points"]


def test_a_dry_run_says_what_would_change_and_changes_nothing(tmp_path):
    path = write(tmp_path, "query_id,query\nq1,zoo\n")

    out, err = run("import_queries", path, "--query-set", "New", "--create", "--dry-run")

    assert out == "file.csv: 1 query would be new, 0 changed, 0 unchanged.\n"
    assert err == ""
    assert not QuerySet.objects.exists()


def test_a_column_that_no_file_has_is_refused(tmp_path):
    make.make_query_set(name="A")
    path = write(tmp_path, "number,query\n1,zoo\n")

    said, status, _ = refused("import_queries", path, "--query-set", "A", "--column", "key=number")

    assert said == (
        "--column key=number: queries have no “key”. Choose one of query_id, query, information_need, weight, tags."
    )
    assert status == 2


def test_columns_their_line_and_encoding_may_be_named(tmp_path):
    path = write(tmp_path, "nummer;frage\n0;Alt\nnummer;frage\n1;Käse\n".encode("latin-1"))

    run(
        *("import_queries", path, "--query-set", "A", "--create", "--encoding", "latin-1"),
        *("--column", "query_id=nummer", "--column", "query=frage", "--header-line", "3"),
    )

    assert Query.objects.get().text == "Käse"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", "needs a column for query;"),
        ("a,b\n1,2\n", "If the column has another name, add --column query=HEADER."),
        (b"query_id,query\n1,\x81\n", "holds bytes that neither UTF-8"),
        (gzip.compress(b"query_id,query\nq1,zoo\n" * 1000, mtime=0)[:-20], "is cut off"),
        (b"PK\x03\x04", "starts as zip"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_status_2(tmp_path, content, message):
    path = write(tmp_path, content)

    said, status, _ = refused("import_queries", path, "--query-set", "A", "--create")

    assert message in said
    assert status == 2
    assert not QuerySet.objects.exists()


@pytest.mark.parametrize("what", ["queries", "documents", "judgments"])
def test_a_header_without_rows_is_refused_and_creates_nothing(tmp_path, what):
    """Such as an export that broke."""
    header = {"queries": "query_id,query", "documents": "id,title", "judgments": "query_id,document_id,grade"}
    place = ["--list", "Main", "--scale", "TREC 0–3"] if what == "judgments" else []

    said, status, _ = refused(
        f"import_{what}", write(tmp_path, f"{header[what]}\n"), "--query-set", "New", "--create", *place
    )

    assert (said, status) == (f"file.csv holds no {what} that can be imported.", 2)
    assert not QuerySet.objects.exists()


def test_problems_are_told_by_line_and_nothing_is_stored(tmp_path):
    path = write(tmp_path, "query_id,query\nq1,zoo\nq1,lion\n,cat\n")

    said, status, err = refused("import_queries", path, "--query-set", "A", "--create")

    assert said == "Nothing was imported: 2 problems in file.csv."
    assert status == 2
    assert "Line 3, column query_id" in err
    assert not Query.objects.exists()


def test_queries_without_ids_are_known_by_their_text(tmp_path):
    path = write(tmp_path, "query,information_need\nred shoes,To buy\n")

    first, _ = run("import_queries", path, "--query-set", "A", "--create")
    again, _ = run("import_queries", path, "--query-set", "A")

    said = "The file has no query IDs. Queries whose text is already here are updated. Every other query gets an ID made from its text.\n"
    assert first == f"{said}file.csv: 1 query new, 0 changed, 0 unchanged.\n"
    assert again == f"{said}file.csv: 0 queries new, 0 changed, 1 unchanged.\n"


def test_good_lines_are_imported_on_request(tmp_path):
    path = write(tmp_path, "query_id,query\nq1,zoo\nq1,lion\n")

    out, err = run("import_queries", path, "--query-set", "A", "--create", "--good-lines")

    assert out == "file.csv: 1 query new, 0 changed, 0 unchanged.\n"
    assert "Line 3" in err


def test_a_file_that_is_not_there_is_said(tmp_path):
    make.make_query_set(name="A")

    said, status, _ = refused("import_documents", tmp_path / "none.csv", "--query-set", "A")

    assert "cannot be read: No such file" in said
    assert status == 2


def test_an_unknown_query_set_list_and_scale_are_said(tmp_path):
    path = write(tmp_path, "q1 0 d1 2\n", "qrels.txt")
    for command in ("import_queries", "import_documents"):
        said, status, _ = refused(command, path, "--query-set", "B")
        assert "no query set “B”" in said
        assert said.endswith("Create it with --create.")
        assert status == 2
    said, status, _ = refused("import_judgments", path, "--query-set", "B", "--list", "L")
    assert said.endswith(
        "Create it with its queries by import_queries --create, or here with --create and --create-missing."
    )
    assert status == 2
    make.make_query_set(name="A")

    said, status, _ = refused("import_judgments", path, "--query-set", "A", "--list", "L")
    assert said == "A has no list “L”. It has none yet. Create it with --create and --scale."
    assert status == 2
    said, status, _ = refused("import_judgments", path, "--query-set", "A", "--list", "L", "--create")
    assert said.startswith("Name the scale of the new list with --scale: Binary,")
    assert status == 2
    new = ("import_judgments", path, "--query-set", "A", "--list", "L", "--create", "--scale", "Stars")
    said, status, _ = refused(*new)
    assert said.startswith("A has no scale “Stars”. Name the scale of the new list with --scale: Binary,")
    assert status == 2
    assert (
        "overlap is 0"
        in refused(
            *("import_judgments", path, "--query-set", "A", "--list", "L", "--create", "--overlap", "0")
        )[0]
    )


def test_a_column_without_a_header_is_said(tmp_path):
    path = write(tmp_path, "query_id,query\nq1,zoo\n")

    said, status, _ = refused("import_queries", path, "--query-set", "A", "--create", "--column", "query")

    assert (said, status) == ("--column query is not NAME=HEADER.", 2)


def test_what_negative_grades_and_fractions_become_is_chosen_and_counted(tmp_path):
    query_set = make.make_query_set(name="A")
    make.make_list(query_set, name="L", scale=make.preset("Binary"))
    path = write(tmp_path, "q1 0 d1 0.6\nq1 0 d2 -1\n", "qrels.txt")
    there = ("import_judgments", path, "--query-set", "A", "--list", "L", "--create-missing")

    said, _, err = refused(*there)
    assert said.startswith("Nothing was imported: 2 problems in qrels.txt. --negative says")
    assert "or choose what a negative grade means" in err

    out, err = run(*there, "--negative", "pair", "--between", "nearest")
    assert out == "qrels.txt: 1 judgment new, 0 changed, 0 unchanged. 1 pair to judge new, 0 known.\n"
    assert all(line.startswith("Warning: Line ") for line in err.splitlines())
    assert "“0.6” should be a grade of the scale (it becomes 1)" in err
    assert "“-1” should be 0 or more (it becomes a pair to be judged)" in err


def test_warnings_of_a_kind_are_one_line(tmp_path):
    """A file of fractions would else hide, in a hundred lines, what came of it."""
    make.make_list(make.make_query_set(name="A"), name="L", scale=make.preset("Binary"))
    path = write(tmp_path, "".join(f"q1 0 d{number} 0.6\n" for number in range(9)), "qrels.txt")

    _, err = run(
        "import_judgments",
        path,
        "--query-set",
        "A",
        "--list",
        "L",
        "--create-missing",
        "--between",
        "nearest",
    )

    about_grades = [line for line in err.splitlines() if "a grade of the scale (it becomes 1)" in line]
    assert len(about_grades) == 1
    assert about_grades[0].startswith("Warning: Line 1, ")
    assert about_grades[0].endswith(" So in 8 more rows.")


@pytest.mark.parametrize("row", ["q1 d1 1", "q1 0 d1 1 0.5"])
def test_qrels_with_a_column_less_or_more_say_what_they_need(tmp_path, row):
    make.make_list(make.make_query_set(name="A"), name="L", scale=make.preset("Binary"))
    path = write(tmp_path, f"{row}\n", "qrels.txt")

    _, _, err = refused("import_judgments", path, "--query-set", "A", "--list", "L")

    assert err == f"Line 1: {len(row.split())} columns. There should be query, 0, document and grade.\n"


@pytest.mark.parametrize(
    ("rows", "option"),
    [
        ("q1,d1,1,Ann\nq1,d1,1,ann\n", "--rater-is NAME=same:OTHER"),
        ("q1,d1,-1,Ann\n", "--negative"),
        ("q1,d1,.4,Ann\n", "--between nearest"),
    ],
)
def test_a_refusal_names_the_option_that_decides(tmp_path, rows, option):
    query_set = make.make_query_set(name="A")
    make.make_query(query_set, "q1")
    make.make_document(query_set, "d1")
    make.make_list(query_set, name="L", scale=make.preset("Binary"))
    path = write(tmp_path, f"query_id,document_id,grade,rater\n{rows}", "judgments.csv")

    said, _, _ = refused("import_judgments", path, "--query-set", "A", "--list", "L")

    assert f"Nothing was imported: 1 problem in judgments.csv. {option}" in said


def test_unknown_grades_queries_and_documents_are_told_by_line(tmp_path):
    query_set = make.make_query_set(name="A")
    make.make_query(query_set, "q1")
    make.make_document(query_set, "d1")
    make.make_list(query_set, name="L", scale=make.preset("Binary"))
    path = write(tmp_path, "q1 0 d1 7\nq9 0 d1 1\nq1 0 d9 1\n", "qrels.txt")

    said, _, err = refused("import_judgments", path, "--query-set", "A", "--list", "L")

    assert (
        said
        == "Nothing was imported: 3 problems in qrels.txt. --create-missing makes unknown queries and documents."
    )
    assert "should be a grade of the scale “Binary”: 0 (Not relevant), 1 (Relevant)" in err
    assert "Line 2, column query: unknown query “q9”" in err
    assert "Line 3, column document: unknown document “d9”" in err
    assert not Judgment.objects.exists()


def test_the_rater_of_a_file_may_be_named_and_missing_things_made(tmp_path):
    path = write(tmp_path, "q1 0 d1 1\n", "qrels.txt")

    run(
        *("import_judgments", path, "--query-set", "A", "--list", "L", "--create", "--scale", "binary"),
        *("--create-missing", "--rater", "assessor 3", "--overlap", "2"),
    )

    assert Judgment.objects.get().rater.name == "assessor 3"
    assert JudgmentList.objects.get().overlap == 2


def test_pairs_to_be_judged_arrive_by_command(tmp_path):
    query_set = make.make_query_set(name="A")
    for name in ("d1", "d2", "d3"):
        make.make_document(query_set, name)
    make.make_query(query_set, "q1")
    make.make_list(query_set, name="L", overlap=2)
    pairs = write(tmp_path, "query,document\nq1,d1\nq1,d2\n", "pairs.csv")
    mixed = write(tmp_path, "query,document,rater,grade\nq1,d2,,\nq1,d3,,\nq1,d3,ann,2\n", "mixed.csv")

    out, _ = run("import_judgments", pairs, "--query-set", "A", "--list", "L", "--dry-run")
    assert out == "pairs.csv: 2 pairs to judge would be new, 0 known.\n"
    assert not Pair.objects.exists()
    out, _ = run("import_judgments", pairs, "--query-set", "A", "--list", "L")
    assert out == "pairs.csv: 2 pairs to judge new, 0 known.\n"
    assert Slot.objects.filter(state="open").count() == 4
    out, _ = run("import_judgments", mixed, "--query-set", "A", "--list", "L")

    assert out == "mixed.csv: 1 judgment new, 0 changed, 0 unchanged. 1 pair to judge new, 1 known.\n"
    assert Judgment.objects.get().rater.name == "ann"
    assert Slot.objects.filter(state="open").count() == 5


def test_pairs_by_command_can_come_when_the_others_are_done(tmp_path):
    run("import_queries", write(tmp_path, "id,text\nq1,one\n"), "--query-set", "A", "--create")
    run("import_documents", write(tmp_path, "id,title\nd1,one\n"), "--query-set", "A")
    file = write(tmp_path, "query,document\nq1,d1\n", "pairs.csv")
    make_list = ("--query-set", "A", "--list", "L", "--create", "--scale", "Binary")

    run("import_judgments", file, *make_list, "--priority", "last")

    assert Pair.objects.get().priority == -10


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "zstd", "zip"])
def test_files_may_be_packed(tmp_path, kind):
    pack = {"gzip": gzip.compress, "bzip2": bz2.compress, "zstd": zstandard.compress, "zip": zipped}[kind]
    file = write(tmp_path, pack(b"query_id,query\nq1,zoo\n"), f"queries.{kind}")

    out, _ = run("import_queries", file, "--query-set", "Shop", "--create")

    assert out == f"queries.{kind}: 1 query new, 0 changed, 0 unchanged.\n"


def zipped(data):
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("queries.csv", data)
    return stream.getvalue()
