"""Rows of large tables. Written in Python, because with a tag for each cell a table of 200 runs and 25 columns takes almost
twice as long, and with an include longer still. `make bench-runs` fails then."""

from collections.abc import Sequence
from html import escape  # Django's own takes five times as long
from typing import Final

from django import template
from django.template import Context, Engine
from django.utils.safestring import SafeString

from touchstone_core.comparison.values import DASH, Segment, Value
from touchstone_core.formats.columns import PageTable

LEAST_WITH_TEXT: Final = {"ladder-large": 4.0}
"""Shares in % from which a segment has its number, by the size of the ladder; else 8."""
GROUP: Final = '<tr class="row-group"><th colspan="{width}" scope="rowgroup"><span>{heading}</span></th></tr>'

register = template.Library()


@register.simple_tag(takes_context=True)
def table_rows(context: Context, table: PageTable) -> SafeString:
    """The body of a table, or several where it has groups. Templates of cells get their `row` and `cell`."""
    engine = Engine.get_default()
    paths = {heading.column.template for heading in table.headings if heading.column.template}
    templates = {path: engine.get_template(path) for path in paths}
    parts = ["<tbody>"]
    for row, cells, heading in table.rows:
        if heading:
            parts.append("</tbody><tbody>" if len(parts) > 1 else "")
            parts.append(GROUP.format(width=len(table.headings), heading=escape(heading)))
        parts.append("<tr>")
        with context.push(row=row):
            for cell in cells:
                context["cell"] = cell
                if cell.column.template:
                    parts.append(templates[cell.column.template].render(context))
                else:
                    address = cell.column.link(row) if cell.column.link else None
                    parts.append(value_cell(cell.value, cell.start, cell.of_words, address))
        parts.append("</tr>")
    return SafeString("".join([*parts, "</tbody>"]))


@register.simple_tag
def value_cell(
    value: Value | None, start: bool = False, of_words: bool = False, address: str | None = None
) -> SafeString:
    """A value as a cell of a table. `start`: the first one of a group of columns; `of_words`: not aligned as a number;
    `address`: where the value leads to."""
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
    if value.best:
        text = f"<b>{text}</b>"
    if address:
        text = f'<a href="{escape(address)}">{text}</a>'
    return SafeString(f'<td class="{classes}"{title}>{text}</td>')


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
