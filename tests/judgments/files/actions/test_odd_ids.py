"""IDs that look like numbers, like nothing or like marks of COPY come back out of the database, from each format."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.models import Run
from judgments.models import Document, Query
from tests import factories as make
from tests.api import Api
from tests.judgments.files.actions.test_import_grades import bring_in, make_scale
from tests.judgments.files.actions.test_kept_fields import written
from tests.touchstone_core.formats.test_odd_ids import IDS, fitting
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import WRITABLE, open_judgment_text
from touchstone_core.formats.spreadsheet import csv_lines

pytestmark = pytest.mark.django_db


def found_in(content):
    records = open_judgment_text(text_of(content)).read().records
    return {(one.query, one.document): one.grade for one in records}


@pytest.mark.parametrize("format", WRITABLE)
def test_grades_of_odd_ids_come_back_from_the_database(format):
    query_set = make.make_query_set()
    judgment_list = make.make_list(query_set, scale=make_scale(query_set, 0, 1, 2))
    for id in IDS:  # of an unknown query with blanks a text would be made, and an ID without
        make.make_query(query_set, id, text=id)
    table = {(id, one): float(nth % 3) for nth, id in enumerate(fitting(format)) for one in (id, "d1")}
    lines = [("query_id", "document", "grade"), *((*pair, grade) for pair, grade in table.items())]

    result, report = bring_in(judgment_list, "".join(csv_lines(lines)), name="odd.csv")

    assert report.ok
    assert result.new == len(table)
    assert found_in(written(judgment_list, format)) == table


def test_queries_documents_and_runs_with_odd_ids_are_stored_as_they_are(tmp_path):
    query_set = make.make_query_set(name="Shop")
    api = Api(make.make_member(query_set, "admin"))
    for what, name in (("queries", "query_id"), ("documents", "document_id")):
        path = tmp_path / f"{what}.jsonl"
        path.write_text("".join(json.dumps({name: id, "query": id, "title": id}) + "\n" for id in IDS))
        call_command(f"import_{what}", str(path), query_set="Shop", stdout=StringIO(), stderr=StringIO())

    answer = api.post(
        f"query-sets/{query_set.pk}/runs?file_name=odd.json", json.dumps(dict.fromkeys(IDS, IDS)).encode()
    )

    assert answer.status_code == 201, answer.content
    assert list(Query.objects.order_by("pk").values_list("external_id", "text")) == [(id, id) for id in IDS]
    assert list(Document.objects.order_by("pk").values_list("external_id", "title")) == [
        (id, id) for id in IDS
    ]
    assert set(Run.objects.get().rankings.values_list("query__external_id", "size")) == {
        (id, len(IDS)) for id in IDS
    }
