"""The core as a wheel, for the tests that install it."""

import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.test_rules import ROOT

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def build_wheel(folder: Path) -> Path:
    """With the backend that is installed, so that nothing is downloaded."""
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir")
    subprocess.run([*PIP, "wheel", *options, "--wheel-dir", folder, ROOT], check=True)
    (path,) = folder.iterdir()
    return path


def install(wheel: Path, folder: Path, *, extra: str = "") -> Path:
    """The folder of the commands of a new environment with the wheel. The packages that it asks for are those of the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    (packages,) = folder.glob("lib/python*/site-packages")
    with ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        needed = re.findall(r"^Requires-Dist: (.+)$", archive.read(metadata).decode(), re.MULTILINE)
    for name in _with_requirements(needed, extra):
        package = distribution(name)
        for top in {
            file.parts[0] for file in package.files or () if not {"..", "__pycache__"} & set(file.parts)
        }:
            (packages / top).symlink_to(str(package.locate_file(top)))
    subprocess.run([*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    subprocess.run([*PIP, "--python", python, "check"], check=True)
    return python.parent


def _with_requirements(lines: list[str], extra: str) -> set[str]:
    """What these lines ask for on this machine, and what that needs in turn, as the packages here declare it."""
    found: set[str] = set()
    left = _asked(lines, {extra})
    while left:
        one = left.pop()
        name = canonicalize_name(one.name)
        if name not in found or one.extras:
            found.add(name)
            others = _asked(distribution(name).requires or [], one.extras or {""})
            left += [other for other in others if canonicalize_name(other.name) not in found]
    return found


def _asked(lines: Iterable[str], extras: Iterable[str]) -> list[Requirement]:
    requirements = [Requirement(line) for line in lines]
    return [
        one
        for one in requirements
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
    ]
