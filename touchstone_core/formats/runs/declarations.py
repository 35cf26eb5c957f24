"""The formats of runs, each declared once. Files are compared with the formats in this order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from touchstone_core.formats.file_format import WrittenFormat, by_label, by_name, neither
from touchstone_core.formats.json_keys import begins_as_json
from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.engine_runs import (
    is_opensearch,
    is_rank_eval,
    is_rre,
    read_opensearch,
    read_rank_eval,
    read_rre,
)
from touchstone_core.formats.runs.json_runs import is_lines, read_json, read_lines
from touchstone_core.formats.runs.options import Options, RunRows
from touchstone_core.formats.runs.parquet_runs import refuse_text
from touchstone_core.formats.runs.quepid_snapshots import is_snapshot, read_snapshots
from touchstone_core.formats.runs.run_writers import (
    RankingRecord,
    Rankings,
    RunDescription,
    RunFacts,
    json_by_query,
    json_notes,
    refuse_in_trec,
    table,
    table_notes,
    trec,
    trec_notes,
)
from touchstone_core.formats.runs.table_runs import looks_like_snapshots, looks_like_table, read_columns
from touchstone_core.formats.runs.trec import read_trec
from touchstone_core.formats.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFormat(WrittenFormat):
    """`read` takes a text. `read_json` takes a parsed document that `fits`, and the name of its file.

    The docs show `shape` (what a file looks like), `queries_by` (what names its queries unless somebody chooses) and `runs`
    (how many it holds).

    Only a format with `write` can be written. `comes_back` says what of a run is in its files, and `notes` what is left out or
    changed of one run. `empty`: it can hold queries without results. `refuse` raises FormatError for a ranking that it can't hold.
    """

    shape: str
    queries_by: str = "ID"
    runs: str = "one"
    read: Callable[[Text, Report, Options], RunRows] = neither
    read_json: Callable[[object, str, Report, Options], RunRows] = neither
    fits: Callable[[object], bool] = lambda content: False
    write: Callable[[Rankings, RunDescription], Iterator[str]] = neither
    refuse: Callable[[RankingRecord], None] = lambda ranking: None
    notes: Callable[[RunFacts], list[str]] = neither
    comes_back: str = ""
    empty: bool = False

    def reads_json(self, text: Text) -> bool:
        """Whether a text in this format is JSON. A format may have files of both kinds."""
        return self.read_json is not neither and (self.read is neither or begins_as_json(text))


DETAILS: Final = "notes, tags, commit, link"

PARQUET: Final = RunFormat(
    name="parquet",
    label="Parquet",
    note="columns as CSV",
    shape="columns as CSV",
    queries_by="as CSV",
    read=refuse_text,
)
JSON_LINES: Final = RunFormat(
    name="jsonl",
    label="JSON lines",
    example='{"query": "q1", "results": [{"document": "d1", "score": 1.2}]}\n',
    shape='`{"query": "q1", "results": [{"document": "d1", "score": 1.2}]}`, documents alone, or a search’s answer: '
    '`{"query": "q1", "hits": {"hits": [{"_id": "d1", "_score": 1.2}]}}`',
    fits=is_lines,
    read_json=read_lines,
)
TREC: Final = RunFormat(
    name="trec",
    label="TREC run",
    example="q1 Q0 d1 1 12.31 bm25\nq1 Q0 d2 2 11.90 bm25\n",
    shape="`query Q0 document rank score tag`, any white space; without the tag too",
    runs="one, or by choice one for each tag",
    read=read_trec,
    write=trec,
    notes=trec_notes,
    refuse=refuse_in_trec,
    ending="trec",
    comes_back="queries with results, in evaluated order for every reader: each score is smaller than the one before, in single "
    "precision too. Scores that aren’t so, or are missing, become n, n−1, … 1, query by query. The tag is the name, with _ for blanks",
    leaves_out=f"queries without results, equal scores, {DETAILS}",
)

FORMATS: Final = by_name(
    [
        RunFormat(
            name="quepid",
            label="Quepid snapshot (CSV or JSON)",
            example="Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\nbm25,2026-01-31,1,red shoes,d1,1\n",
            looks=looks_like_snapshots,
            shape="Quepid’s snapshots as CSV, or as JSON of its API (`docs` and `queries`, or `snapshots`)",
            queries_by="text",
            runs="one for each snapshot",
            fits=is_snapshot,
            read=partial(read_columns, snapshots=True),
            read_json=read_snapshots,
        ),
        RunFormat(
            name="opensearch",
            label="OpenSearch evaluation results",
            example='{"searchText": "red shoes", "documentIds": ["d1", "d2"]}\n',
            shape="evaluation results of the Search Relevance Workbench (`searchText`, `documentIds`): "
            "a search response, a list, or lines",
            queries_by="text",
            runs="one for each search configuration",
            fits=is_opensearch,
            read_json=read_opensearch,
        ),
        RunFormat(
            name="rank_eval",
            label="Elasticsearch rank_eval response",
            example="""{"metric_score": 0.5, "details": {
  "q1": {"hits": [
    {"hit": {"_id": "d1", "_score": 1.2}}]}}}
""",
            shape="response of Elasticsearch’s and OpenSearch’s `_rank_eval`: `details.<id>.hits[].hit._id`",
            fits=is_rank_eval,
            read_json=read_rank_eval,
        ),
        RunFormat(
            name="rre",
            label="RRE evaluation.json",
            example="""{"corpora": [{"topics": [{"query-groups": [
  {"query-evaluations": [
    {"query": "red shoes", "results": {
      "v1": {"hits": [{"id": "d1"}]}}}]}]}]}]}
""",
            shape="`evaluation.json` of the Rated Ranking Evaluator",
            queries_by="text",
            runs="one for each version",
            fits=is_rre,
            read_json=read_rre,
        ),
        JSON_LINES,
        RunFormat(
            name="json",
            label="JSON",
            example='{"q1": {"d1": 12.31}, "q2": ["d1", "d2"]}\n',
            shape='`{"query": {"document": score}}` or `{"query": ["document", …]}`',
            fits=lambda content: True,
            read_json=read_json,
            write=json_by_query,
            notes=json_notes,
            empty=True,
            ending="json",
            comes_back="every query; scores where they alone give the evaluated order, and a list of the documents elsewhere",
            leaves_out=f"scores that give another order, {DETAILS}",
        ),
        PARQUET,
        RunFormat(
            name="tsv",
            label="TSV",
            example="query\tdocument\trank\nq1\td1\t1\n",
            shape="as CSV, cut by tabs",
            queries_by="as CSV",
            read=partial(read_columns, format="tsv"),
        ),
        RunFormat(
            name="csv",
            label="CSV",
            example="query,document,score\nq1,d1,12.31\n",
            shape="a header with `query`, `document`, and `rank` or `score` or both; neither: as listed",
            queries_by="ID, or text under a header “query text”",
            looks=looks_like_table,
            read=read_columns,
            write=table,
            notes=table_notes,
            ending="csv",
            comes_back="queries with results, with ranks and scores. The column of scores is called given_score, and isn’t read, "
            "unless they alone give the evaluated order of every query",
            leaves_out=f"queries without results, {DETAILS}",
        ),
        TREC,
    ]
)
WRITABLE: Final = {one.name: one for one in by_label(FORMATS) if one.ending}
