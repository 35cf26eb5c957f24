"""Where uploaded files wait for a decision or a worker: what TOUCHSTONE_UPLOADS says, as one of Django's storages."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

DATABASE: Final = "database"
BUCKET: Final = "s3://"
FOLDER: Final = "django.core.files.storage.FileSystemStorage"
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
    return {"BACKEND": FOLDER, "OPTIONS": {"location": place}}


def check_folder(storage: dict[str, Any]) -> None:
    """Raises ImproperlyConfigured unless the folder, if it is one, is there already and takes files.

    Django would make it: on the local disk, where a share isn't mounted.
    """
    if storage["BACKEND"] != FOLDER:
        return
    place = storage["OPTIONS"]["location"]
    if not Path(place).is_dir():
        raise ImproperlyConfigured(f"{NAME} is “{place}”, which is no folder. Make it or mount it first.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"{NAME} is “{place}”, a folder in which this account may not write.")


def _bucket(place: str) -> dict[str, Any]:
    bucket, _, prefix = place.removeprefix(BUCKET).partition("/")
    if not bucket:
        raise ImproperlyConfigured(f"{NAME} is “{place}”, which names no bucket: {BUCKET}bucket/prefix.")
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured(f"{NAME} is “{place}”, which needs the packages of requirements-s3.txt.")
    options = {"bucket_name": bucket, "location": prefix.strip("/"), "file_overwrite": False}
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
