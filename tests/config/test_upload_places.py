"""TOUCHSTONE_UPLOADS: where uploaded files wait."""

from importlib.util import find_spec

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import InvalidStorageError, StorageHandler

from config import upload_places
from config.upload_places import check_folder, storage_of
from tests.config.conftest import free_port
from tests.config.test_serve import refusal
from tests.config.test_two_roles import manage


def storage(place):
    return StorageHandler({"default": storage_of(place)})["default"]


@pytest.mark.parametrize("place", ["", "database"])
def test_the_database_is_the_default(place):
    assert storage_of(place) == {"BACKEND": "judgments.files.actions.storage.DatabaseStorage"}


def test_a_folder_keeps_files_as_they_are_for_their_owner_only(tmp_path):
    folder = tmp_path / "shared"

    name = storage(str(folder)).save("uploads/a.upload", ContentFile(b"content"))

    assert (folder / name).read_bytes() == b"content"
    assert (folder / name).stat().st_mode & 0o077 == 0


def test_a_folder_has_to_be_there_before(tmp_path, monkeypatch):
    """Django would make it, on the local disk where a share isn't mounted."""
    there, missing = tmp_path / "there", tmp_path / "missing"
    there.mkdir()
    for place in ("", "database", str(there)):
        check_folder(storage_of(place))

    for place in (missing, __file__):
        with pytest.raises(ImproperlyConfigured) as refused:
            check_folder(storage_of(str(place)))
        assert str(refused.value) == (
            f"TOUCHSTONE_UPLOADS is “{place}”, which is no folder. Make it or mount it first."
        )
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ImproperlyConfigured, match="in which this account may not write"):
        check_folder(storage_of(str(there)))
    assert not missing.exists()


@pytest.mark.parametrize("command", ["check", "work"])
def test_commands_that_use_the_folder_refuse_one_that_is_missing(tmp_path, command):
    variables = {"TOUCHSTONE_VAR": str(tmp_path), "TOUCHSTONE_UPLOADS": "/nope/x"}

    assert manage(command, **variables) == (
        2,
        "TOUCHSTONE_UPLOADS is “/nope/x”, which is no folder. Make it or mount it first.\n",
    )


def test_a_site_does_not_start_without_the_folder(tmp_path):
    said = refusal(TOUCHSTONE_VAR=str(tmp_path), PORT=str(free_port()), TOUCHSTONE_UPLOADS="/etc/passwd")

    assert said == "TOUCHSTONE_UPLOADS is “/etc/passwd”, which is no folder. Make it or mount it first."


@pytest.mark.parametrize("place", ["uploads", "S3", "ftp://somewhere"])
def test_anything_else_is_refused_with_what_was_expected(place):
    with pytest.raises(ImproperlyConfigured, match=f"TOUCHSTONE_UPLOADS is “{place}”; expected database"):
        storage_of(place)


def test_a_bucket_needs_a_name():
    with pytest.raises(ImproperlyConfigured, match="names no bucket"):
        storage_of("s3:///prefix")


def test_a_bucket_needs_packages_that_are_not_always_installed(monkeypatch):
    monkeypatch.setattr(upload_places, "find_spec", lambda name: None)

    with pytest.raises(ImproperlyConfigured, match="needs the packages of requirements-s3"):
        storage_of("s3://bucket/prefix")


def test_a_bucket_is_of_django_storages(monkeypatch):
    monkeypatch.setattr(upload_places, "find_spec", lambda name: name)

    assert storage_of("s3://bucket/some/prefix/")["OPTIONS"] == {
        "bucket_name": "bucket",
        "location": "some/prefix",
        "file_overwrite": False,
    }
    if find_spec("storages") is None:
        with pytest.raises(InvalidStorageError):
            storage("s3://bucket")
