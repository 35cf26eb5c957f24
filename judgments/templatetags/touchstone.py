"""What every template may use (registered as built-ins): one way of writing moments, numbers and sizes, and of explaining words."""

import re
from collections.abc import Iterable
from typing import Any, Final

from django import template
from django.forms import Select
from django.template import defaultfilters
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify

from judgments.base import moments
from judgments.base.cleaning import guidelines_html, plain
from touchstone_core.comparison.values import MINUS
from touchstone_core.glossary import explanation
from touchstone_core.glossary.term import Term

register = template.Library()

BREAK: Final = SafeString("_<wbr>")

for writes in (
    moments.day,
    moments.moment,
    moments.zoned,
    moments.clock,
    moments.second,
    moments.weekday,
    moments.long_day,
):
    register.filter(writes.__name__, writes)


register.filter("words", plain)
register.filter("guidelines", guidelines_html)


@register.filter(is_safe=True)
def floatformat(number: float | str | None, arg: int | str = -1) -> str:
    """Django's filter of this name with a real minus sign instead of a hyphen."""
    return defaultfilters.floatformat(number, arg).replace("-", MINUS)


@register.filter(is_safe=True)
def signed(number: float | None, arg: int = 2) -> str:
    """`floatformat` with a plus before what is above 0; empty for no number."""
    return "" if number is None else f"{'+' if number > 0 else ''}{floatformat(number, arg)}"


@register.filter
def size(count: int) -> str:
    """“512 MB”, “1.5 GB”: Django's words without a fraction of nothing. A megabyte is 1,024 kilobytes."""
    return defaultfilters.filesizeformat(count).replace(".0\xa0", "\xa0")


@register.filter
def breakable(name: object) -> SafeString:
    """A name as it is, which narrow columns may break behind each underscore rather than within a word."""
    return format_html_join(BREAK, "{}", ((part,) for part in str(name).split("_")))


@register.filter(is_safe=True)
def column_head(heading: str) -> str:
    """A name as the head of a column: “Missing” for `missing`. Symbols stay as they are: `p`, `d_z`, `nDCG@10`."""
    first = re.split("[ @]", heading, maxsplit=1)[0]
    return (
        defaultfilters.capfirst(heading)
        if first.isalpha() and first.islower() and len(first) > 1
        else heading
    )


@register.inclusion_tag("parts/about.html", takes_context=True)
def about(context: template.Context, heading: str, word: Term | str | None = None) -> dict[str, Any]:
    """`{% about "coverage" %}`: a button that explains the column head or figure before it.

    `word` is the glossary's, or a heading that it knows, where the heading itself isn't enough. Without one there's no button.
    """
    # A report is printed, or sent to people who can't open our glossary: its appendix explains. Pages of uploads have another one.
    if context.get("report") is True:
        return {"term": None}
    term = word if isinstance(word, Term) else explanation(*([word] if word else []), heading)
    request = getattr(context, "request", None)
    return {"term": term, "heading": heading, "id": _next_id(request)}


@register.simple_block_tag
def table(
    content: str, label: str, *, caption: str = "", classes: str = "", tall: bool = False
) -> SafeString:
    """`{% table "Runs" %}`, head, body and `{% endtable %}`: a table that scrolls sideways by itself, also with the keyboard.

    `label` names the region and `caption` the table. Where a caption has more than words, it's the first thing of `content`.
    """
    return format_html(
        '<div class="table-region{}" role="region" aria-label="{}" tabindex="0"><table class="{}">{}{}</table></div>',
        " tall" if tall else "",
        label,
        f"data {classes}".strip(),
        format_html('<caption class="visually-hidden">{}</caption>', caption) if caption else "",
        content,
    )


@register.simple_tag
def choice(
    name: str,
    label: str,
    options: Iterable[tuple[Any, Any]],
    chosen: Any,
    *,
    first: str = "",
    classes: str = "",
) -> SafeString:
    """`{% choice "without" "Leave out" raters left_out first="nobody" %}`: a field of a form that needs no check.

    The options are values and words; `first` are the words where nothing is chosen.
    """
    every = [("", first), *options] if first else list(options)
    select = Select({"id": f"id_{name}"} | ({"class": classes} if classes else {}), every).render(
        name, chosen
    )
    return format_html('<div class="field"><label for="id_{}">{}</label>{}</div>', name, label, select)


@register.simple_block_tag
def notice(content: str, kind: str, *, role: str = "") -> SafeString:
    """`{% notice "warning" %}`, a sentence and `{% endnotice %}`: a message of the page. Errors are read out at once (`alert`)."""
    role = role or ("alert" if kind == "error" else "status")
    return format_html('<div class="notice notice-{}" role="{}"><p>{}</p></div>', kind, role, content)


@register.inclusion_tag("parts/empty.html")
def nothing(
    title: str, text: str = "", url: str = "", action: str = "", *, url2: str = "", action2: str = ""
) -> dict[str, str]:
    """`{% nothing "No runs yet" "Upload one." upload_url "Upload a run" %}`: instead of what a page has to show, and what to do."""
    return {"title": title, "text": text, "url": url, "action": action, "url2": url2, "action2": action2}


def _next_id(request: Any) -> str:
    """Unique on the page: a part that htmx swaps in counts apart from the page that it comes to."""
    count = getattr(request, "abouts", 0) + 1
    if request is not None:
        request.abouts = count
    target = request.headers.get("HX-Target", "") if request is not None else ""
    return f"about-{slugify(target)}-{count}" if target else f"about-{count}"
