"""Django's connection to PostgreSQL, of which nothing outlives a transaction."""

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own setting DISABLE_SERVER_SIDE_CURSORS would read whole exports into memory, too, which are transactions."""

    def chunked_cursor(self) -> CursorWrapper:
        """Outside of a transaction an ordinary one: the next rows might be asked of a connection that knows no such cursor."""
        return super().chunked_cursor() if self.in_atomic_block else self.cursor()
