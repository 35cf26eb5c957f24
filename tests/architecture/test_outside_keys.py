"""A key that comes from outside is looked up within what the viewer may see, never in a whole table.

Views, forms, reports and the API of the site are where such keys arrive. In them a look-up by key (`pk=`, `id=`, `pk__in=`, the key of
another row) must begin at a query set of the viewer's: `visible_to` and its like, the rows of a row that was fetched that
way (`judgment_list.pairs`), or a filter by one (`query_set=`, `judgment_list=`). Whatever else there is says here why.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.test_rules import ROOT, sources

LOOK_UPS = {"filter", "get", "exclude", "get_object_or_404", "in_bulk", "aget", "get_or_none"}
MANAGERS = {"objects", "_default_manager", "_base_manager"}
SCOPES = {
    "visible_to",
    "requested_by",
    "staffed_by",
    "administered_by",
    "judgeable_by",
    "editable_by",
    "importable_by",
}
PARENTS = {
    "list_queries__judgment_list",
    "query_set",
    "query_set_id",
    "judgment_list",
    "judgment_list_id",
    "scale",
    "rater__user",
    "query_set__in",
}
"""What a filter within what was fetched for the viewer names."""

COMPUTED = "its keys come from rows that were read for the viewer, not from outside"
ALLOWED = {
    "judgments/raters/reports/accuracy.py Rater": COMPUTED,
    "judgments/agreement/reports/rater_agreement.py Rater": COMPUTED,
    "judgments/judging/reports/judging.py Pair": "keys of pairs that the rater holds",
    "judgments/raters/reports/leave_one_out.py Rater": COMPUTED,
    "judgments/log/reports/log.py QuerySet": COMPUTED,
    "judgments/log/reports/log.py model": COMPUTED,
    "judgments/content/reports/search.py model": "keys that the search within the query set has given",
    "evaluation/comparisons/reports/comparison_files.py Query": COMPUTED,
    "evaluation/explain/reports/drill_down.py Query": COMPUTED,
    "evaluation/start/reports/losses.py Version": COMPUTED,
    "judgments/people/views/personal_data.py User": "for site administrators, who see every account",
}


def by_key(word: ast.keyword) -> bool:
    """Whether a keyword of a look-up names a row by a key that may come from outside.

    The key of a row that is there already does not, nor does a column of an outer statement.
    """
    if isinstance(word.value, ast.Attribute) and word.value.attr in ("pk", "id"):
        return False
    field = (word.arg or "").removesuffix("__in")
    return (field in ("pk", "id") or field.endswith(("_id", "__pk", "__id"))) and "OuterRef" not in names_in(
        word.value
    )


def names_in(node: ast.AST) -> set[str]:
    return {getattr(one, "attr", getattr(one, "id", "")) for one in ast.walk(node)}


def keywords_in(node: ast.AST) -> set[str]:
    """The keywords of all look-ups in a chain."""
    return {
        word.arg for one in ast.walk(node) if isinstance(one, ast.Call) for word in one.keywords if word.arg
    }


def whole_table(node: ast.AST) -> str:
    """The model whose whole table a chain of calls begins with: `User.objects.filter(…)`, `get_object_or_404(User, …)`."""
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Attribute):
            if node.attr in MANAGERS:
                return ast.unparse(node.value)
            node = node.value
        elif isinstance(node.func, ast.Name):
            first = node.args[0] if node.args else None
            if node.func.id != "get_object_or_404" or first is None:
                return ""
            if isinstance(first, ast.Name) and first.id[:1].isupper():
                return first.id
            node = first
        else:
            node = node.func
    return ""


def unscoped(path: Path) -> Iterator[tuple[int, str]]:
    """Look-ups by key in a whole table: their lines and models."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in LOOK_UPS or not any(by_key(word) for word in node.keywords):
            continue
        model = whole_table(node)
        if model and not names_in(node) & SCOPES and not keywords_in(node) & PARENTS:
            yield node.lineno, model


def found_in(paths: list[Path]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for path in paths:
        for line, model in unscoped(path):
            found.setdefault(f"{path.relative_to(ROOT)} {model}", []).append(line)
    return found


def of_the_site() -> list[Path]:
    return [
        path for path in sources("views", "pages", "forms", "reports", "api") if "actions" not in path.parts
    ]


def test_keys_from_outside_are_looked_up_within_what_the_viewer_may_see():
    found = {place: lines for place, lines in found_in(of_the_site()).items() if place not in ALLOWED}

    assert found == {}, "begin at visible_to, or at rows of what was fetched with it"


def test_every_exception_is_needed():
    assert set(ALLOWED) - set(found_in(of_the_site())) == set(), "nothing needs them any more: remove them"


def test_nothing_passes_by_the_managers_that_scope():
    """`_base_manager` has no `visible_to`: nothing that it finds is the viewer's."""
    used = [str(path.relative_to(ROOT)) for path in of_the_site() if "_base_manager" in path.read_text()]

    assert used == ["judgments/content/reports/content.py"], (
        "which counts what points to a row that is to be deleted"
    )


def test_the_check_sees_look_ups_in_whole_tables():
    planted = ROOT / "judgments" / "pages" / "planted_keys.py"
    text = """
def view(request):
    get_object_or_404(User, pk=request.POST["user"])
    Query._base_manager.filter(pk=1).first()
    Pair.objects.select_related("query").get(id=1)
    get_object_or_404(Run.objects.order_by("pk"), pk=1)
    Run.objects.visible_to(request.user).get(pk=1)
    Pair.objects.filter(judgment_list=one).filter(pk=1)
    one.pairs.filter(pk=1)
"""
    try:
        planted.write_text(text)

        assert sorted(unscoped(planted)) == [(3, "User"), (4, "Query"), (5, "Pair"), (6, "Run")]
    finally:
        planted.unlink()
