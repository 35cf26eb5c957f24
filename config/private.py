"""The folder for data is closed to other users of the machine, whatever their umask says."""

import os
from pathlib import Path

UPLOADS = "uploads"
FILES = ("postgres.log", "secret_key")


def make_folder(folder: Path) -> None:
    """Makes the folder for data where it is missing, for its owner only.

    Under root others may pass through it, but not look into it: PostgreSQL, which refuses to be root, has its own folder there.
    """
    if not folder.exists():
        folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)


def mend(folder: Path) -> None:
    """Closes files and folders that an earlier version left open. The folder itself stays as whoever made it wants it."""
    for path in [folder / name for name in (*FILES, UPLOADS)] + list((folder / UPLOADS).rglob("*")):
        if path.exists() and not path.is_symlink() and path.stat().st_uid == os.geteuid():
            path.chmod(0o700 if path.is_dir() else 0o600)
