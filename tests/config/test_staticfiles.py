"""Of the front-end packages pages get what the settings list, in tests as in production."""

import json
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command

from config.staticfiles import PackageFinder
from judgments.templatetags.modules import IMPORT


@pytest.fixture
def package(tmp_path, settings):
    (tmp_path / "css").mkdir()
    for name in ("css/used.css", "css/other.css", "used.js"):
        (tmp_path / name).write_text("")
    settings.STATIC_PACKAGES = {"vendor/thing": (tmp_path, ["css/used.*", "*.js"])}
    return PackageFinder()


def test_only_listed_files_are_collected(package):
    assert sorted(path for path, _ in package.list([])) == ["css/used.css", "used.js"]


def test_only_listed_files_are_found(package, tmp_path):
    assert package.find("vendor/thing/css/used.css") == str(tmp_path / "css" / "used.css")
    assert package.find("vendor/thing/css/other.css") == []


def test_a_package_not_fetched_yet_is_passed_over(settings):
    settings.STATIC_PACKAGES = {"vendor/thing": (Path("/nowhere"), ["*"])}

    assert list(PackageFinder().list([])) == []


@pytest.mark.parametrize(
    "name",
    [
        "vendor/bootstrap/css/bootstrap.min.css",
        "vendor/echarts/echarts.min.js",
        "vendor/fonts/source-sans-3/index.css",
    ],
)
def test_the_fetched_packages_hold_what_pages_name(name, settings):
    if not (settings.BASE_DIR / "node_modules").exists():
        pytest.skip("the front-end packages have not been fetched")

    assert finders.find(name) is not None


def test_imports_name_files_with_their_hashes(settings, tmp_path):
    """A browser keeps such files for ever: an import without a hash would bring an old module to a new page."""
    settings.STATIC_ROOT = tmp_path
    settings.STATICFILES_FINDERS = settings.STATICFILES_FINDERS[
        :1
    ]  # compressing the packages takes half a minute
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "config.staticfiles.ModuleStorage"}}

    call_command("collectstatic", interactive=False, verbosity=0)

    names = json.loads((tmp_path / "staticfiles.json").read_text())["paths"]
    own = {name: tmp_path / hashed for name, hashed in names.items() if name.startswith("js/")}
    imports = [
        (path.parent / found["url"]).resolve()
        for path in own.values()
        for found in re.finditer(IMPORT, path.read_text())
    ]
    assert len(imports) >= 5
    assert set(imports) <= set(own.values())
    # The names without hashes are gone, and so is the time to compress them.
    assert not [name for name in names if (tmp_path / name).exists()]
    assert all(path.exists() for path in own.values())
