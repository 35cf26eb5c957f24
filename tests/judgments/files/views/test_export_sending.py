"""How an export reaches who asked for it: while it is read, and never a part as if it were the whole."""

import re
import tracemalloc

import pytest
from django.db import OperationalError, connection
from django.http import StreamingHttpResponse
from django.urls import reverse

from config.middleware import WholeFileMiddleware
from judgments.files.reports.exports import export
from judgments.models import Act, ConsensusGrade, Verb
from tests import factories as make
from tests.judgments.files.actions.test_import_grades import bring_in
from tests.judgments.files.views.export_pages import download, make_mixed_list
from touchstone_core.formats.judgments.judgment_files import WRITABLE
from touchstone_core.formats.problems import FormatError

pytestmark = [pytest.mark.django_db, pytest.mark.sampled]
LINES = 8_000


@pytest.fixture
def judgment_list(query_set):
    return make_mixed_list(query_set)


@pytest.fixture
def long_list(monkeypatch):
    """Longer than what is read and sent at a time."""
    monkeypatch.setattr("judgments.base.streaming.BLOCK", 1 << 12)
    judgment_list = make.make_list(make.make_query_set())
    bring_in(judgment_list, "".join(f"q{n // 10} 0 document-{n} {n % 4}\n" for n in range(LINES)))
    return judgment_list


@pytest.mark.parametrize("format", ["qrels", "touchstone"])
def test_an_export_takes_no_more_memory_the_longer_the_list_is(long_list, format):
    """All rows at once would take some five megabytes."""
    tracemalloc.start()

    lines = sum(block.count(b"\n") for block in export(long_list, WRITABLE[format], at=make.NOW).content)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines >= LINES
    assert peak < 2 << 20


def test_the_first_of_a_file_is_there_before_the_last_is_read(long_list):
    content = export(long_list, WRITABLE["qrels"], at=make.NOW).content

    first = next(content)
    ConsensusGrade.objects.filter(judgment_list=long_list).update(value=3)
    whole = first + b"".join(content)

    assert len(first) < 1 << 13
    assert whole.count(b"\n") == LINES
    assert whole.count(b" 0\n") == LINES / 4


def test_a_file_that_cannot_be_ended_breaks_off(client, admin, judgment_list):
    ConsensusGrade.objects.filter(judgment_list=judgment_list, document__external_id="d 3").delete()
    response = client.get(reverse("list-export", args=[judgment_list.pk]), {"format": "qrels"})
    judgment_list.query_set.documents.filter(external_id="d1").update(external_id="d\t1")

    with pytest.raises(FormatError, match="holds a blank"):
        response.getvalue()

    assert response.status_code == 200
    assert not response.has_header("Content-Length")


@pytest.mark.django_db(transaction=True)
def test_a_download_that_the_database_has_given_up_breaks_off(monkeypatch, judgment_list):
    monkeypatch.setattr("judgments.base.streaming.BLOCK", 1)
    content = export(judgment_list, WRITABLE["jsonl"], at=make.NOW).content
    next(content)
    end_connection()

    with pytest.raises(OperationalError):
        list(content)

    assert len(b"".join(export(judgment_list, WRITABLE["jsonl"], at=make.NOW).content).splitlines()) == 5


def end_connection():
    """As the database does with one whose transaction waited too long."""
    with connection.copy().cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [connection.connection.info.backend_pid])
        assert cursor.fetchone()[0]
    cursor.db.close()


def without_second(header: str) -> str:
    """A name says when the list was read, and the two may be read in different seconds."""
    return re.sub(r"-[0-9]{6}\.", ".", header)


def test_an_older_client_gets_a_file_whose_length_it_knows(client, admin, judgment_list):
    address = reverse("list-export", args=[judgment_list.pk])

    newer = client.get(address, {"format": "jsonl"})
    older = client.get(address, {"format": "jsonl"}, SERVER_PROTOCOL="HTTP/1.0")

    content = older.getvalue()
    assert content.splitlines() == newer.getvalue().splitlines()
    assert int(older["Content-Length"]) == len(content) > 0
    assert without_second(older["Content-Disposition"]) == without_second(newer["Content-Disposition"])


def test_an_older_client_gets_nothing_of_a_file_that_cannot_be_ended(rf):
    request = rf.get("/", SERVER_PROTOCOL="HTTP/1.0")
    sending = WholeFileMiddleware(lambda _: StreamingHttpResponse(b"%d" % (1 // n) for n in (1, 0)))

    with pytest.raises(ZeroDivisionError):
        sending(request)


def test_who_asks_for_the_headers_takes_nothing_out(client, admin, judgment_list):
    response = client.head(reverse("list-export", args=[judgment_list.pk]), {"format": "jsonl"})

    assert (response.status_code, response.getvalue()) == (200, b"")
    assert re.search(r'filename="A-list\.live-[0-9-]+\.jsonl"', response["Content-Disposition"])
    assert not Act.objects.filter(judgment_list=judgment_list, verb=Verb.EXPORTED).exists()
    download(client, judgment_list, "jsonl")
    assert Act.objects.filter(judgment_list=judgment_list, verb=Verb.EXPORTED).count() == 1


def test_who_leaves_early_leaves_nothing_open(monkeypatch, judgment_list):
    monkeypatch.setattr("judgments.base.streaming.BLOCK", 1)
    content = export(judgment_list, WRITABLE["jsonl"], at=make.NOW).content
    next(content)
    during = open_cursors()

    content.close()

    assert (during, open_cursors()) == (1, 0)


def open_cursors():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors")
        return cursor.fetchone()[0]


def test_the_transaction_of_an_export_does_not_wait_without_end(judgment_list):
    content = export(judgment_list, WRITABLE["jsonl"], at=make.NOW).content

    next(content)

    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone()[0] == "5min"
