"""The CSV of a run's queries: its numbers are those of the means, and it reads back."""

import csv
import io

import pytest

from tests.evaluation.scores.views.test_run import address, run
from touchstone_core.formats import cells

__all__ = ["run"]  # fixtures

pytestmark = pytest.mark.django_db


def csv_by_query(client, judgment_list, run, query):
    response = client.get(address(judgment_list, run, query))
    rows = csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode()))
    return {row["query id"]: row for row in rows}


@pytest.mark.parametrize(
    ("query", "text", "nothing"),
    [("", "Judged@10", "0.0"), ("&missing=skip", "Judged(missing='skip')@10", "")],
)
def test_what_shows_nothing_counts_as_unjudged_here_as_in_the_mean(
    client, engineer, judgment_list, run, query, text, nothing
):
    rows = csv_by_query(client, judgment_list, run, "?format=csv" + query)
    data = client.get(address(judgment_list, run, "?format=json" + query)).json()

    values = [float(row[text]) for row in rows.values() if row[text]]
    assert (rows["missing"][text], rows["empty"][text], rows["holes"][text]) == (nothing, "0.0", "0.5")
    assert data["averages"][text]["mean"] == pytest.approx(sum(values) / len(values))


@pytest.mark.parametrize("tags", [["long query", "head"], ["one; two", "three"], ["a, b"], ["[x]"]])
def test_tags_are_written_as_an_import_reads_them(client, engineer, judgment_list, run, tags):
    judgment_list.query_set.queries.filter(external_id="holes").update(tags=tags)

    rows = csv_by_query(client, judgment_list, run, "?format=csv")

    assert cells.tags(rows["holes"]["tags"]) == tuple(tags)
