"""What tools answer: which figures of a page, in which words."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from touchstone_core.client.figures import (
    ComparedQuery,
    Comparison,
    Explanation,
    Figures,
    Fixes,
    RunScores,
    RunTable,
)
from touchstone_core.client.records import Document, Overview
from touchstone_core.mcp_server.quoting import RULE, quoted

MOST_ROWS: Final = 50
MOST_RANKS: Final = 20
MOST_TEXT: Final = 300
NO_WRITING: Final = (
    "Nothing was changed. A person must open this page, look at what it shows, and confirm it there:"
)


def answer(heading: str, content: Mapping[str, Any], page: str) -> str:
    """The heading and the page are ours; everything else is quoted."""
    return f"{heading}\n{RULE}\n\n{quoted(content)}\n\nPage: {page}"


def proposal(what: str, content: Mapping[str, Any], page: str) -> str:
    """What a person is to confirm."""
    return f"{what}\n{NO_WRITING}\n{page}\n\n{RULE}\n{quoted(content)}"


def cut(rows: list[Any], most: int = MOST_ROWS) -> dict[str, Any]:
    """The first rows, and how many more there are."""
    more = len(rows) - most
    return {"rows": rows[:most]} | ({"more_rows": more} if more > 0 else {})


def origin(figures: Figures) -> dict[str, Any]:
    """By which formula, from which grades."""
    return {"formula": {"text": figures.formula, "words": figures.words}, "grades": dict(figures.grades)}


def run_table(table: RunTable) -> dict[str, Any]:
    rows = [
        {"id": row["id"], "run": row["run"], "values": row["values"], "counts": row["counts"]}
        for row in table.rows
    ]
    return origin(table) | {"average": table.average, "baseline": table.baseline} | cut(rows)


def run_scores(scores: RunScores) -> dict[str, Any]:
    content = scores.content
    return origin(scores) | {
        "run": content["run"],
        "averages": content["averages"],
        "counts": content["counts"],
        "coverage": content["coverage"],
        "dcg_points": content["dcg_points"],
        "kept": content["kept"],
        "content_loss": content["content_loss"],
        "short_pages": content["short_pages"],
        **cut(content["tags"]),
    }


def fixes(found: Fixes) -> dict[str, Any]:
    rows = [
        {
            "query_id": one.query_id,
            "query": one.query,
            "cause": one.cause,
            "value": one.value,
            "lost": one.values["lost"],
        }
        for one in found.rows
    ]
    return origin(found) | {"run": found.run} | cut(rows)


def comparison(compared: Comparison) -> dict[str, Any]:
    """The sentences of the page, then the figures that they rest on, with the bounds that missing grades leave."""
    figures = compared.content["figures"]
    bounds = figures.get("bounds") or []
    runs = [
        {
            "run_id": one.run_id,
            "run": one.run,
            "verdict": one.sentence,
            "details": one.text,
            "difference": each["difference"]["mean"],
            "interval_95": None
            if one.interval_low is None
            else {"low": one.interval_low, "high": one.interval_high},
            "p_adjusted": one.p,
            "always_valid": one.always_valid,
            "worst_queries": each["worst_queries"],
            "wins_losses_ties": [each["outcomes"][name] for name in ("wins", "losses", "ties")],
        }
        for one, each in zip(compared.verdicts, figures["comparisons"], strict=True)
    ]
    return {
        "recommendation": compared.recommendation,
        "measure": compared.measure,
        "baseline": compared.baseline,
        "verdicts": runs,
        "not_known": compared.unknown,
        **origin(compared),
        "queries": figures["queries"],
        "up_to_date": compared.up_to_date,
        "bounds_over": compared.content["bounds_over"],
        "bounds": [
            {"run": run["name"], "coverage": one["coverage"], "low": one["low"], "high": one["high"]}
            for run, one in zip(compared.content["runs"], bounds, strict=False)
        ],
    }


def compared_query(compared: ComparedQuery) -> dict[str, Any]:
    """Both rankings, the first results of each, and what explains each run’s losses."""
    content = compared.content
    sides = {side: dict(content[side]) for side in ("baseline_ranking", "run_ranking")}
    for side in sides.values():
        side["results"] = side["results"][:MOST_RANKS]
    names = ("measure", "baseline", "run", "query", "compared", "moved", "values")
    return origin(compared) | {name: content[name] for name in names} | sides


def overview(found: Overview) -> dict[str, Any]:
    """Without what single raters did."""
    return {one.name: getattr(found, one.name) for one in fields(found) if one.name != "raters"}


def explanation(explained: Explanation, documents: Mapping[str, Document]) -> dict[str, Any]:
    """Each rank with its text, and each NDCG as DCG by ideal."""
    content = explained.content
    ranking = [
        {name: row[name] for name in ("rank", "document", "grade", "gain", "discount", "contribution")}
        | _text(documents.get(row["document"]))
        for row in content["ranking"][:MOST_RANKS]
    ]
    names = ("query", "run", "values", "ideals", "lost", "kept", "counts", "left_out", "ties")
    ideal = content["ideal_lists"]["global"][:MOST_RANKS]
    return origin(explained) | {
        **{name: content[name] for name in names},
        "ranking": ranking,
        "ranks_in_all": len(content["ranking"]),
        "ideal_global": [{name: row[name] for name in ("rank", "document", "grade")} for row in ideal],
    }


def _text(document: Document | None) -> dict[str, str]:
    if document is None:
        return {}
    return {"title": document.title, "text": document.body[:MOST_TEXT]}
