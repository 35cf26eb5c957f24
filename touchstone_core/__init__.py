"""The arithmetic, the formats and the commands that work on files: no Django, no database."""

__version__ = "0.1.0"
