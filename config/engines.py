"""The search engines that the site may ask, from the file that its operator names (ADR 84)."""

from pathlib import Path
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from touchstone_core.engines.site_engines import SiteEngine


def site_engines(path: str) -> dict[str, "SiteEngine"]:
    """By name; none where no file is named. Raises ImproperlyConfigured for a file that can't be used."""
    if not path:
        return {}
    from touchstone_core.engines.site_engines import read_engines
    from touchstone_core.offline.command_line import InputError

    try:
        return read_engines(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        problem = f"{error.strerror}."
    except UnicodeDecodeError:
        problem = "It isn’t text in UTF-8."
    except InputError as error:
        problem = str(error)
    raise ImproperlyConfigured(f"TOUCHSTONE_ENGINES names {path}, which can’t be used. {problem}")
