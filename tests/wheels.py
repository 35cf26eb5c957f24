"""The core as a wheel, for the tests that install it."""

import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

from tests.architecture.test_rules import ROOT

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def build_wheel(folder: Path) -> Path:
    """With the backend that is installed, so that nothing is downloaded."""
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir")
    subprocess.run([*PIP, "wheel", *options, "--wheel-dir", folder, ROOT], check=True)
    (path,) = folder.iterdir()
    return path


def install(wheel: Path, folder: Path) -> Path:
    """The folder of the commands of a new environment with the wheel. The packages that it asks for are those of the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    (packages,) = folder.glob("lib/python*/site-packages")
    with ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        needed = re.findall(r"^Requires-Dist: (.+)$", archive.read(metadata).decode(), re.MULTILINE)
    for name in _with_requirements(needed):
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or () if ".." not in file.parts}:
            (packages / top).symlink_to(str(package.locate_file(top)))
    subprocess.run([*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    subprocess.run([*PIP, "--python", python, "check"], check=True)
    return python.parent


def _with_requirements(names: list[str]) -> set[str]:
    """The names, and what they need in turn, as the packages here declare it."""
    found, left = set(), list(names)
    while left:
        name = re.split(r"[^\w.-]", left.pop(), maxsplit=1)[0]
        if name not in found:
            found.add(name)
            left += [one for one in distribution(name).requires or [] if "extra ==" not in one]
    return found
