"""Rules of the house that no other tool checks."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("config", "judgments", "evaluation", "touchstone_core")
WRITES = {
    "save",
    "create",
    "delete",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
    "update",
    "execute",
    "executemany",
    "copy",
    "raw",
    "extra",
}
HARMLESS_OWNERS = {
    "address",
    "hashlib",
    "parser",
    "params",
    "headers",
    "context",
    "digest",
    "fields",
    "seen",
    "counts",
}


def sources(*parts: str) -> list[Path]:
    """The Python files below the apps whose path has one of `parts` as a folder or file name; all without parts."""
    files = [path for app in APPS for path in sorted((ROOT / app).rglob("*.py"))]
    if not parts:
        return files
    return [path for path in files if {path.stem, *path.relative_to(ROOT).parts} & set(parts)]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def named(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def calls(path: Path) -> list[tuple[int, str, str]]:
    """Every method call of a file that may write: line, owner as written, method. A form saved with commit=False doesn't."""
    return [
        (node.lineno, ast.unparse(node.func.value), node.func.attr)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and "commit=False" not in map(ast.unparse, node.keywords)
    ]


def writes(path: Path) -> list[str]:
    return [
        f"{named(path)}:{line} {owner}.{method}()"
        for line, owner, method in calls(path)
        if method in WRITES and owner.split(".")[-1] not in HARMLESS_OWNERS
    ]


def test_only_actions_write():
    callers = [
        path
        for path in sources(
            "views", "pages", "forms", "management", "reports", "admin", "comparison", "offline"
        )
        if "actions" not in path.parts
    ]

    assert len(callers) > 100
    assert [found for path in callers for found in writes(path)] == [], (
        "write in a function of the room's `actions`; add the owner to HARMLESS_OWNERS if this isn't the database"
    )


def test_the_check_for_writes_sees_a_write(tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text("def view(request):\n    request.user.save()\n")

    assert writes(planted) == ["planted.py:2 request.user.save()"]


SQL = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TEMP|COPY \w+)\b", re.DOTALL
)


def sql_texts(path: Path) -> list[str]:
    strings = (
        node.value
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return [f"{named(path)}: {text}" for text in strings if SQL.search(text)]


def test_sql_text_stands_only_in_sql_and_migrations():
    others = [path for path in sources() if not {"sql", "migrations", "config"} & {path.stem, *path.parts}]
    within = sources("sql")

    assert [found for path in others for found in sql_texts(path)] == [], "move the SQL into the room's `sql`"
    assert any(sql_texts(path) for path in within), "the search finds SQL where it is"


def test_the_environment_is_read_in_the_configuration_only():
    environment = re.compile(r"os\.environ|os\.getenv")
    readers = [named(path) for path in sources() if environment.search(path.read_text())]

    allowed = [
        "judgments/files/limited_process.py",  # hands it on to the processes that it starts
        "touchstone_core/client/site.py",  # the token of a program, which no command line should show
        "touchstone_core/process.py",  # tells numpy something that it looks for there
    ]
    assert [name for name in readers if not name.startswith("config/")] == allowed
    assert any(name.startswith("config/") for name in readers), "the search finds them where they are"


FORBIDDEN_IN_TEMPLATES = {
    "an inline style": r"""\sstyle\s*=\s*["']""",
    "an inline event handler": r"""\son[a-z]+\s*=\s*["']""",
    "an inline script": r"<script(?![^>]*\bsrc=)",
    "something from outside": r"""(?:src|href)\s*=\s*["'](?:https?:)?//""",
    # Cleaned HTML reaches a template as a SafeString from judgments/base/cleaning.py; no template vouches for any.
    "escaping taken off": r"\|\s*safe\b|autoescape\s+off",
}


def test_templates_hold_to_the_content_security_policy_and_leave_escaping_on():
    templates = sorted((ROOT / "templates").rglob("*.html"))
    found = [
        (named(path), what)
        for path in templates
        for what, pattern in FORBIDDEN_IN_TEMPLATES.items()
        if re.search(pattern, path.read_text())
    ]

    assert len(templates) > 100
    assert found == [], (
        "use a class, a listener in static/js, or a file of our own; clean HTML in judgments/base/cleaning.py"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('<p style="color: red">', "an inline style"),
        ('<p onclick="go()">', "an inline event handler"),
        ("<script>go()</script>", "an inline script"),
        ('<img src="//elsewhere/a.png">', "something from outside"),
        ("{{ text|safe }}", "escaping taken off"),
    ],
)
def test_the_search_in_templates_sees_what_is_forbidden(text, what):
    assert [name for name, pattern in FORBIDDEN_IN_TEMPLATES.items() if re.search(pattern, text)] == [what]


def tracked_texts() -> dict[str, str]:
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    texts = {}
    for name in names:
        path = ROOT / name
        if path.is_file() and path.suffix not in {".png", ".woff2", ".gz"}:
            texts[name] = path.read_text(errors="replace")
    return texts


def test_no_registry_and_no_path_of_a_machine_is_named():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so there is no list of the project's files")
    hosts = [
        "npmjs" + ".org",
        "pypi" + ".org",
        "python" + "hosted.org",
        "registry" + ".",
        "/home" + "/",
        "/work" + "/",
    ]

    found = [(name, host) for name, text in tracked_texts().items() for host in hosts if host in text]

    assert found == [], "leave out the path or host: it's of one machine, or of a package registry"


def test_every_file_of_ours_stays_readable():
    """400 lines of Python are usually two things; data and migrations aside."""
    long = {
        str(path.relative_to(ROOT)): count
        for path in [*sources(), *sorted((ROOT / "tests").rglob("*.py"))]
        if "migrations" not in path.parts and (count := len(path.read_text().splitlines())) > 400
    }

    assert long == {}, "split the file by what it is about: move a part, with a name of its own, beside it"


def test_a_test_that_changes_a_window_for_good_has_it_for_itself():
    """Windows are used again by later tests; a clock, a script that pages begin with and a listener can't be taken back."""
    for_good = re.compile(r"\.(clock\.install|add_init_script|expose_\w+|once|on)\(")
    tests = [
        (path.name, function, ast.unparse(function))
        for path in sorted((ROOT / "tests" / "browser").rglob("test_*.py"))
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
    ]
    changing = [(name, function.name, text) for name, function, text in tests if for_good.search(text)]

    assert len(changing) > 3
    assert [one[:2] for one in changing if "pytest.mark.own_window" not in one[2]] == [], (
        "mark these tests with @pytest.mark.own_window"
    )
