"""`{% module "js/page.js" %}`: the script of a page, and a hint for each module that it imports.

Without the hints a browser learns of a module only when the one that imports it has come. The kept page of the rating
screen needs them, too: they name the files to keep (see static/js/judging/offline.js).
"""

import posixpath
import re
from functools import cache
from pathlib import Path

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

IMPORT = r"""(?m)^(?P<matched>(?P<names>(?:import|export)\b[^"';]*)"(?P<url>\.{1,2}/[^"]+)";)"""
"""Also tells the storage of static files where to put the hashes of names: it wants a group `matched` for the whole."""


@register.simple_tag
def module(name: str) -> SafeString:
    hints = [(static(one),) for one in imported_by(name)]
    script = format_html('<script type="module" src="{}"></script>', static(name))
    return format_html_join("", '<link rel="modulepreload" href="{}">\n  ', hints) + script


@cache
def imported_by(name: str) -> tuple[str, ...]:
    """Every module that this one imports, itself or through others, each once."""
    modules: dict[str, None] = {}
    for one in direct_imports(name):
        modules |= dict.fromkeys((one, *imported_by(one)))
    return tuple(modules)


def direct_imports(name: str) -> list[str]:
    path = finders.find(name)
    if path is None:
        raise template.TemplateSyntaxError(f"There is no static file “{name}”.")
    folder = posixpath.dirname(name)
    addresses = [match["url"] for match in re.finditer(IMPORT, Path(path).read_text())]
    return [posixpath.normpath(posixpath.join(folder, address)) for address in addresses]
