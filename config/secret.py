"""The key that signs sessions, kept beside the data when the environment gives none."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.private import make_folder


def secret_key(folder: Path) -> str:
    """The key stored in `folder`/secret_key, made on first use; readable by its owner only."""
    try:
        return _stored_key(folder)
    except OSError as error:
        raise ImproperlyConfigured(
            f"The folder {folder}, where Touchstone keeps its data, cannot be used: {error.strerror} ({error.filename})."
        ) from error


def keep_key(folder: Path, key: str) -> None:
    """Replaces the stored key by another one, that of all hosts."""
    if secret_key(folder) != key:
        _write_temporary(folder, key).replace(folder / "secret_key")


def _stored_key(folder: Path) -> str:
    path = folder / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        make_folder(folder)
    temporary = _write_temporary(folder, secrets.token_urlsafe(50))
    try:
        os.link(temporary, path)  # fails if another process was first: then its key counts
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
    return path.read_text().strip()


def _write_temporary(folder: Path, key: str) -> Path:
    temporary = folder / f"secret_key.{os.getpid()}"
    temporary.touch(mode=0o600)
    temporary.write_text(key)
    return temporary
