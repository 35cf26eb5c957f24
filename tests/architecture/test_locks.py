"""What is installed is named in a lock file with its version and its hashes, and nothing else is."""

import importlib.metadata
import json
import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.test_rules import ROOT

LOCKED = ["requirements", "requirements-dev", "requirements-mutants", "benchmarks/requirements"]
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)


def pins(name: str) -> set[tuple[str, str]]:
    found = PIN.findall((ROOT / name).read_text())
    return {(re.sub(r"[._]", "-", package.lower()), version) for package, version in found}


@pytest.mark.parametrize("name", LOCKED)
def test_the_lock_file_has_what_its_source_asks_for(name):
    """Where this fails, a version was changed without `make lock`."""
    asked = pins(f"{name}.in")

    assert asked
    assert asked <= pins(f"{name}.txt")


@pytest.mark.parametrize("name", LOCKED)
def test_every_package_of_a_lock_file_has_hashes(name):
    text = re.sub(r"^\s*#.*\n", "", (ROOT / f"{name}.txt").read_text(), flags=re.MULTILINE)
    entries = re.split(r"\n(?=\S)", text.strip())

    assert len(entries) >= len(pins(f"{name}.txt"))
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("name", LOCKED)
def test_every_line_of_a_source_pins_its_version(name):
    lines = (ROOT / f"{name}.in").read_text().splitlines()

    loose = [line for line in lines if line and line[0] not in "#-" and not PIN.match(line)]

    assert loose == []


@pytest.mark.parametrize("name", LOCKED[1:3])
def test_tests_run_with_the_versions_that_the_site_runs_with(name):
    assert pins("requirements.txt") <= pins(f"{name}.txt")


def test_every_front_end_package_has_a_hash_and_no_registry():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    packages.pop("")

    assert packages
    assert [name for name, facts in packages.items() if not facts.get("integrity")] == []
    assert [name for name, facts in packages.items() if "resolved" in facts] == []


def test_make_installs_nothing_without_its_hash():
    makefile = (ROOT / "Makefile").read_text()
    installs = re.findall(r"^.*\bpip\b.*\binstall\b.*$", makefile, re.MULTILINE)

    assert len(installs) >= 3
    assert [line for line in installs if "--require-hashes" not in line] == []


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_a_pin_names_the_extras_that_other_packages_ask_for(name):
    """Without them, pip takes a package's newest release as soon as there is one, and then misses its hash."""
    locked = extras_of_pins(f"{name}.txt")
    asked = [
        (canonicalize_name(requirement.name), requirement.extras)
        for package, extras in locked.items()
        for requirement in requirements_of(package, extras)
        if requirement.extras
    ]

    assert asked
    assert [(package, extras) for package, extras in asked if not extras <= locked[package]] == []


def extras_of_pins(name: str) -> dict[str, set[str]]:
    lines = re.findall(r"^[\w.-]+(?:\[[^]]*\])?==[^\s;\\]+", (ROOT / name).read_text(), re.MULTILINE)
    return {canonicalize_name(pin.name): pin.extras for pin in map(Requirement, lines)}


def requirements_of(package: str, extras: set[str]) -> list[Requirement]:
    """What an installed package needs on this machine; nothing for a package of other machines."""
    try:
        lines = importlib.metadata.requires(package) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    needs = [Requirement(line) for line in lines]
    return [
        need
        for need in needs
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras | {""})
    ]
