"""What the docs point to is there."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.test_rules import ROOT, sources

ADRS = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
PAGES = [
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "docs" / "adr", ROOT / "benchmarks", ROOT / "examples")
    for path in sorted(folder.glob("*.md"))
]
STATUS = re.compile(r"\d{4}-\d{2}-\d{2}, (accepted|superseded (in part )?by \[ADR \d+\]\([^)]+\)).*")
# The name of a class or function, or of a field or variable.
DEFINED = re.compile(r"\b(?:class|def) (\w+)|^ *(\w+)(?: =|: )", re.MULTILINE)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page):
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = [link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in link]
    files = [(page.parent / path if path else page, anchor) for path, _, anchor in targets]

    assert [str(path) for path, _ in files if not path.exists()] == []
    assert [anchor for path, anchor in files if anchor and anchor not in anchors(path)] == []


def test_every_name_of_the_glossary_is_in_the_code():
    defined = {name for path in sources() for found in DEFINED.findall(path.read_text()) for name in found}
    rows = re.findall(r"^\|.*\|([^|]*)\|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    names = {part for row in rows for name in re.findall(r"`([\w.]+)`", row) for part in name.split(".")}

    assert len(names) > 90
    assert sorted(names - defined) == [], (
        "the last column of docs/glossary.md names what the code doesn't have"
    )


def test_docs_name_only_targets_that_make_has():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = "\n".join(page.read_text() for page in PAGES)
    said = set(re.findall(r"^make ([a-z-]+)", text, re.MULTILINE)) | set(re.findall(r"`make ([a-z-]+)", text))

    assert {"run", "test"} <= said <= targets


def test_every_variable_that_the_settings_read_is_documented():
    code = "".join((ROOT / "config" / name).read_text() for name in ("settings.py", "environment.py"))
    read = set(re.findall(r"(?:env_\w+|environ\.get)\(\s*\"([A-Z_]+)\"", code))
    documented = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "configuration.md").read_text()))

    assert {"HOST", "DATABASE_URL", "TOUCHSTONE_DEMO", "TOUCHSTONE_OIDC_URL"} <= read
    assert sorted(read - documented) == [], "describe them in docs/configuration.md"


def test_the_tests_that_the_threat_model_names_are_there():
    text = (ROOT / "docs" / "threat-model.md").read_text()
    named_tests = set(re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", text))

    assert len(named_tests) > 25
    for path, name in named_tests:
        assert (ROOT / path).is_file(), path
        assert f"def {name}" in (ROOT / path).read_text(), f"{path}::{name}"


@pytest.mark.parametrize("tool", ["ruff format --check", "ruff check", "lint-imports", "djade", "eslint.js"])
def test_hooks_before_a_commit_are_part_of_make_check(tool):
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    check = (ROOT / "Makefile").read_text().partition("\ncheck: ")[2].partition("\n\n")[0]

    assert tool in hooks
    assert tool in check.lower()


@pytest.mark.parametrize("page", ADRS, ids=named)
def test_a_decision_begins_with_its_number_and_its_status(page):
    title, blank, status, *_ = page.read_text().splitlines()

    assert title.startswith(f"# {int(page.name[:4])}. ")
    assert (blank, bool(STATUS.fullmatch(status))) == ("", True)


def test_the_index_has_title_and_status_of_every_decision():
    index = (ROOT / "docs" / "adr" / "README.md").read_text()
    heads = [(page.name, *page.read_text().splitlines()[:3:2]) for page in ADRS]

    assert re.findall(r"^\| \[(\d+)\]\(([^)]+)\) \| (.+?) \| (.+) \|$", index, re.MULTILINE) == [
        (str(int(name[:4])), name, title.partition(". ")[2], status) for name, title, status in heads
    ]
