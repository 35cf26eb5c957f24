"""docs/architecture.md names every room in its order, in the words of its `__init__.py`."""

import ast
import re
import tomllib

import pytest

from tests.architecture.test_rules import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
HEADINGS = {
    "judgments": "Rooms of judgments",
    "evaluation": "Rooms of evaluation",
    "touchstone_core": "The core",
}
KINDS = {"urls", "api", "views", "forms", "actions", "reports", "sql"}
WITHOUT_KINDS = {"base", "models", "pages"}


def rooms_of(package: str) -> list[str]:
    """From the top down, as the contract on their order has them; folders only."""
    layers = next(one["layers"] for one in CONTRACTS if one.get("containers") == [package])
    names = [name for layer in layers for name in re.findall(r"\w+", layer)]
    return [name for name in names if (ROOT / package / name).is_dir() and name != "management"]


def first_line(package: str, room: str) -> str:
    docstring = ast.get_docstring(ast.parse((ROOT / package / room / "__init__.py").read_text())) or ""
    return docstring.split("\n")[0]


def table_below(heading: str) -> list[tuple[str, str]]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE)


@pytest.mark.parametrize("package", HEADINGS)
def test_the_page_on_the_architecture_has_every_room_in_its_order(package):
    rooms = rooms_of(package)

    assert len(rooms) > 5
    assert table_below(HEADINGS[package]) == [(room, first_line(package, room)) for room in rooms], (
        "docs/architecture.md has another order or other words than pyproject.toml and the rooms' __init__.py"
    )


def test_a_room_has_files_of_the_known_kinds_and_pure_modules():
    """Folders within a room are kinds: a pure module is a file, so that its name is found by looking at the room."""
    folders = {
        f"{package}/{room}/{path.name}"
        for package in ("judgments", "evaluation")
        for room in rooms_of(package)
        if room not in WITHOUT_KINDS
        for path in (ROOT / package / room).iterdir()
        if path.is_dir() and path.name not in KINDS | {"__pycache__"}
    }

    assert folders == set(), f"make a file of it, or a folder of one of the kinds {', '.join(sorted(KINDS))}"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_files_that_a_page_names_are_there(page):
    text = (ROOT / page).read_text()
    paths = set(
        re.findall(r"`((?:judgments|evaluation|touchstone_core|static|templates|config)/[\w/.-]+)`", text)
    )

    assert len(paths) > 10
    assert {path for path in paths if not (ROOT / path).exists()} == set(), (
        f"{page} names files that aren't there"
    )
