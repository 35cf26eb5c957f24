"""Rankings in the results of other tools: rank_eval responses, OpenSearch evaluation results, RRE's evaluation.json.

Their lists are in the engine's order, so a document's place is its rank.
"""

from collections.abc import Iterator
from typing import Final

from touchstone_core.formats.problems import Report
from touchstone_core.formats.runs.json_runs import (
    QUERY_KEYS,
    Lines,
    Pairs,
    add_document,
    add_query,
    as_list,
    brief,
    first_object,
    lists_objects,
    member,
    number,
)
from touchstone_core.formats.runs.options import Options, OtherShapeError, RunRows
from touchstone_core.formats.runs.rankings import Rows
from touchstone_core.formats.runs.trec import refuse_score

LEVELS: Final = ("corpora", "topics", "query-groups", "query-evaluations")
RESULT_ID_KEYS: Final = ("_id", "id")


def is_opensearch(content: object) -> bool:
    first = first_object(content)
    source = first.get("_source")
    result = source if isinstance(source, Pairs) else first
    has_query = first.get(*QUERY_KEYS) is not None
    hits = None if has_query else as_list(member(first.get("hits"), "hits"))
    return isinstance(result.get("searchText"), str) or hits is not None


def is_rank_eval(content: object) -> bool:
    first = first_object(content)
    return isinstance(first.get("details"), Pairs) and number(first.get("metric_score")) is not None


def is_rre(content: object) -> bool:
    return lists_objects(first_object(content).get(LEVELS[0]))


def read_rank_eval(content: object, name: str, report: Report, options: Options) -> RunRows:
    """`details.<query>.hits[].hit._id`, with the engine's scores if every hit of the query has one."""
    details = member(content, "details")
    if not isinstance(details, Pairs):
        raise OtherShapeError("“details”")
    by_text = options.queries == "text"
    rows_by_query: dict[str, Rows] = {}
    for key, detail in details:
        rows = add_query(rows_by_query, key, None, report, by_text=by_text)
        if rows is not None:
            _add_hits(key.strip(), detail, rows, report)
    failures = member(content, "failures")
    for key, _ in failures if isinstance(failures, Pairs) else ():
        report.warn(None, "failures", key, "answered, like every other query", kind="query that failed")
    return RunRows({"": rows_by_query}, by_text=by_text)


def read_opensearch(content: object, name: str, report: Report, options: Options) -> RunRows:
    """`searchText` and `documentIds` of each result. One run per search configuration."""
    by_text = options.queries != "id"
    runs: dict[str, dict[str, Rows]] = {}
    for line, source in _sources(content, name, report):
        text, documents = source.get("searchText"), as_list(source.get("documentIds"))
        if not isinstance(text, str) or documents is None:
            report.error(line, "", brief(source), "a result with searchText and documentIds", kind="shape")
            continue
        configuration = source.get("searchConfigurationId")
        run = runs.setdefault(configuration if isinstance(configuration, str) else "", {})
        rows = add_query(run, text, line, report, by_text=by_text)
        if rows is not None:
            _add_documents(text.strip(), documents, rows, report)
    if len(runs) == 1:  # the ID of a configuration says less than the name of a file
        runs = {"": runs.popitem()[1]}
    return RunRows(runs, by_text=by_text)


def read_rre(content: object, name: str, report: Report, options: Options) -> RunRows:
    """`results.<version>.hits[]` of every query in every group. One run per version."""
    if not isinstance(content, Pairs) or not lists_objects(content.get(LEVELS[0])):
        raise OtherShapeError("“corpora”")
    by_text = options.queries != "id"
    runs: dict[str, dict[str, Rows]] = {}
    for evaluation in _evaluations(content, LEVELS):
        query, results = evaluation.get("query"), evaluation.get("results")
        if not isinstance(query, str) or not isinstance(results, Pairs):
            report.error(None, "", brief(evaluation), "a query with results by version", kind="shape")
            continue
        for version, answer in results:
            _add_answer(runs.setdefault(version.strip(), {}), query, answer, report, by_text=by_text)
    return RunRows(runs, by_text=by_text)


def _add_hits(query: str, detail: object, rows: Rows, report: Report) -> None:
    elements = as_list(member(detail, "hits"))
    if elements is None:
        report.error(None, f"query {query}", brief(detail), "an object with hits", kind="shape")
        return
    hits = [member(element, "hit") for element in elements]
    scores = [member(hit, "_score") for hit in hits]
    has_scores = None not in scores
    for place, (hit, score) in enumerate(zip(hits, scores, strict=True), start=1):
        value = number(score) if has_scores else None
        if has_scores and value is None:
            refuse_score(None, brief(score), report, column=f"query {query}, hit {place}")
        elif add_document(query, member(hit, "_id"), rows, report):
            rows.ranks.append(place)
            if value is not None:
                rows.scores.append(value)


def _sources(content: object, name: str, report: Report) -> Iterator[tuple[int | None, Pairs]]:
    """The results in a search response, in a list, in JSON lines, or a single one."""
    results: list[tuple[int | None, object]]
    if isinstance(content, Lines):
        results = list(content)
    elif isinstance(content, Pairs):
        hits = as_list(member(content.get("hits"), "hits"))
        results = [(None, content)] if hits is None else [(None, hit) for hit in hits]
        _warn_of_page(content, len(results), report)
    elif isinstance(content, list):
        results = [(None, one) for one in content]
    else:
        raise OtherShapeError("“searchText”")
    for line, one in results:
        source = member(one, "_source")
        result = source if isinstance(source, Pairs) else one
        yield line, result if isinstance(result, Pairs) else Pairs()


def _warn_of_page(content: Pairs, count: int, report: Report) -> None:
    """Searches return ten hits unless asked for more, and nobody would notice that the rest is missing."""
    total = member(content.get("hits"), "total")
    value = member(total, "value") if isinstance(total, Pairs) else total
    if isinstance(value, int) and value > count:
        expected = f"all {value:,} (ask OpenSearch for a greater size)"
        report.warn(None, "hits", f"the first {count:,}", expected, kind="results missing")


def _evaluations(content: Pairs, levels: tuple[str, ...]) -> Iterator[Pairs]:
    below = content.get(levels[0])
    for one in below if isinstance(below, list) else ():
        if isinstance(one, Pairs):
            yield from _evaluations(one, levels[1:]) if levels[1:] else [one]


def _add_answer(run: dict[str, Rows], query: str, answer: object, report: Report, *, by_text: bool) -> None:
    hits = as_list(member(answer, "hits"))
    if hits is None:
        report.error(None, f"query {query.strip()}", brief(answer), "an object with hits", kind="shape")
        return
    ids = [member(hit, *RESULT_ID_KEYS) for hit in hits]
    before = run.get(query.strip())
    if before is not None and before.documents == [str(one).strip() for one in ids]:
        return  # groups may share a query with the same results
    rows = add_query(run, query, None, report, by_text=by_text)
    if rows is not None:
        _add_documents(query.strip(), ids, rows, report)


def _add_documents(query: str, documents: list[object], rows: Rows, report: Report) -> None:
    for rank, document in enumerate(documents, start=1):
        if add_document(query, document, rows, report):
            rows.ranks.append(rank)
