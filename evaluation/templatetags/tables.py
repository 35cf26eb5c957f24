"""Cells of large tables. Written in Python, because templates take 0.4 s for 200 runs, and these a tenth of it."""

from collections.abc import Sequence

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from touchstone_core.comparison.values import DASH, Segment, Value

LEAST_WITH_TEXT = {"ladder-large": 4.0}
"""Shares in % from which a segment has its number, by the size of the ladder; else 8."""

register = template.Library()


@register.simple_tag
def value_cell(value: Value | None, start: bool = False, of_words: bool = False) -> SafeString:
    """A value as a cell of a table. `start`: the first one of a group of columns; `of_words`: not aligned as a number."""
    classes = [] if of_words else ["num"]
    if start:
        classes.append("group-start")
    if not value:
        classes.append("quiet")
        return format_html('<td class="{}">{}</td>', " ".join(classes), DASH)
    if value.heat is not None:
        classes.append(f"heat-{value.heat}")
    if value.quiet:
        classes.append("quiet")
    title = format_html(' title="{}"', value.exact) if value.exact else ""
    text = value.text or DASH
    cell = '<td class="{}"{}><b>{}</b></td>' if value.best else '<td class="{}"{}>{}</td>'
    return format_html(cell, " ".join(classes), title, text)


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
    head = f'<svg class="ladder {escape(size)}" role="img" aria-label="{escape(label)}: {shares}">'
    return SafeString(f"{head}{bars}{texts}</svg>")


def _whole(width: float) -> int:
    return int(width + 0.5)
