"""Nothing of the pages is left over: each template, partial, block and class of a style sheet is used."""

import re
from functools import cache
from pathlib import Path

from tests.architecture.test_rules import ROOT

TEMPLATES = ROOT / "templates"
OF_DJANGO = {"django/forms/div.html", "django/forms/field.html", "admin/judgments/user/change_form.html"}
"""Templates that replace Django's own."""
OF_ERRORS = {f"{status}.html" for status in (400, 403, "403_csrf", 404, 405, 413, 422, 429, 500, 503)}
CLASSES_OF_DJANGO = {"nonfield"}
CODE = [
    path
    for app in ("config", "evaluation", "judgments", "touchstone_core")
    for path in (ROOT / app).rglob("*.py")
]
PAGES = sorted(TEMPLATES.rglob("*.html"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
STYLES = sorted((ROOT / "static" / "css").rglob("*.css"))


@cache
def text_of(*paths: Path) -> str:
    return "\n".join(path.read_text() for path in paths)


def everything() -> str:
    return text_of(*CODE, *PAGES, *SCRIPTS)


def is_named(name: str) -> bool:
    """By its whole path, or in two parts: `f"{CELLS}/run.html"` with the folder in a constant, `f"guide/chapters/{name}.html"`."""
    folder, _, file = name.rpartition("/")
    in_parts = f'"{folder}"' in everything() and f"}}/{file}" in everything()
    return name in everything() or in_parts or f'"{folder}/{{' in everything()


def test_every_template_is_named_by_a_view_or_by_another_template():
    names = {path.relative_to(TEMPLATES).as_posix() for path in PAGES}

    assert len(names) > 200
    assert {name for name in names - OF_DJANGO if not is_named(name)} == OF_ERRORS, (
        "delete templates that nothing names"
    )


def test_every_partial_is_shown():
    left_over = [
        f"{path.name}#{name}"
        for path in PAGES
        for name, inline in re.findall(r"{% partialdef ([\w-]+)( inline)? %}", path.read_text())
        if not inline and f"{{% partial {name} %}}" not in text_of(path) and f"#{name}" not in everything()
    ]

    assert left_over == [], "show these partials, or delete them"


def test_every_class_of_a_style_sheet_is_on_a_page():
    """A class may be put together: `heat-{{ cell.heat }}` has all that begin with `heat-`."""
    rules = re.sub(r"/\*.*?\*/|{[^{}]*}", " ", text_of(*STYLES), flags=re.DOTALL)
    classes = set(re.findall(r"\.([a-zA-Z][\w-]*)", rules)) - CLASSES_OF_DJANGO
    words = set(re.findall(r"[\w-]+", everything()))

    left_over = {
        name
        for name in classes
        if name not in words
        and not any(name[: at + 1] in words for at, sign in enumerate(name) if sign == "-")
    }

    assert len(classes) > 200
    assert left_over == set(), "no page has these classes: delete their rules"


def blocks_of(page: str) -> tuple[set[str], set[str]]:
    """The names of its outermost blocks, and of all blocks of it and of what it extends."""
    text = (TEMPLATES / page).read_text()
    outer, depth, names = set(), 0, set()
    for end, name in re.findall(r"{% (end)?block\b ?(\w*)", text):
        outer |= set() if end or depth else {name}
        names |= set() if end else {name}
        depth += -1 if end else 1
    above = re.search(r'{% extends "([^"]+)" %}', text)
    if above and (TEMPLATES / above[1]).exists():
        names |= blocks_of(above[1])[1]
    return outer, names


def test_every_block_that_a_page_fills_is_one_of_its_base():
    left_over = {}
    for path in PAGES:
        page = path.relative_to(TEMPLATES).as_posix()
        above = re.search(r'{% extends "([^"]+)" %}', path.read_text())
        if above and (TEMPLATES / above[1]).exists():
            left_over[page] = blocks_of(page)[0] - blocks_of(above[1])[1]

    assert len(left_over) > 70
    assert {page: names for page, names in left_over.items() if names} == {}, "these blocks are never shown"
