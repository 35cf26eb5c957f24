"""Texts that spreadsheets would run as formulas: CSV has an apostrophe before them, which readers take off; TSV has texts as they are."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.touchstone_core.formats.judgments.test_judgment_round_trips import bare
from tests.touchstone_core.formats.texts import read_run, text_of
from touchstone_core.formats.content import content_writers as write
from touchstone_core.formats.content.document_files import read_document_text
from touchstone_core.formats.content.documents import DocumentRecord
from touchstone_core.formats.content.queries import QueryRecord
from touchstone_core.formats.content.query_files import read_query_text
from touchstone_core.formats.judgments.judgment_files import open_judgment_text
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.runs.run_writers import RankingRecord, RunDescription, RunFacts, table
from touchstone_core.formats.spreadsheet import csv_lines

WORDS = ["'=x", "''=", "'-10 degrees sleeping bag", "'", "''", "'x", "-x", "@timestamp", "=1+1"]
TEXTS = st.sampled_from(WORDS) | st.builds(
    str.__add__, st.text("'=+-@", min_size=1, max_size=4), st.sampled_from(["", "a", "10 m", "'"])
)
IDS = st.lists(TEXTS, min_size=1, max_size=4, unique=True)


def csv(rows):
    return "".join(csv_lines(rows))


def semicolons(rows):
    return csv(rows).replace(",", ";")


def tabs(rows):
    """As MS MARCO and BEIR write: nothing is changed."""
    return "".join("\t".join(row) + "\n" for row in rows)


TABLES = [csv, semicolons, tabs]


@pytest.mark.parametrize("written", TABLES)
@given(ids=IDS)
def test_queries_come_back(written, ids):
    rows = [("query_id", "query", "information_need", "tags"), *((id, id, id, id) for id in ids)]

    back = read_query_text(text_of(written(rows)))

    assert [(one.query_id, one.query, one.information_need, one.tags) for one in back.records] == [
        (id, id, id, (id,)) for id in ids
    ]


@given(ids=IDS)
def test_our_own_queries_come_back(ids):
    queries = [QueryRecord(0, id, id, id, 1.0, (id,)) for id in ids]

    for writer in (write.queries_csv, write.queries_jsonl, write.beir_queries):
        back = read_query_text(text_of("".join(writer(queries)))).records
        assert [replace(one, line=0) for one in back] == queries


@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_queries_and_documents_of_ms_marco_are_read_as_they_are(texts):
    bare = tabs((f"q{nth}", text) for nth, text in enumerate(texts))
    four = tabs((f"d{nth}", text, text, text) for nth, text in enumerate(texts))

    assert [one.query for one in read_query_text(text_of(bare)).records] == texts
    assert [one.body for one in read_document_text(text_of(bare)).records] == texts
    assert [(one.url, one.title, one.body) for one in read_document_text(text_of(four)).records] == [
        (text, text, text) for text in texts
    ]


@given(ids=IDS, names=st.lists(st.sampled_from(WORDS), unique_by=lambda name: name.strip("-"), max_size=4))
def test_documents_and_the_names_of_their_fields_come_back(ids, names):
    documents = [DocumentRecord(0, id, id, id, "", "", dict.fromkeys(names, id)) for id in ids]
    rows = [("document_id", "title", *names), *((id, id, *(id for _ in names)) for id in ids)]

    for content in (
        "".join(write.documents_csv(documents, names)),
        "".join(write.documents_jsonl(documents)),
        "".join(write.beir_corpus(documents)),
    ):
        assert [replace(one, line=0) for one in read_document_text(text_of(content)).records] == documents
    for written in TABLES:
        back = read_document_text(text_of(written(rows))).records
        assert [(one.document_id, one.title, one.fields) for one in back] == [
            (one.document_id, one.title, one.fields) for one in documents
        ]


@pytest.mark.parametrize("written", TABLES)
@given(ids=IDS)
def test_judgments_come_back(written, ids):
    rows = [("query", "document", "rater", "grade"), *((id, id, id, "2") for id in ids)]

    back = open_judgment_text(text_of(written(rows))).read()

    assert bare(back.records, "rater") == [(id, id, 2.0, id) for id in ids]


@given(ids=IDS)
def test_qrels_of_beir_come_back(ids):
    records = [JudgmentRecord(1, id, id, "", 1.0) for id in ids]

    back = open_judgment_text(text_of("".join(write.beir_qrels(records)))).read()

    assert bare(back.records) == bare(records)


@pytest.mark.parametrize("written", TABLES)
def test_raters_in_the_names_of_columns_come_back(written):
    content = written([("query", "document", "@ann", "'=bob"), ("q1", "d1", "2", "1")])

    for columns in (None, {"raters": "@ann, '=bob"}):
        back = open_judgment_text(text_of(content), format="wide", columns=columns).read()
        assert bare(back.records, "rater") == [("q1", "d1", 2.0, "@ann"), ("q1", "d1", 1.0, "'=bob")]


@pytest.mark.parametrize("written", TABLES)
@given(ids=IDS)
def test_runs_come_back(written, ids):
    rows = [("query", "document", "rank"), *(("q1", id, f"{nth}") for nth, id in enumerate(ids, 1))]

    [ranking] = read_run(text_of(written(rows))).rankings

    assert ranking.documents == ids


@given(ids=IDS)
def test_our_own_runs_come_back(ids):
    rankings = [RankingRecord(id, ids, None) for id in ids]

    content = "".join(table(rankings, RunDescription("r", RunFacts(len(ids), unscored=len(ids)))))

    assert {one.query: one.documents for one in read_run(text_of(content)).rankings} == dict.fromkeys(
        ids, ids
    )


@pytest.mark.parametrize("written", TABLES)
def test_a_column_is_chosen_by_the_name_that_the_file_means(written):
    rows = [("@id", "'=text"), ("q1", "red shoes")]
    columns = {"query_id": "@id", "query": "'=text"}

    for content in (written(rows), written([("Exported today", ""), *rows])):
        [query] = read_query_text(text_of(content), columns=columns).records
        assert (query.query_id, query.query) == ("q1", "red shoes")


@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\n"])
def test_a_line_end_in_a_text_is_kept_by_json_and_a_line_feed_after_csv(line_end):
    query = QueryRecord(0, "q1", "red", f"a{line_end}b")

    for writer, expected in (
        (write.queries_jsonl, query.information_need),
        (write.beir_queries, query.information_need),
        (write.queries_csv, "a\nb"),
    ):
        assert read_query_text(text_of("".join(writer([query])))).records[0].information_need == expected


def test_a_carriage_return_after_an_apostrophe_brings_no_further_one():
    """Line ends within a text become line feeds."""
    content = "".join(write.queries_csv([QueryRecord(0, "q1", "'\rred")]))

    assert read_query_text(text_of(content)).records[0].query == "'\nred"
