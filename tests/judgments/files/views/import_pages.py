"""Uploading a file and confirming it, for the tests of the pages that import."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse


def send(client, what, pk, content, name="file.csv"):
    """Uploads a file; the address of its preview."""
    data = content if isinstance(content, bytes) else content.encode()
    response = client.post(reverse(f"import-{what}", args=[pk]), {"file": SimpleUploadedFile(name, data)})
    assert response.status_code == 302, response.content.decode()
    return response["Location"]


def confirm(client, url, **choices):
    return client.post(url, {"action": "import"} | choices)
