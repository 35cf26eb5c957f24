"""IDs that a careless reader would take for numbers, for nothing, for formulas or for names of columns come back from each format."""

import csv
import io
import json
from dataclasses import replace

import polars as pl
import pytest

from tests.touchstone_core.formats.judgments.test_judgment_round_trips import bare, read_back, text_in
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.content import content_writers as write
from touchstone_core.formats.content.documents import DocumentRecord, read_documents
from touchstone_core.formats.content.queries import QueryRecord, read_queries
from touchstone_core.formats.judgments.judgment_files import WRITABLE, open_judgment_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.runs.runs import read_file, read_runs

NOTHING = ["null", "None", "NULL", "NA", "nan", "NaN", "\\N", "*", "-", "'"]
NUMBERS = ["0", "007", "-1", "1.0", "1e5", "1_000", "0x10", "inf", "-Infinity", "1,5", "true", "FALSE", "2024-01-01"]  # fmt: skip
WORDS = ["Q0", "q0", "query", "id", "document", "rank", "score", "tag", "=1", "@x", "red  shoes", "{", "[1]"]
TWO_FORMS = ["caf\u00e9", "cafe\u0301"]
"""One word in two Unicode forms. Systems that make IDs tell them apart, so they are two IDs."""
IDS = [*NOTHING, *NUMBERS, *WORDS, *TWO_FORMS]


def fitting(format):
    """Without the IDs that the format says it can't hold."""
    return [id for id in IDS if not (" " in id and format in ("qrels", "letor"))]


@pytest.mark.parametrize("format", WRITABLE)
def test_judgments_of_odd_ids_come_back(format):
    for id in fitting(format):
        alone = [JudgmentRecord(1, id, id, "", 1.0)]
        assert bare(read_back(format, text_in(format, alone))) == bare(alone)
    several = [JudgmentRecord(1, id, one, "", 2.0) for id in sorted(fitting(format)) for one in ("d1", id)]
    assert bare(read_back(format, text_in(format, several))) == bare(several)


def rows_by_query(rows):
    found = {}
    for query, document in rows:
        found.setdefault(query, []).append(document)
    return found


def trec(rows):
    return "".join(f"{query}\tQ0\t{document}\t1\t{-nth}\tt\n" for nth, (query, document) in enumerate(rows))


def table(rows, delimiter=","):
    file = io.StringIO()
    lines = [(query, document, -nth) for nth, (query, document) in enumerate(rows)]
    csv.writer(file, delimiter=delimiter).writerows([("query", "document", "score"), *lines])
    return file.getvalue()


def hits(rows):
    return [{"query": query, "document": document, "score": -nth} for nth, (query, document) in enumerate(rows)]  # fmt: skip


def parquet(rows):
    file = io.BytesIO()
    pl.DataFrame(hits(rows)).write_parquet(file)
    return file.getvalue()


RUNS = {
    "trec": trec,
    "csv": table,
    "tsv": lambda rows: table(rows, "\t"),
    "json": lambda rows: json.dumps(rows_by_query(rows)),
    "JSON lines": lambda rows: "".join(f"{json.dumps(hit)}\n" for hit in hits(rows)),
    "Parquet": parquet,
    "rank_eval": lambda rows: json.dumps(
        {"metric_score": 0.5, "details": {query: {"hits": [{"hit": {"_id": one}} for one in documents]}
                     for query, documents in rows_by_query(rows).items()}}
    ),
    "opensearch": lambda rows: "".join(
        f"{json.dumps({'searchText': query, 'documentIds': documents})}\n"
        for query, documents in rows_by_query(rows).items()
    ),
}  # fmt: skip


@pytest.mark.parametrize("format", RUNS)
def test_runs_of_odd_ids_are_read_as_they_are(format):
    ids = [id for id in IDS if format != "trec" or not (" " in id or id[0] in "[{")]  # as JSON begins
    for rows in (
        [("q1", "x1"), *[(id, one) for id in ids for one in ("x1", id)]],
        *[[(id, id)] for id in ids],
    ):
        content = RUNS[format](rows)
        data = content if isinstance(content, bytes) else content.encode()
        file = read_file(data, name="run.parquet" if format == "Parquet" else "run", limit=1 << 20)

        assert file.report.ok, list(file.report.errors.sentences())
        [run] = file.runs
        assert {one.query: one.documents for one in run.rankings} == rows_by_query(rows)


@pytest.mark.parametrize("ids", [[1, 0, -7], [2**62, 7, 0]])
def test_whole_numbers_of_parquet_are_read_as_they_are_written(ids):
    file = read_file(parquet([(ids[0], one) for one in ids]), name="run.parquet", limit=1 << 20)

    assert file.runs[0].rankings[0].documents == list(map(str, ids))


@pytest.mark.parametrize("ids", [[1.5, 0.0], [True, False], [b"a", b"b"]])
def test_what_is_neither_text_nor_a_whole_number_in_parquet_is_refused(ids):
    with pytest.raises(FormatError, match="expected text or whole numbers"):
        read_file(parquet([("q1", one) for one in ids]), name="run.parquet", limit=1 << 20)


def without_lines(records):
    return [replace(one, line=0) for one in records]


@pytest.mark.parametrize("writer", [write.queries_csv, write.queries_jsonl, write.beir_queries])
def test_queries_with_odd_ids_come_back(writer):
    queries = [QueryRecord(0, id, id, id, 2.0, ("a tag",)) for id in IDS]

    for records in (queries, *[[one] for one in queries]):
        back = read_queries(text_of("".join(writer(records))))
        assert back.report.ok
        assert without_lines(back.records) == records


@pytest.mark.parametrize("format", ["csv", "jsonl", "beir"])
def test_documents_with_odd_ids_come_back(format):
    writers = {"csv": lambda records: write.documents_csv(records, ["brand"]), "jsonl": write.documents_jsonl}
    documents = [DocumentRecord(0, id, id, id, "", "", {"brand": id}) for id in IDS]

    for records in (documents, *[[one] for one in documents]):
        back = read_documents(text_of("".join(writers.get(format, write.beir_corpus)(records))))
        assert back.report.ok
        assert without_lines(back.records) == records


@pytest.mark.parametrize("id", [*IDS, '"a"', '"a', 'a"b', "#1"])
def test_qrels_of_a_beir_folder_come_back_to_us_and_to_its_own_reader(id):
    """That reads with Python's csv module, tabs and the usual quotes (beir 2.1, datasets/data_loader.py)."""
    records = [JudgmentRecord(1, id, one, "", 1.0) for one in ("d1", id)]
    content = "".join(write.beir_qrels(records))

    assert bare(open_judgment_text(text_of(content)).read().records) == bare(records)
    rows = list(csv.reader(io.StringIO(content), delimiter="\t", quoting=csv.QUOTE_MINIMAL))
    assert rows[1:] == [[id, "d1", "1"], [id, id, "1"]]


def test_blanks_around_an_id_belong_to_no_format():
    runs = ['query,document\n q ," d "\n', '{" q ": [" d "]}', '{"query": " q ", "document": " d "}\n']
    judgments = ['query,document,grade\n q ," d ",1\n', '{"query": " q ", "document": " d ", "grade": 1}\n']

    for content in runs:
        [ranking] = read_runs(text_of(content)).runs[0].rankings
        assert (ranking.query, ranking.documents) == ("q", ["d"])
    for content in judgments:
        assert bare(open_judgment_text(text_of(content)).read().records) == [("q", "d", 1)]
    for content in ('query_id,query\n" q ",x\n', '{"query_id": " q ", "query": "x"}\n'):
        assert read_queries(text_of(content)).records[0].query_id == "q"
    for content in ('document_id,title\n" d ",x\n', '{"_id": " d ", "title": "x"}\n'):
        assert read_documents(text_of(content)).records[0].document_id == "d"
