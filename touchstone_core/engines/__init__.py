"""Asks search engines what they find for queries, over HTTP."""

from typing import Final

MOST_DEPTH: Final = 1000
MOST_AT_ONCE: Final = 32
AT_ONCE: Final = 4
"""So many queries are asked at once unless somebody says otherwise."""
