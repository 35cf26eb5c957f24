"""Rules of the house that no other tool checks."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("config", "judgments", "evaluation")
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


def calls(path: Path) -> list[tuple[int, str, str]]:
    """Every method call of a file: line, owner as written, method."""
    tree = ast.parse(path.read_text())
    return [
        (node.lineno, ast.unparse(node.func.value), node.func.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]


def writes(path: Path) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line} {owner}.{method}()"
        for line, owner, method in calls(path)
        if method in WRITES and owner.split(".")[-1] not in HARMLESS_OWNERS
    ]


CALLERS = [
    path
    for path in sources("views", "forms", "management", "reports", "admin")
    if "actions" not in path.parts
]


@pytest.mark.parametrize("path", CALLERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_actions_write(path):
    assert writes(path) == []


def test_the_check_for_writes_sees_a_write(tmp_path):
    planted = ROOT / "judgments" / "views" / "planted.py"
    try:
        planted.write_text("def view(request):\n    request.user.save()\n")

        assert writes(planted) == ["judgments/views/planted.py:2 request.user.save()"]
    finally:
        planted.unlink()


SQL = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TEMP|COPY \w+)\b", re.DOTALL
)


@pytest.mark.parametrize(
    "path",
    [path for path in sources() if not {"ingest", "migrations", "config"} & set(path.parts)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_sql_text_stands_only_in_ingest_and_migrations(path):
    strings = [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]

    assert [text for text in strings if SQL.search(text)] == []


@pytest.mark.parametrize(
    "path",
    [path for path in sources() if "config" not in path.parts],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_the_environment_is_read_in_the_configuration_only(path):
    assert not re.search(r"os\.environ|os\.getenv", path.read_text())


TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_hold_to_the_content_security_policy(path):
    text = path.read_text()

    assert not re.search(r"""\sstyle\s*=\s*["']""", text), "an inline style"
    assert not re.search(r"""\son[a-z]+\s*=\s*["']""", text), "an inline event handler"
    assert not re.search(r"<script(?![^>]*\bsrc=)", text), "an inline script"
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?:https?:)?//""", text), "something from outside"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_leave_escaping_on(path):
    """Cleaned HTML reaches a template as a SafeString from judgments/cleaning.py; no template vouches for any."""
    assert not re.search(r"\|\s*safe\b|autoescape\s+off", path.read_text())


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

    assert found == []


def test_every_file_of_ours_stays_readable():
    """400 lines of Python are usually two things; data and migrations aside."""
    long = {
        str(path.relative_to(ROOT)): count
        for path in [*sources(), *sorted((ROOT / "tests").rglob("*.py"))]
        if "migrations" not in path.parts and (count := len(path.read_text().splitlines())) > 400
    }

    assert long == {}
