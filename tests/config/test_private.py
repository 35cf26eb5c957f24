"""What lies in the folder for data is closed to other users of the machine."""

import os
import stat

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

from config import postgres, private
from config.secret import secret_key
from tests.config.conftest import rows


@pytest.fixture(autouse=True)
def _open_umask():
    """Where a file is private, that is not for a strict umask of whoever runs the tests."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(folder):
    """What in the folder other users can read."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if mode(path) & 0o077 and "static" not in path.parts
    }


def test_a_folder_for_data_that_is_made_can_be_looked_into_by_its_owner_only(tmp_path):
    secret_key(tmp_path / "var")

    assert mode(tmp_path / "var") == (0o711 if os.geteuid() == 0 else 0o700)
    assert mode(tmp_path / "var" / "secret_key") == 0o600


def test_an_upload_is_stored_for_the_owner_only(tmp_path, settings):
    FileSystemStorage(tmp_path / "uploads").save("a/b.upload", ContentFile(b"secret"))

    assert open_to_others(tmp_path) == set()
    assert mode(tmp_path / "uploads") == 0o700


def test_what_an_earlier_version_left_open_is_closed(tmp_path):
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    (uploads / "a.upload").write_text("secret")
    (tmp_path / "postgres.log").write_text("a statement")
    strange = tmp_path / "strange"
    strange.write_text("of somebody else")
    (uploads / "link").symlink_to(strange)

    private.mend(tmp_path)

    assert open_to_others(tmp_path) == {"strange", "uploads/link"}
    assert (uploads / "a.upload").read_text() == "secret"


def test_the_embedded_server_works_in_a_closed_folder_and_leaves_nothing_open(tmp_path_factory):
    folder = tmp_path_factory.getbasetemp().parent / f"t{os.getpid()}"
    server = postgres.Server(folder / "var", settings=postgres.FLEETING)
    with server.running():
        assert rows(folder / "var", "SELECT 1") == [(1,)]

    assert open_to_others(folder / "var") <= {"postgres.lock"}
