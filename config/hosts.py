"""What a host does when it starts, so that several of them are one site: takes the shared key, and says what differs (ADR 67)."""

import hashlib
import socket
from pathlib import Path
from typing import Final

from django.conf import settings

from config.secret import keep_key

PARTS: Final = ("config", "judgments", "evaluation", "touchstone_core", "templates", "static")


def join_site(name: str) -> list[str]:
    """A sentence for each difference from other hosts. Call it when the tables are up to date, before anything is signed."""
    from django.utils import timezone

    from judgments.people.actions.hosts import note_host, take_shared_key

    take_shared_key()
    if not settings.SECRET_KEY_GIVEN:
        keep_key(settings.VAR_DIR, settings.SECRET_KEY)  # for the worker and the commands of this host
    return note_host(
        name=name,
        at=timezone.now(),
        secret_key=settings.SECRET_KEY,
        source_mark=source_mark(),
        uploads=str(settings.STORAGES["default"]),
    )


def host_name(port: int) -> str:
    return f"{socket.gethostname()}:{port}"


def source_mark(folder: Path | None = None) -> str:
    """Changes with every file of the program."""
    folder = folder or settings.BASE_DIR
    digest = hashlib.sha256()
    for part in PARTS:
        for path in sorted((folder / part).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(folder)} {content}\n".encode())
    return digest.hexdigest()[:16]
