"""manage.py import_run."""

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import Run
from tests import factories as make
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    query_set = make.make_query_set(name="Shop")
    make.make_query(query_set, "q1")
    return query_set


def test_a_file_becomes_a_run(query_set, tmp_path, capsys):
    file = tmp_path / "run.csv"
    file.write_text("query,document,score\nq1,d1,2\nq1,d2,1\n")

    call_command("import_run", str(file), "--query-set", "shop")

    said = capsys.readouterr()
    assert Run.objects.get().name == "run"
    assert said.out == "Run “run”: 1 query, 2 documents.\n"
    assert said.err == "Warning: None of its 2 documents is known to this query set.\n"


def test_documents_that_are_not_known_are_counted(query_set, tmp_path, capsys):
    make.make_document(query_set, "d1")
    file = tmp_path / "run.csv"
    file.write_text("query,document,score\nq1,d1,2\nq1,d2,1\n")

    call_command("import_run", str(file), "--query-set", "shop")

    assert "1 of its 2 documents is not known to this query set." in capsys.readouterr().out


def test_errors_are_told_by_line_and_store_nothing(query_set, tmp_path, capsys):
    file = tmp_path / "run.trec"
    file.write_text("q1 Q0 d1 1 2 t\nq7 Q0 d1 1 2 t\n")

    with pytest.raises(CommandError) as error:
        call_command("import_run", str(file), "--query-set", "Shop")

    assert error.value.returncode == 2
    assert "Line 2" in capsys.readouterr().err
    assert not Run.objects.exists()


def test_of_several_files_the_one_with_the_problem_is_named(query_set, tmp_path, capsys):
    good, bad = tmp_path / "good.trec", tmp_path / "bad.trec"
    good.write_text("q1 Q0 d1 1 2 good\nq1 Q0 d2 2 2 good\n")
    bad.write_text("q1 Q0 d1 1 x bad\nq1 Q0 d2 2 y bad\n")

    with pytest.raises(CommandError) as error:
        call_command("import_run", str(good), str(bad), "--query-set", "Shop")

    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Warning: good.trec: Line 1: equal scores for query q1.")
    assert "bad.trec: Line 2, column score: “y” should be a number." in lines
    assert str(error.value) == "Nothing was stored: bad.trec has 2 problems."


def test_nothing_is_called_stored_before_every_file_is(query_set, tmp_path, capsys):
    one, other = tmp_path / "one.trec", tmp_path / "other.trec"
    for file in (one, other):
        file.write_text("q1 Q0 d1 1 2 same\n")

    with pytest.raises(CommandError) as error:
        call_command("import_run", str(one), str(other), "--query-set", "Shop")

    assert capsys.readouterr().out == ""
    assert str(error.value).startswith("other.trec: This query set already has a run named “same”.")


def test_choices_mend_what_can_be_mended(query_set, tmp_path):
    file = tmp_path / "run.trec"
    file.write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\nq7 Q0 d1 1 2 t\n")

    call_command(
        "import_run", str(file), "--query-set=Shop", "--unknown=skip", "--duplicates=first", "--name=mended"
    )

    assert (Run.objects.get().name, Run.objects.get().row_count) == ("mended", 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.trec", "--query-set", "Shop"], "cannot be read"),
        (["x", "--query-set", "No"], "no query set"),
    ],
)
def test_what_is_not_there_is_named(query_set, arguments, says):
    with pytest.raises(CommandError, match=says) as error:
        call_command("import_run", *arguments)
    assert error.value.returncode == 2


def test_the_real_runs_of_thirty_queries_are_taken():
    folder = shared_data("esci_small")
    query_set = make.make_query_set(name="ESCI")
    for line in (folder / "queries.csv").read_text().splitlines()[1:]:
        make.make_query(query_set, line.split(",")[0])

    for path in sorted((folder / "runs").glob("*.trec")):
        call_command("import_run", str(path), "--query-set", "ESCI", verbosity=0)

    assert Run.objects.count() == 8


def test_every_run_of_a_file_is_stored_and_told(query_set, tmp_path, capsys):
    file = tmp_path / "runs.trec"
    file.write_text("q1 Q0 d1 1 2 a\nq1 Q0 d2 1 2 b\n")
    make.make_document(query_set, "d1")
    make.make_document(query_set, "d2")

    call_command("import_run", str(file), "--query-set=Shop", "--several=split", "--name=new")

    assert capsys.readouterr().out == "Run “new a”: 1 query, 1 document.\nRun “new b”: 1 query, 1 document.\n"


def test_each_run_without_a_known_query_is_left_out_and_named(query_set, tmp_path, capsys):
    file = tmp_path / "runs.trec"
    file.write_text("q1 Q0 d1 1 2 a\nq9 Q0 d1 1 2 b\nq9 Q0 d1 1 2 c\n")

    call_command("import_run", str(file), "--query-set=Shop", "--several=split", "--unknown=skip")

    assert Run.objects.get().name == "a"
    lines = capsys.readouterr().err.splitlines()
    for name in "bc":
        left_out = f"Warning: runs.trec: Run “{name}”: no known query, so it’s left out."
        assert [line for line in lines if line.startswith(left_out)]


def test_the_line_that_names_the_columns_may_be_said(query_set, tmp_path):
    file = tmp_path / "run.csv"
    file.write_text("query,document,score\nq1,old,3\nquery,document,score\nq1,d1,2\n")

    call_command("import_run", str(file), "--query-set=Shop", "--header-line=3")

    assert Run.objects.get().row_count == 1


def test_queries_are_found_by_text_where_that_is_chosen(tmp_path):
    query_set = make.make_query_set(name="Shop")
    make.make_query(query_set, "7", text="red shoes")
    file = tmp_path / "run.csv"
    file.write_text("query,document\nred shoes,d1\n")

    call_command("import_run", str(file), "--query-set=Shop", "--queries=text", "--format=csv")

    assert Run.objects.get().rankings.get().query.external_id == "7"


def test_several_files_and_a_folder_are_stored_all_or_none(query_set, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / ".hidden").write_text("no run")
    for name in ("a", "b"):
        (folder / f"{name}.trec").write_text(f"q1 Q0 d1 1 2 {name}\n")
    bad = tmp_path / "bad.trec"
    bad.write_text("q1 Q0 d1 1 high t\n")

    with pytest.raises(CommandError):
        call_command("import_run", str(folder), str(bad), "--query-set", "Shop")
    assert not Run.objects.exists()

    call_command("import_run", str(folder), "--query-set=Shop", "--name=new")
    assert sorted(Run.objects.values_list("name", flat=True)) == ["new a", "new b"]


def test_tags_and_origin_are_stored_with_every_run(query_set, tmp_path):
    file = tmp_path / "run.trec"
    file.write_text("q1 Q0 d1 1 2 t\n")

    call_command(
        "import_run",
        str(file),
        "--query-set=Shop",
        "--tag=nightly",
        "--tag=bm25",
        "--commit=a1b2c3",
        "--link=https://ci.example/7",
        "--notes=With synonyms",
    )

    run = Run.objects.get()
    assert (run.tags, run.commit, run.link) == (["nightly", "bm25"], "a1b2c3", "https://ci.example/7")
    assert run.notes == "With synonyms"


@pytest.mark.parametrize(
    "option", ["--link=ftp://ci.example/7", f"--tag={'x' * 61}", f"--commit={'x' * 101}"]
)
def test_details_that_no_run_can_have_are_refused_by_name(query_set, tmp_path, option):
    file = tmp_path / "run.trec"
    file.write_text("q1 Q0 d1 1 2 t\n")

    with pytest.raises(CommandError, match=option.partition("=")[0]):
        call_command("import_run", str(file), "--query-set=Shop", option)

    assert not Run.objects.exists()
