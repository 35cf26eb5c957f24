"""Model instances from rows of fixed statements, where building the query would take most of the time."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model

_Row = TypeVar("_Row", bound=Model)


class Columns(Generic[_Row]):
    """All columns of a model, with the alias of its table in a statement; `sql` lists them."""

    def __init__(self, model: type[_Row], alias: str) -> None:
        fields = model._meta.concrete_fields
        self._model = model
        self._names = [field.attname for field in fields]
        self._converters = [
            (nth, convert)
            for nth, field in enumerate(fields)
            if (convert := getattr(field, "from_db_value", None))
        ]
        self.sql = ", ".join(f"{alias}.{field.column}" for field in fields)

    def read(self, values: Iterator[Any]) -> _Row:
        """The instance from the next columns."""
        row = [next(values) for _ in self._names]
        for nth, convert in self._converters:
            row[nth] = convert(row[nth], None, connection)
        return self._model.from_db("default", self._names, row)


def answers(message: str, values: dict[str, Any]) -> list[Sequence[Any]]:
    """The rows of each of several statements that go to the server in one message.

    Each sees what was committed before it began, so a statement after a lock sees all changes made during the wait.
    """
    with connection.cursor() as cursor:
        cursor.execute(message, values)
        results: list[Sequence[Any]] = []
        while True:
            results.append(cursor.fetchall() if cursor.description else [])
            if not cursor.nextset():
                return results
