"""Cells of large tables. Written in Python, because a table of 200 runs took twice as long with an include for each cell.
`make bench-runs` fails then."""

from collections.abc import Sequence
from html import escape  # Django's own takes five times as long
from typing import Final
from urllib.parse import quote

from django import template
from django.utils.safestring import SafeString

from evaluation.scores.reports.run_table import CHANGE
from touchstone_core.comparison.values import DASH, Segment, Value
from touchstone_core.formats.columns import PageCell

LEAST_WITH_TEXT: Final = {"ladder-large": 4.0}
"""Shares in % from which a segment has its number, by the size of the ladder; else 8."""

register = template.Library()


@register.simple_tag
def table_cell(cell: PageCell) -> SafeString:
    """The value of a column as a cell of its table."""
    return value_cell(cell.value, cell.start, cell.of_words)


@register.simple_tag
def value_cell(value: Value | None, start: bool = False, of_words: bool = False) -> SafeString:
    """A value as a cell of a table. `start`: the first one of a group of columns; `of_words`: not aligned as a number."""
    classes = "" if of_words else "num"
    if start:
        classes += " group-start"
    if not value:
        return SafeString(f'<td class="{classes} quiet">{DASH}</td>')
    if value.heat is not None:
        classes += f" heat-{value.heat}"
    if value.quiet:
        classes += " quiet"
    title = f' title="{value.exact}"' if value.exact else ""
    text = escape(value.text or DASH)
    return SafeString(f'<td class="{classes}"{title}>{f"<b>{text}</b>" if value.best else text}</td>')


@register.simple_tag
def change_cell(cell: PageCell, run_id: int, url: str, query: str) -> SafeString:
    """A difference from the baseline, with a link to the comparison of the run."""
    value = cell.value
    if value.number is None:
        return value_cell(value, cell.start)
    classes = "num group-start" if cell.start else "num"
    address = escape(f"{url}{run_id}{query}&on={quote(cell.column.key.removeprefix(CHANGE), safe='')}")
    return SafeString(
        f'<td class="{classes}"><a title="{value.exact}" href="{address}">{escape(value.text)}</a></td>'
    )


@register.simple_tag
def ladder(segments: Sequence[Segment], label: object, size: str = "") -> SafeString:
    """DCG and the losses as a bar of segments."""
    least = LEAST_WITH_TEXT.get(size, 8.0)
    shares = ", ".join(f"{segment.name} {_whole(segment.width)} %" for segment in segments)
    bars = "".join(
        f'<rect class="seg seg-{segment.key}" x="{segment.start:.3f}%" width="{segment.width:.3f}%" height="100%">'
        f"<title>{segment.name}: {segment.value:.4f} DCG points, {segment.width:.1f} % of the max ideal</title></rect>"
        for segment in segments
        if segment.width > 0
    )
    texts = "".join(
        f'<text class="seg-text seg-text-{segment.key}" x="{segment.start:.3f}%" dx="6" y="52%">{_whole(segment.width)}</text>'
        for segment in segments
        if segment.width >= least
    )
    # Keys and names of segments are ours, and the rest are numbers. Only the label comes from people.
    head = f'<svg class="ladder {escape(size)}" role="img" aria-label="{escape(str(label))}: {shares}">'
    return SafeString(f"{head}{bars}{texts}</svg>")


def _whole(width: float) -> int:
    return int(width + 0.5)
