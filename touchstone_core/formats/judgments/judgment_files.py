"""The formats of judgments, each declared once, and a reader for all of them. The content tells the format, or a person does.

Files are compared with the formats in this order.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from touchstone_core.formats import json_writers
from touchstone_core.formats.delimiters import is_cut_by_tabs
from touchstone_core.formats.file_format import WrittenFormat, by_name, detect_format, find_format, neither
from touchstone_core.formats.json_keys import begins_as_json, is_json_lines
from touchstone_core.formats.judgments import json_judgments, judgment_writers, label_studio, quepid
from touchstone_core.formats.judgments.decisions import (
    FILE_OF_DECISIONS,
    looks_like_decisions,
    open_decisions,
)
from touchstone_core.formats.judgments.judgments import JudgmentRecord, open_judgments
from touchstone_core.formats.judgments.letor import looks_like_letor, open_letor
from touchstone_core.formats.judgments.qrels import is_odd_qrels, looks_like_qrels, open_qrels
from touchstone_core.formats.judgments.wide import looks_wide, open_wide
from touchstone_core.formats.preamble import preamble_left_out, tell_preamble
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.tables import RecordStream
from touchstone_core.formats.text import Text
from touchstone_core.formats.writing import BLANK, Description, Records

Columns = Mapping[str, str] | None
Holds = Literal["grades", "judgments", "grades of one rater"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentFormat(WrittenFormat):
    """A format without `read` and `items` can only be written. Its files are read as another format.

    `read` takes a text and the columns that a person chose. `items` reads a JSON document, and `lists` element by element.
    `holds` says what is written: one grade per pair, every judgment with its rater, or grades with the rater if there's
    only one. `by_text`: queries are known by their texts.

    `needs` and `documents`: it can hold information needs and texts of documents. `has_comment`: the first line says where
    the file comes from. `no_query` and `no_document` match IDs that it can't hold, in Python and in PostgreSQL. `whole`: it
    accepts whole numbers only, and `fractions` says what happens to others. `unrated`: it can hold queries without ratings,
    and those that came in it are written again. `selection`: it says how pairs were selected.
    """

    read: Callable[[Text, Columns], RecordStream[JudgmentRecord]] = neither
    items: json_judgments.Reader | None = None
    lists: tuple[str, ...] = ()
    write: Callable[[Records, Description], Iterator[str]] = neither
    holds: Holds = "grades"
    comes_back: str = ""
    by_text: bool = False
    needs: bool = False
    documents: bool = False
    has_comment: bool = False
    no_query: str = ""
    no_document: str = ""
    whole: bool = False
    fractions: str = ""
    unrated: bool = False
    selection: bool = False

    def open(self, text: Text, columns: Columns) -> RecordStream[JudgmentRecord]:
        if self.items:
            return json_judgments.open_json(text, self.items, self.lists, by_text=self.by_text)
        return self.read(text, columns)


def _table(text: Text, columns: Columns, *, format: str) -> RecordStream[JudgmentRecord]:
    own_columns = {target: header for target, header in (columns or {}).items() if target != "raters"}
    return open_judgments(text, columns=own_columns, format=format)


SELECTION: Final = "how pairs were selected"
ONLY_GRADES: Final = f"raters, comments, “cannot judge”, {SELECTION}"
NO_EMPTY: Final = "queries without ratings"
EVERYTHING: Final = f"every judgment and pair, with times; {SELECTION}"
UNSAID: Final = "decisions, gold pairs, how sure raters were, marked passages, queries without pairs"

FORMATS: Final = by_name(
    [
        JudgmentFormat(
            name="jsonl",
            label="JSON lines",
            example='{"query": "q1", "document": "d1", "grade": 2, "rater": "rita"}\n',
            looks=is_json_lines,
            read=partial(_table, format="jsonl"),
            columns=True,
            write=judgment_writers.jsonl,
            ending="jsonl",
            holds="judgments",
            selection=True,
            comes_back=EVERYTHING,
            leaves_out=UNSAID,
        ),
        JudgmentFormat(
            name="opensearch",
            label="OpenSearch judgments (JSON)",
            example="""{"judgmentRatings": [
  {"query": "red shoes", "ratings": [
    {"docId": "d1", "rating": "2.000"}]}]}
""",
            names=json_judgments.OPENSEARCH_NAMES,
            items=json_judgments.opensearch,
            lists=json_judgments.RATINGS,
            write=json_writers.opensearch,
            ending="json",
            comes_back="grades; queries without ratings; name, description and every other field of the file, its queries and ratings",
            leaves_out=f"{ONLY_GRADES}, IDs of queries",
            by_text=True,
            unrated=True,
        ),
        JudgmentFormat(
            name="quepid-book",
            label="Quepid book (JSON)",
            example="""{"name": "Book", "query_doc_pairs": [
  {"query_text": "red shoes", "doc_id": "d1",
   "judgements": [
    {"rating": 2.0, "user_email": "rita@a.example"}]}]}
""",
            names=("query_doc_pairs[",),
            items=quepid.quepid_book,
            lists=("query_doc_pairs",),
            write=json_writers.quepid_book,
            ending="json",
            holds="judgments",
            comes_back="every judgment and pair; positions, information needs, notes, options, document fields, "
            "scorer, selection strategy, who put a pair off",
            leaves_out=f"times, {SELECTION}, {UNSAID}, IDs of queries",
            by_text=True,
            needs=True,
            documents=True,
        ),
        JudgmentFormat(
            name="rank-eval",
            label="Elasticsearch rank_eval ratings (JSON)",
            example="""{"requests": [
  {"id": "q1", "params": {"query": "red shoes"},
   "ratings": [
    {"_index": "shop", "_id": "d1", "rating": 2}]}]}
""",
            names=("requests[",),
            items=json_judgments.rank_eval,
            lists=("requests",),
            write=json_writers.rank_eval,
            ending="json",
            comes_back="grades; templates, metric, requests without ratings too, parameters, indexes",
            leaves_out=f"{ONLY_GRADES}; fractions, unless you choose rounding",
            whole=True,
            unrated=True,
            fractions="they were rounded",
        ),
        JudgmentFormat(
            name="rre",
            label="RRE ratings (JSON)",
            example="""{"index": "shop", "queries": [
  {"placeholders": {"$query": "red shoes"},
   "relevant_documents": {"d1": {"gain": 2}}}]}
""",
            names=("topics[", "query_groups[", "queries[.relevant_documents", "queries[.placeholders"),
            items=json_judgments.rre,
            lists=json_judgments.RRE_LISTS,
            write=json_writers.rre,
            ending="json",
            comes_back="grades; queries without documents; index, corpus, topics, groups, templates, placeholders, further "
            "fields of documents; documents grouped by gain if the imported file had them so",
            leaves_out=f"{ONLY_GRADES}, IDs of queries. A group’s documents are written at each of its queries",
            by_text=True,
            unrated=True,
        ),
        JudgmentFormat(
            name="quepid-case",
            label="Quepid case or ratings (JSON)",
            example="""{"queries": [
  {"query": "red shoes", "ratings": {"d1": 2}}]}
""",
            names=("queries[",),
            items=quepid.quepid_case,
            lists=("queries",),
            write=json_writers.quepid_case,
            ending="json",
            holds="grades of one rater",
            comes_back="grades, and the rater of pairs judged once; queries without ratings, notes, options, order, number of the try",
            leaves_out=f"raters of pairs judged twice, comments, “cannot judge”, {SELECTION}, credentials of the search endpoint, IDs of queries",
            by_text=True,
            needs=True,
            unrated=True,
        ),
        JudgmentFormat(
            name="label-studio",
            label="Label Studio tasks (JSON)",
            example="""[
  {"id": 1, "data": {"query": "q1", "document_id": "d1"},
   "annotations": [
    {"completed_by": 7, "was_cancelled": false,
     "result": [{"type": "rating", "from_name": "grade",
                 "to_name": "text", "value": {"rating": 2}}]}]}]
""",
            names=("[.annotations",),
            items=label_studio.label_studio,
        ),
        JudgmentFormat(
            name="json",
            label="JSON",
            note="grades by query and document (ranx, BEIR, pytrec_eval)",
            example='{"q1": {"d1": 2, "d2": 0}}\n',
            looks=lambda text: begins_as_json(text) and not is_odd_qrels(text),
            items=json_judgments.by_query,
        ),
        JudgmentFormat(
            name="letor",
            label="LETOR, RankLib",
            example="2 qid:q1 # d1 red shoes\n",
            looks=looks_like_letor,
            read=lambda text, _: open_letor(text),
            write=judgment_writers.letor,
            ending="txt",
            comes_back="grades, texts of queries",
            leaves_out=f"{ONLY_GRADES}, {NO_EMPTY}, features",
            has_comment=True,
            no_query=f"{BLANK.pattern}|#",
            no_document=f"{BLANK.pattern}|^docid$",
        ),
        JudgmentFormat(
            name="qrels",
            label="TREC qrels",
            example="q1 0 d1 2\n",
            looks=looks_like_qrels,
            read=lambda text, _: open_qrels(text),
            write=judgment_writers.qrels,
            ending="qrels",
            comes_back="grades; the second column if it isn’t 0",
            leaves_out=f"{ONLY_GRADES}, {NO_EMPTY}, texts of queries",
            no_query=f"{BLANK.pattern}|^#",
            no_document=BLANK.pattern,
            fractions="trec_eval cuts them to whole numbers",
        ),
        JudgmentFormat(
            name=FILE_OF_DECISIONS,
            label="Decisions (CSV)",
            note="as Disagreements exports them",
            example="query_id,document_id,decided_grade,cause\nq1,d1,2,A slip\n",
            looks=looks_like_decisions,
            read=lambda text, _: open_decisions(text),
        ),
        JudgmentFormat(
            name="wide",
            label="CSV with a column for each rater",
            example="query,docid,rita,bob\nred shoes,d1,2,3\n",
            looks=looks_wide,
            read=open_wide,
            columns=True,
        ),
        JudgmentFormat(
            name="tsv",
            label="TSV",
            note="tabs",
            example="query\tdocument\tgrade\nq1\td1\t2\n",
            looks=is_cut_by_tabs,
            read=partial(_table, format="tsv"),
            columns=True,
        ),
        JudgmentFormat(
            name="csv",
            label="CSV",
            note="commas or semicolons (Touchstone, Quepid, OpenSearch, ESCI)",
            example="query,document,grade,rater\nq1,d1,2,rita\n",
            read=partial(_table, format="csv"),
            columns=True,
        ),
        JudgmentFormat(
            name="quepid",
            label="Quepid ratings (CSV)",
            write=judgment_writers.quepid,
            ending="csv",
            comes_back="grades, texts of queries",
            leaves_out=f"{ONLY_GRADES}, {NO_EMPTY}, IDs of queries",
            by_text=True,
        ),
        JudgmentFormat(
            name="touchstone",
            label="Touchstone CSV",
            write=judgment_writers.touchstone,
            ending="csv",
            holds="judgments",
            selection=True,
            comes_back=EVERYTHING,
            leaves_out=UNSAID,
            has_comment=True,
        ),
    ]
)
READABLE: Final = {name: one for name, one in FORMATS.items() if one.items or one.read is not neither}
WRITABLE: Final = {
    one.name: one for one in sorted(FORMATS.values(), key=lambda one: (one.holds, one.label)) if one.ending
}
GRADES: Final = {name: one for name, one in WRITABLE.items() if one.holds == "grades"}
"""For people who may not see judgments of single raters, and for versions, which hold grades only."""


def open_judgment_text(
    text: Text, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> RecordStream[JudgmentRecord]:
    """Raises FormatError if the file can't be read at all, perhaps only while its records are read."""
    if text.is_blank:
        raise FormatError(f"{text.name} is empty.")
    with preamble_left_out(text, columns) as table:
        file_format = find_format(format, READABLE) if format else detect_format(table, READABLE)
        stream = file_format.open(table, columns)
    tell_preamble(table, stream.report)
    return replace(stream, format=stream.format or file_format.name)
