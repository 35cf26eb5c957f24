"""Uploaded files in the database: the same bytes from any position, nothing after a rollback, nothing left behind."""

import io
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, default_storage, storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from judgments.base.sql.copy import stage
from judgments.files.actions import storage
from judgments.files.actions.storage import DatabaseStorage, FileGoneError
from judgments.files.actions.uploads import discard_undecided, keep_upload, take_over_files
from judgments.files.reports.uploads import UploadGoneError, open_ahead, open_upload
from judgments.files.sql import blocks
from judgments.files.sql.blocks import BLOCK
from judgments.models import Purpose, StoredBlock, StoredFile, Upload
from tests import factories as make

pytestmark = pytest.mark.django_db
SOME_BLOCKS = os.urandom(2 * BLOCK + 7)


def kept(content=b"some bytes", **changes):
    query_set = make.make_query_set()
    user = make.make_member(query_set, "engineer")
    file = SimpleUploadedFile("queries.csv", content)
    return keep_upload(query_set=query_set, user=user, purpose=Purpose.QUERIES, file=file, **changes)


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 7])
def test_a_file_comes_back_as_it_was_stored(size):
    content = SOME_BLOCKS[:size]
    name = default_storage.save("a", ContentFile(content))

    with default_storage.open(name) as file:
        assert file.read() == content
    assert default_storage.size(name) == size
    assert StoredBlock.objects.filter(file=name).count() == -(-size // BLOCK)


class Trickle(File[bytes]):
    """Gives its bytes in pieces of any size, as a slow client does."""

    def chunks(self, chunk_size=None):
        for at in range(0, len(SOME_BLOCKS), 70_001):
            yield SOME_BLOCKS[at : at + 70_001]


def test_blocks_do_not_depend_on_how_the_file_came_in():
    name = default_storage.save("a", Trickle(io.BytesIO(), "a"))

    with default_storage.open(name) as file:
        assert file.read() == SOME_BLOCKS
    assert StoredBlock.objects.filter(file=name).count() == 3


@given(
    moves=st.lists(
        st.tuples(
            st.integers(0, len(SOME_BLOCKS) + 9), st.sampled_from([0, 1, 2]), st.integers(-1, BLOCK + 9)
        ),
        max_size=6,
    )
)
def test_it_reads_from_any_position_as_a_file_in_memory_does(moves):
    with transaction.atomic():
        name = default_storage.save("a", ContentFile(SOME_BLOCKS))
        twin = io.BytesIO(SOME_BLOCKS)
        with default_storage.open(name) as file:
            for offset, whence, size in moves:
                back = -offset if whence == 2 else offset
                try:
                    expected = twin.seek(back, whence)
                except ValueError:
                    continue
                assert file.seek(back, whence) == expected
                assert file.read(size) == twin.read(size)
        transaction.set_rollback(True)


def test_a_small_file_is_read_with_one_statement(django_assert_num_queries):
    name = default_storage.save("a", ContentFile(b"small"))

    with django_assert_num_queries(1), default_storage.open(name) as file:
        assert file.read() == b"small"


def test_several_files_are_opened_with_one_statement(django_assert_num_queries):
    uploads = [kept(b"one"), kept(b"two"), kept(b"gone")]
    default_storage.delete(uploads[2].file.name)

    with django_assert_num_queries(1):
        open_ahead(uploads)
        for upload, content in zip(uploads[:2], (b"one", b"two"), strict=True):
            for _ in range(2):
                with open_upload(upload) as file:
                    assert file.read() == content
    with pytest.raises(UploadGoneError), open_upload(uploads[2]):
        pass


def test_other_storages_open_their_files_one_by_one(monkeypatch, tmp_path):
    upload = kept(b"one")
    monkeypatch.setattr(Upload._meta.get_field("file"), "storage", FileSystemStorage(tmp_path))

    open_ahead([upload])

    assert upload.opened is None


def test_a_large_file_is_never_in_memory_as_a_whole(django_assert_num_queries):
    name = default_storage.save("a", ContentFile(SOME_BLOCKS))

    with default_storage.open(name) as file, django_assert_num_queries(1):
        file.seek(BLOCK + 5)
        assert file.read(10) == SOME_BLOCKS[BLOCK + 5 : BLOCK + 15]


@pytest.mark.parametrize("together", [1, 2, 64])
@pytest.mark.parametrize("at", [0, 5, BLOCK, BLOCK + 5, 2 * BLOCK + 7, 9 * BLOCK])
def test_the_rest_of_a_file_is_read_many_blocks_at_once(monkeypatch, at, together):
    monkeypatch.setattr(storage, "TOGETHER", together)
    name = default_storage.save("a", ContentFile(SOME_BLOCKS))

    with default_storage.open(name) as file:
        file.seek(at)
        assert file.read() == SOME_BLOCKS[at:]
        assert file.tell() == max(at, len(SOME_BLOCKS))
        assert file.read() == b""


def test_a_file_that_goes_while_all_of_it_is_read_is_gone(monkeypatch):
    name = default_storage.save("a", ContentFile(SOME_BLOCKS))
    with default_storage.open(name) as file:
        monkeypatch.setattr(blocks, "read_blocks", lambda *_: b"")
        with pytest.raises(FileGoneError):
            file.read()


def test_a_file_is_not_read_while_rows_are_copied():
    """It would wait for ever: the connection is busy with the rows that the file gives."""
    name = default_storage.save("a", ContentFile(b"x"))

    def rows():
        yield (default_storage.open(name).read().decode(),)

    with pytest.raises(RuntimeError, match="can’t be read while"):
        stage("staged", {"text": "text"}, rows())


def test_a_rollback_leaves_no_file():
    with transaction.atomic():
        name = default_storage.save("a", ContentFile(b"x"))
        transaction.set_rollback(True)

    assert not default_storage.exists(name)
    assert not StoredBlock.objects.exists()


def test_two_files_of_one_name_get_two_names():
    first, second = (default_storage.save("a", ContentFile(text)) for text in (b"1", b"2"))

    assert first != second
    assert default_storage.open(first).read() == b"1"


def test_a_file_that_is_not_there_says_so():
    with pytest.raises(FileGoneError):
        default_storage.open("nowhere")


def test_a_file_that_is_deleted_while_it_is_read_is_gone_for_its_reader():
    upload = kept(SOME_BLOCKS)

    def read_while_it_goes():
        with open_upload(upload) as file:
            file.read(10)
            default_storage.delete(upload.file.name)
            file.read()

    with pytest.raises(UploadGoneError):
        read_while_it_goes()


def test_an_upload_can_be_opened_again():
    upload = kept(b"twice")

    for _ in range(2):
        with open_upload(upload) as file:
            assert file.read() == b"twice"


def test_a_discarded_upload_takes_its_blocks_along(django_capture_on_commit_callbacks):
    upload = kept()

    with django_capture_on_commit_callbacks(execute=True):
        discard_undecided(user=upload.user)

    assert not StoredFile.objects.exists()
    assert not StoredBlock.objects.exists()


def test_the_next_upload_throws_away_what_nobody_names_any_more():
    orphan, mine = kept(), kept()
    Upload.objects.filter(pk=orphan.pk).delete()  # as with its account, or by a process that was killed
    fresh_orphan = default_storage.save("fresh", ContentFile(b"x"))
    StoredFile.objects.exclude(pk=fresh_orphan).update(created_at=timezone.now() - timedelta(days=8))

    latest = kept()

    names = {str(upload.file.name) for upload in (mine, latest)} | {fresh_orphan}
    assert set(StoredFile.objects.values_list("name", flat=True)) == names


def test_files_of_an_earlier_version_move_from_its_folder(tmp_path):
    waiting, imported = kept(b"waits"), kept(b"imported")
    Upload.objects.filter(pk=imported.pk).update(applied_at=timezone.now())
    for upload in (waiting, imported):
        default_storage.delete(upload.file.name)
        path = tmp_path / upload.file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"waits")

    assert take_over_files(tmp_path) == 1

    with open_upload(waiting) as file:
        assert file.read() == b"waits"
    assert not (tmp_path / waiting.file.name).exists()
    assert (tmp_path / imported.file.name).exists(), "nobody asks for it any more"
    assert take_over_files(tmp_path) == 0


def test_a_file_that_is_stored_already_does_not_move(tmp_path):
    upload = kept(b"stored")
    path = Path(tmp_path / upload.file.name)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"older")

    assert take_over_files(tmp_path) == 0

    with open_upload(upload) as file:
        assert file.read() == b"stored"


def test_blocks_are_packed_once():
    """PostgreSQL would try to compress what can't be compressed any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attstorage FROM pg_attribute WHERE attrelid = 'judgments_storedblock'::regclass AND attname = 'data'"
        )
        assert cursor.fetchone() == ("e",)
    assert isinstance(storages["default"], DatabaseStorage)
