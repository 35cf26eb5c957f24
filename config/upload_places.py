"""Where uploaded files wait for a decision or a worker: what TOUCHSTONE_UPLOADS says, as one of Django's storages."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

DATABASE: Final = "database"
BUCKET: Final = "s3://"
NAME: Final = "TOUCHSTONE_UPLOADS"


def storage_of(place: str) -> dict[str, Any]:
    """An entry of STORAGES for `database`, the absolute path of a folder, or s3://bucket/prefix."""
    if place in ("", DATABASE):
        return {"BACKEND": "judgments.files.actions.storage.DatabaseStorage"}
    if place.startswith(BUCKET):
        return _bucket(place)
    if not Path(place).is_absolute():
        raise ImproperlyConfigured(
            f"{NAME} is “{place}”; expected {DATABASE}, the absolute path of a folder, or {BUCKET}bucket/prefix."
        )
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": place}}


def _bucket(place: str) -> dict[str, Any]:
    bucket, _, prefix = place.removeprefix(BUCKET).partition("/")
    if not bucket:
        raise ImproperlyConfigured(f"{NAME} is “{place}”, which names no bucket: {BUCKET}bucket/prefix.")
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured(f"{NAME} is “{place}”, which needs the packages of requirements-s3.txt.")
    options = {"bucket_name": bucket, "location": prefix.strip("/"), "file_overwrite": False}
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
