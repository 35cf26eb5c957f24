"""A comparison as Markdown, for a pull request: the recommendation, the verdicts and where to look."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.comparisons.reports.comparison_charts import interval_words
from touchstone_core.comparison.values import signed

SPECIAL = re.compile(r"([\\`*_\[\]<>|~])")


def comparison_markdown(context: dict[str, Any], address: str) -> str:
    """`context` is that of the report; `address` is where it is."""
    return "\n".join(_lines(context, address)) + "\n"


def _lines(context: dict[str, Any], address: str) -> Iterator[str]:
    forest = context["forest"]
    yield f"### {_text(context['recommendation'])}"
    yield ""
    yield f"{_text(context['subtitle'])}."
    yield ""
    for row in forest["rows"]:
        verdict = row["verdict"]
        yield f"- {verdict.mark} **{_text(verdict.sentence)}** {_text(verdict.text)}"
    yield ""
    yield from _table(
        ("Run", "Difference", "95 % interval", "NDCG-max by order", "by depth", "by recall"),
        [
            (
                _text(row["run"].name),
                signed(row["marks"].numbers.difference),
                interval_words(row["marks"].numbers),
                *(step["text"] for step in sorted(steps["steps"], key=_by_waterfall)),
            )
            for row, steps in zip(forest["rows"], context["steps"]["rows"], strict=True)
        ],
    )
    for fixes in context["fixes"]:
        for title, kind in (("Got worse", "worse"), ("Got better", "better")):
            if fixes[kind]:
                yield ""
                yield f"**{title} with {_text(fixes['run'].name)}**"
                yield ""
                yield from (
                    f"- {_text(one['query'].text or one['query'].external_id)}: {one['difference']}, {_text(one['cause'])}"
                    for one in fixes[kind]
                )
    yield ""
    yield "**What we don’t know**"
    yield ""
    yield from (f"- {_text(sentence)}" for sentence in context["unknown"])
    yield ""
    yield f"[Report with all figures]({address})"


def _by_waterfall(step: dict[str, Any]) -> int:
    return ("order", "depth", "recall").index(step["name"])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _line(heads)
    yield _line(["---", *["---:"] * (len(heads) - 1)])
    yield from map(_line, rows)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """As it is, whatever signs it has."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))
