"""Quepid's snapshots as JSON: as its API answers with one, and as its API takes several.

Sources: https://github.com/o19s/quepid, `app/views/api/v1/snapshots` and `app/controllers/api/v1/snapshots/imports_controller.rb`.
"""

from typing import Final

from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.json_runs import Pairs, add_listed, add_query, brief, is_id
from touchstone_core.formats.runs.options import Found, Options, OtherShapeError
from touchstone_core.formats.runs.rankings import Rows

Runs = dict[str, dict[str, Rows]]
SHAPE: Final = "a list of documents with their ids"


def is_snapshot(content: object) -> bool:
    if not isinstance(content, Pairs):
        return False
    return _lists_objects(content.get("snapshots")) or (
        isinstance(content.get("docs"), Pairs) and _lists_objects(content.get("queries"))
    )


def read_snapshots(content: object, name: str, report: Report, options: Options) -> Found:
    """One run for each snapshot, by its name; a document's place is its rank.

    Documents that were only rated, not found, are left out. A query that was deleted has no text, and is left out with
    a warning.
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
    return Found(runs, by_text=by_text)


def _add_posted(run: dict[str, Rows], queries: object, report: Report, *, by_text: bool) -> None:
    """`queries.<text>.docs[].id`, in the order of `position` where all have one."""
    if not isinstance(queries, Pairs):
        report.error(None, "queries", brief(queries), "an object of queries by text", kind="shape")
        return
    for text, query in queries:
        listed = query.get("docs") if isinstance(query, Pairs) else None
        _add(run, text, listed, report, by_text=by_text)


def _add_answered(run: dict[str, Rows], content: Pairs, report: Report, *, by_text: bool) -> None:
    """`docs.<key of a query>[].id`, whose texts stand under `queries`."""
    docs, queries = content.get("docs"), content.get("queries")
    texts = {
        str(query.get("query_id", "id")): query.get("query_text")
        for query in (queries if isinstance(queries, list) else [])
        if isinstance(query, Pairs)
    }
    for key, listed in docs if isinstance(docs, Pairs) else ():
        text = texts.get(key) if by_text else key
        if isinstance(text, str):
            _add(run, text, listed, report, by_text=by_text)
        else:
            report.warn(
                None, "docs", key, "the key of a query of the snapshot (left out)", kind="deleted query"
            )


def _add(run: dict[str, Rows], query: str, listed: object, report: Report, *, by_text: bool) -> None:
    if not isinstance(listed, list) or isinstance(listed, Pairs):
        report.error(None, f"query {query}", brief(listed), SHAPE, kind="shape")
        return
    rows = add_query(run, query, None, report, by_text=by_text)
    if rows is None:
        return
    found = [one for one in listed if not (isinstance(one, Pairs) and one.get("rated_only") is True)]
    for rank, document in enumerate(found, start=1):
        id = document.get("id") if isinstance(document, Pairs) else None
        if add_listed(query.strip(), id if is_id(id) else document, rows, report):
            position = document.get("position") if isinstance(document, Pairs) else None
            rows.ranks.append(position if isinstance(position, int) else rank)


def _lists_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Pairs) for one in value)
