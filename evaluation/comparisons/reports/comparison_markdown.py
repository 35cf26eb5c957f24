"""A comparison as Markdown, for a pull request: the recommendation, the verdicts and where to look."""

from collections.abc import Iterator
from typing import Any

from django.utils.text import capfirst

from evaluation.comparisons.reports.comparison_charts import interval_words
from touchstone_core.comparison.values import signed
from touchstone_core.formats.markdown import plain, table
from touchstone_core.words import counted


def comparison_markdown(context: dict[str, Any], address: str) -> str:
    """`context` is that of the report; `address` is where it is."""
    return "\n".join(_lines(context, address)) + "\n"


def _lines(context: dict[str, Any], address: str) -> Iterator[str]:
    forest = context["forest"]
    yield f"### {plain(context['recommendation'])}"
    yield ""
    yield f"{plain(context['subtitle'])}."
    yield ""
    for row in forest["rows"]:
        verdict = row["verdict"]
        yield f"- {verdict.mark} **{plain(verdict.sentence)}** {plain(verdict.text)}"
    yield ""
    yield from table(
        ("Run", "Difference", "95 % interval", f"{context['steps']['on']} by order", "by depth", "by recall"),
        [
            (
                plain(row["run"].name),
                signed(row["marks"].numbers.difference),
                interval_words(row["marks"].numbers),
                *(step["text"] for step in sorted(steps["steps"], key=_by_waterfall)),
            )
            for row, steps in zip(forest["rows"], context["steps"]["rows"], strict=True)
        ],
    )
    for fixes in context["fixes"]:
        yield from _lost(fixes)
        ranks = context["comparison"].ranks and not fixes["needs_judging"]
        titles = ("Got worse", "Got better") if ranks else ("Lower", "Higher")
        for title, kind in zip(titles, ("worse", "better"), strict=True):
            if fixes[kind]:
                yield ""
                yield f"**{title} with {plain(fixes['run'].name)}**"
                yield ""
                yield from map(_query, fixes[kind])
    yield ""
    yield "**What we don’t know**"
    yield ""
    yield from (f"- {plain(sentence)}" for sentence in context["unknown"])
    yield ""
    yield f"[Report with all figures]({address})"


def _lost(fixes: dict[str, Any]) -> Iterator[str]:
    if not fixes["lost"]:
        return
    yield ""
    yield f"**Why queries have lower values with {plain(fixes['run'].name)}**"
    yield ""
    for one in fixes["lost"]:
        # Where zeros decide nothing, no count says that queries got worse.
        of = "on current judgments" if fixes["needs_judging"] else counted(one["queries"], "query", "queries")
        yield f"- {plain(capfirst(one['cause']))}: {one['difference'].text}, {of}"


def _query(one: dict[str, Any]) -> str:
    traffic = f" · {one['traffic']}" if one["traffic"] else ""
    name = plain(one["query"].text or one["query"].external_id)
    return f"- {name}: {one['difference']}, {plain(one['cause'])}{traffic}"


def _by_waterfall(step: dict[str, Any]) -> int:
    return ("order", "depth", "recall").index(step["name"])
