"""Every column head and every figure has an explanation, or says by itself what it is."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.conf import settings

from evaluation.scores.reports.run_columns import CHANGE, ON_REQUEST, TableChoice, run_columns
from tests.sweeps import SHARES, draw_addresses
from tests.test_page_cost import World
from touchstone_core.formats.columns import Column, PageTable
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db

HEADS = r"<th\b[^>]*scope=\"col(?:group)?\"[^>]*>.*?</th>|<dl class=\"tiles.*?</dl>"
FIGURES = r"<dt\b[^>]*>.*?</dt>"
# These say what they are. Before you add one, see whether the glossary has a word: `{% about "word" %}` in the head explains it.
PLAIN = set(
    """
    account|action|actions|added|after|all raters agree|answers|at most one grade apart|away by|bar|before|cause|change|changed
    color|compare|computed|day|decided|description|document and query|expires|file|for whom|finished|format
    formula and notes|frozen|gold share|graded|graded pairs|grades|grades added|grades changed|grades removed|here|holds
    information need|joined|judged pairs|key|label|last|leaves out|left|made by|match|mean grades apart|means|more|name|named
    note|of judged pairs|part|pairs with two judgments or more|practice|preset|progress|queries affected|queries chosen
    query and document|reason|rater hours|received of required|removed|restored|revoke|right, estimated|rounds|sha-256|share|tags|the example|time left|to come|today
    total|uploaded|used by|value|values|what would fix it|when|withdrawn|without|worsened|your answer|yours
    """.replace("\n    ", "|").split("|")
)
# The same, on pages in states that the world of this test isn't in.
PLAIN |= set(
    """
    after value|assigned rater|example|field|formula, meaning and pitfall|in|last used|may|new
    new documents per query that fit|new to this list|other fields|pairs to judge|problems|ranking, by its grades|rater time|type|unchanged|undone before|what
    what it is|what it says, and the mean under each of its values|who|why|with a fraction
    """.replace("\n    ", "|").split("|")
)
# Headed by names that people gave: runs, raters, grades and lists of the world of this test.
NAMES = re.compile(r"run \d.*|list \d|(third|admin)( gave)?|other|admin|\d .*")

WITHOUT_WORD = (
    "give each of these columns a Term in touchstone_core/glossary, with the heading among its `also`, or name a word that "
    "is there by `term=`"
)
UNEXPLAINED = (
    'put {% about "word" %} into the head, with a word of touchstone_core/glossary; if the head says by itself '
    "what it is, add it to PLAIN"
)
# Nobody can press anything on paper: the appendix explains.
PRINTED = "/compare/report/"


def declared(context: Any) -> Iterator[Column[Any]]:
    """The columns of every declared table of a page."""
    for layer in context:
        for value in layer.flatten().values():
            for table in value.values() if isinstance(value, dict) else [value]:
                if isinstance(table, PageTable):
                    yield from (heading.column for heading in table.headings)


def unexplained(html: str) -> set[str]:
    """The heads and figures without a button that explains them."""
    found = set()
    for part in re.findall(HEADS, html, re.DOTALL):
        for head in re.findall(FIGURES, part, re.DOTALL) if part.startswith("<dl") else [part]:
            if 'class="about"' not in head:
                found.add(" ".join(unescape(re.sub(r"<[^>]*>", " ", head)).split()).lower())
    return {head for head in found - PLAIN if not NAMES.fullmatch(head)}


@SHARES
def test_every_head_and_figure_of_every_page_is_explained(share, client):
    world = World()
    world.grow(2)
    tables, without, found = 0, set(), {}
    for who, address in draw_addresses(world.pages(), share):
        client.force_login(getattr(world, who))
        response = client.get(address)
        for column in declared(response.context or ()):
            tables += 1
            without |= set() if column.about else {column.heading}
        if PRINTED not in address:
            found |= dict.fromkeys(unexplained(response.content.decode()), address)

    assert tables > 100 or share < 1
    assert without == set(), WITHOUT_WORD
    assert found == {}, UNEXPLAINED


def test_columns_that_the_run_table_has_on_request_are_explained_too():
    columns = run_columns(TableChoice(Formula()))

    assert ON_REQUEST - {f"{CHANGE}max", f"{CHANGE}dcg"} <= {column.key for column in columns}
    assert {column.heading for column in columns if column.on_page and not column.about} == set(), (
        WITHOUT_WORD
    )


def test_no_template_has_a_head_or_figure_without_an_explanation():
    """Also where no page of the test above shows it. Heads that a page makes up are seen there."""
    templates = settings.BASE_DIR / "templates"
    found = {
        str(path.relative_to(templates)): heads
        for path in templates.rglob("*.html")
        if (heads := without_about(path.read_text()))
    }

    assert found == {}, UNEXPLAINED


def without_about(template: str) -> set[str]:
    """The heads and figures of a template with no `{% about %}`; those that hold values stay out."""
    parts = re.findall(HEADS, template, re.DOTALL)
    heads = [
        head
        for part in parts
        for head in (re.findall(FIGURES, part, re.DOTALL) if part[:3] == "<dl" else [part])
    ]
    texts = [
        " ".join(re.sub(r"<[^>]*>|{%.*?%}", " ", head).split()).lower()
        for head in heads
        if "{% about" not in head
    ]
    return {text for text in texts if "{{" not in text} - PLAIN


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ('<th scope="col">Mystery</th>', {"mystery"}),
        ('<th scope="col" class="num">Mystery\n {% about "coverage" %}</th>', set()),
        (
            '<dl class="tiles"><div><dt>Mystery</dt><dd>1</dd></div><div><dt>Total</dt></div></dl>',
            {"mystery"},
        ),
    ],
)
def test_a_head_without_an_explanation_is_found(template, found):
    assert without_about(template) == found
    assert unexplained(template.replace('{% about "coverage" %}', '<button class="about"></button>')) == found
