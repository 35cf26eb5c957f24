"""Static files: those of the front-end packages that pages use, and the names under which browsers may keep all of them."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import FileSystemFinder
from django.contrib.staticfiles.utils import get_files
from django.core.files.storage import FileSystemStorage, Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

from judgments.templatetags.modules import IMPORT


class PackageFinder(FileSystemFinder):
    """Finds what settings.STATIC_PACKAGES lists: prefix → (folder, patterns of the files taken from it)."""

    def __init__(self, app_names: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(app_names, *args, **kwargs)
        self.locations = [(prefix, str(folder)) for prefix, (folder, _) in settings.STATIC_PACKAGES.items()]
        self.storages = {folder: self._storage(prefix, folder) for prefix, folder in self.locations}

    def _storage(self, prefix: str, folder: str) -> FileSystemStorage:
        storage = FileSystemStorage(location=folder)
        storage.prefix = prefix  # type: ignore[attr-defined] # collectstatic reads it
        return storage

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find_location(self, root: str, path: str, prefix: str | None = None) -> str | None:
        if prefix is None or not is_listed(prefix, path.removeprefix(f"{prefix}/")):
            return None
        return super().find_location(root, path, prefix)

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        for prefix, folder in self.locations:
            storage = self.storages[folder]
            if storage.exists(""):
                for path in get_files(storage, list(ignore_patterns or [])):
                    if is_listed(prefix, path):
                        yield path, storage


def is_listed(prefix: str, path: str) -> bool:
    _, patterns = settings.STATIC_PACKAGES[prefix]
    return any(fnmatch(path, pattern) for pattern in patterns)


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Each file carries a hash of its content in its name. Imports between our modules name the files with their hashes.

    Django can do that for every script, but takes words in the comments of other people's scripts for imports.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((IMPORT, '%(names)s"%(url)s";'),)),
    )
    # One pass for each step of the longest chain of imports, and one that finds nothing left to change.
    max_post_process_passes = 10
