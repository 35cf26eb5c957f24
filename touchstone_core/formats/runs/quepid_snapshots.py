"""Quepid's snapshots as JSON: a single one as its API returns it, or several as its API takes them.

Sources: https://github.com/o19s/quepid, `app/views/api/v1/snapshots` and `app/controllers/api/v1/snapshots/imports_controller.rb`.
"""

from typing import Final

from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.json_runs import (
    Pairs,
    add_document,
    add_query,
    as_list,
    brief,
    is_id,
    lists_objects,
    member,
)
from touchstone_core.formats.runs.options import Options, OtherShapeError, RunRows
from touchstone_core.formats.runs.rankings import Rows

Runs = dict[str, dict[str, Rows]]
SHAPE: Final = "a list of documents with their ids"


def is_snapshot(content: object) -> bool:
    is_single = isinstance(member(content, "docs"), Pairs) and lists_objects(member(content, "queries"))
    return is_single or lists_objects(member(content, "snapshots"))


def read_snapshots(content: object, name: str, report: Report, options: Options) -> RunRows:
    """One run per snapshot, by name. A document's place is its rank.

    Leaves out documents that were rated but not retrieved. Warns of deleted queries, which have no text, and leaves them out.
    """
    if not isinstance(content, Pairs) or not is_snapshot(content):
        raise OtherShapeError("“docs” and “queries”")
    by_text = options.queries != "id"
    runs: Runs = {}
    several = content.get("snapshots")
    if isinstance(several, list):
        for snapshot in several:
            run = runs.setdefault(str(snapshot.get("name") or "").strip(), {})
            _add_posted(run, snapshot.get("queries"), report, by_text=by_text)
    else:
        _add_answered(runs.setdefault("", {}), content, report, by_text=by_text)
    if len(runs) == 1:
        runs = {"": runs.popitem()[1]}
    return RunRows(runs, by_text=by_text)


def _add_posted(run: dict[str, Rows], queries: object, report: Report, *, by_text: bool) -> None:
    """`queries.<text>.docs[].id`, in the order of `position` if all have one."""
    if not isinstance(queries, Pairs):
        report.error(None, "queries", brief(queries), "an object of queries by text", kind="shape")
        return
    for text, query in queries:
        _add(run, text, member(query, "docs"), report, by_text=by_text)


def _add_answered(run: dict[str, Rows], content: Pairs, report: Report, *, by_text: bool) -> None:
    """`docs.<key of a query>[].id`, with the texts of queries under `queries`."""
    docs, queries = content.get("docs"), content.get("queries")
    texts = {
        str(query.get("query_id", "id")): query.get("query_text")
        for query in (queries if isinstance(queries, list) else [])
        if isinstance(query, Pairs)
    }
    for key, documents in docs if isinstance(docs, Pairs) else ():
        text = texts.get(key) if by_text else key
        if isinstance(text, str):
            _add(run, text, documents, report, by_text=by_text)
        else:
            report.warn(
                None, "docs", key, "the key of a query of the snapshot (left out)", kind="deleted query"
            )


def _add(run: dict[str, Rows], query: str, documents: object, report: Report, *, by_text: bool) -> None:
    elements = as_list(documents)
    if elements is None:
        report.error(None, f"query {query}", brief(documents), SHAPE, kind="shape")
        return
    rows = add_query(run, query, None, report, by_text=by_text)
    if rows is None:
        return
    retrieved = [one for one in elements if member(one, "rated_only") is not True]
    for rank, document in enumerate(retrieved, start=1):
        id, position = member(document, "id"), member(document, "position")
        if add_document(query.strip(), id if is_id(id) else document, rows, report):
            rows.ranks.append(position if isinstance(position, int) else rank)
