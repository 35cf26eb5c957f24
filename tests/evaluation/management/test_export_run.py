"""manage.py export_run."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.models import Run
from judgments.models import Act, Verb
from tests import factories as make
from tests.evaluation.runs.exported import rankings, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    query_set = make.make_query_set(name="Shop")
    make.make_query(query_set, "q1")
    run = store(query_set, b"q1 Q0 d1 1 2 t\nq1 Q0 d2 2 2 t\n")
    Run.objects.filter(pk=run.pk).update(name="bm25")
    return run


def export(**options):
    out, err = StringIO(), StringIO()
    call_command(
        "export_run", **{"query_set": "shop", "run": "BM25"} | options, stdout=out, stderr=err, no_color=True
    )
    return out.getvalue(), err.getvalue()


def test_a_run_goes_to_standard_output_and_what_is_changed_to_standard_error(run):
    out, err = export()

    assert out == "q1 Q0 d2 1 2 bm25\nq1 Q0 d1 2 1 bm25\n"
    assert err.startswith("1 query with scores that count down to 1:")
    assert Act.objects.get(verb=Verb.EXPORTED).subject == "run bm25"


def test_a_file_is_read_again_and_says_beside_it_what_it_is(run, tmp_path):
    path = tmp_path / "bm25.csv"

    said = export(format="csv", output=path)
    call_command(
        "import_run", str(path), query_set="Shop", name="again", stdout=StringIO(), stderr=StringIO()
    )

    about = json.loads((tmp_path / "bm25.csv.about.json").read_text())
    assert said == ("", "")
    assert (about["query_set"], about["runs"][0]["name"]) == ("Shop", "bm25")
    assert rankings(Run.objects.get(name="again")) == rankings(run) == {"q1": ["d2", "d1"]}


def test_a_run_that_there_is_not_is_named_with_those_that_there_are(run):
    with pytest.raises(CommandError, match=r"Shop has no run named “dense”\. It has: bm25") as error:
        export(run="dense")

    assert error.value.returncode == 2


def test_a_file_that_cannot_be_written_is_no_export(run, tmp_path):
    with pytest.raises(CommandError, match="cannot be written") as error:
        export(output=tmp_path / "missing" / "run.trec")

    assert error.value.returncode == 2
    assert not Act.objects.filter(verb=Verb.EXPORTED).exists()


def test_what_a_format_cannot_hold_is_refused(run):
    run.query_set.queries.update(external_id="#1")

    with pytest.raises(CommandError, match="“#1” would start a comment in TREC runs") as error:
        export()

    assert error.value.returncode == 2
