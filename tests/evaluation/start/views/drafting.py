"""Small files of a new evaluation, and how a browser sends them."""

import io
import zipfile
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from judgments.models import Draft
from tests import factories as make

QUERIES = "query_id,query\nq1,red shoes\nq2,boots\n"
PRODUCTS = "sku,product_title\nd1,Red shoes\nd2,Blue shoes\nd3,Boots\n"
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\n"
GOOD_RUN = "q1 Q0 d1 1 9 good\nq1 Q0 d2 2 8 good\nq2 Q0 d3 1 9 good\n"
POOR_RUN = "q1 Q0 d2 1 9 poor\nq1 Q0 d1 2 8 poor\nq2 Q0 d3 1 9 poor\n"
SHOP = {
    "good.trec": GOOD_RUN,
    "poor.trec": POOR_RUN,
    "qrels.txt": QRELS,
    "queries.csv": QUERIES,
    "products.csv": PRODUCTS,
}


def signed_in(client: Client) -> Client:
    client.force_login(make.make_user(is_superuser=True))
    return client


def drop(client: Client, files: dict[str, str | bytes], draft: Draft | None = None) -> Draft:
    """Drops files on the first page, or on the preview of a draft."""
    address = reverse("draft", args=[draft.pk]) if draft else reverse("new-evaluation")
    response = client.post(address, {"files": [_file(name, content) for name, content in files.items()]})
    assert response.status_code == 302, response.content.decode()
    return Draft.objects.latest("created_at")


def zipped(files: dict[str, str | bytes]) -> bytes:
    """A zip of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _file(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())


def address_of(draft: Draft) -> str:
    return reverse("draft", args=[draft.pk])


def press(client: Client, draft: Draft, action: str = "create", **changes: Any) -> Any:
    """Sends the form of the preview as a browser would, with these fields changed."""
    page = client.get(address_of(draft))
    fields = {"seen": page.context["seen"], "name": draft.name, "action": action}
    for row in (row for rows in page.context["groups"].values() for row in rows):
        one, key = row["reading"], row["reading"].key
        fields |= {f"file-{key}-kind": one.kind, f"file-{key}-found": "" if row["chosen"].kind else one.kind}
    return client.post(
        address_of(draft), {key: value for key, value in (fields | changes).items() if value is not None}
    )


def field_of(draft: Draft, file_name: str, field: str) -> str:
    return f"file-{draft.uploads.get(name=file_name).pk}-{field}"
