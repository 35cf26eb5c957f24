"""Rows of fixed statements as objects of the models, for what is asked so often that building a query costs most of it."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model

_Row = TypeVar("_Row", bound=Model)


class Columns(Generic[_Row]):
    """All columns of a model under the name that a statement gives its table; `sql` lists them."""

    def __init__(self, model: type[_Row], alias: str) -> None:
        fields = model._meta.concrete_fields
        self._model = model
        self._names = [field.attname for field in fields]
        self._converted = [
            (nth, convert)
            for nth, field in enumerate(fields)
            if (convert := getattr(field, "from_db_value", None))
        ]
        self.sql = ", ".join(f"{alias}.{field.column}" for field in fields)

    def read(self, values: Iterator[Any]) -> _Row:
        """The object whose columns come next."""
        row = [next(values) for _ in self._names]
        for nth, convert in self._converted:
            row[nth] = convert(row[nth], None, connection)
        return self._model.from_db("default", self._names, row)


def answers(message: str, values: dict[str, Any]) -> list[Sequence[Any]]:
    """What several statements give that go to the server in one message, in their order: the rows of each.

    Each sees what was committed before it began, as if it had been sent alone: one that follows a lock sees all that
    happened while the lock was waited for.
    """
    with connection.cursor() as cursor:
        cursor.execute(message, values)
        found: list[Sequence[Any]] = []
        while True:
            found.append(cursor.fetchall() if cursor.description else [])
            if not cursor.nextset():
                return found
