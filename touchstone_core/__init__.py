"""The arithmetic, the formats and the commands that work on files: no Django, no database."""

__version__ = "0.1.0"

TOKEN = "TOUCHSTONE_TOKEN"  # noqa: S105 -- the name of a variable
