"""Of the front-end packages pages get what the settings list, in tests as in production."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from config.staticfiles import PackageFinder


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
