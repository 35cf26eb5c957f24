"""Copies rows of one query set into another with one statement per table: no row comes into this process.

Columns are read from the models, so later ones are copied, too. Keys of copied rows become keys of their copies.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from django.db.models import Field, ForeignKey, Model
from psycopg import sql

from judgments.base.sql import copy
from judgments.content.sql.deleting import table_of
from judgments.models import QuerySet

_NOTHING: Final[Mapping[str, sql.Composable]] = {}


class Copier:
    """Copies from the query set `source` to `target`, within one transaction; parents before children.

    For each table there is a temporary table of old and new keys, to join tables with that point to it.
    """

    def __init__(self, source: int, target: int) -> None:
        self.source, self.target = source, target
        self.maps: dict[type[Model], sql.Identifier] = {}

    def copy(
        self,
        model: type[Model],
        *,
        values: Mapping[str, sql.Composable] = _NOTHING,
        kept_keys: Collection[str] = (),
    ) -> int:
        """Copies the rows of `model` whose parents have been copied; returns how many.

        Columns in `values` get these values. Keys in `kept_keys` stay where they point to rows that weren't copied.
        """
        fields: list[Field[Any, Any]] = [field for field in model._meta.concrete_fields if field.column]
        joins, copies = self._joins(fields, kept_keys)
        copies |= values
        if model._meta.auto_field is not None:
            copies[str(model._meta.auto_field.column)] = sql.SQL("own.new")
            joins.insert(0, self._keys(model, fields))
        columns = [str(field.column) for field in fields]
        return _run(
            sql.SQL(
                "INSERT INTO {table} ({columns}) SELECT {values} FROM {table} source {joins} WHERE {which}"
            ),
            table=table_of(model),
            columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
            values=sql.SQL(", ").join(copies.get(name) or sql.Identifier("source", name) for name in columns),
            joins=sql.SQL(" ").join(joins),
            which=self._which(fields),
        )

    def analyze(self, *tables: type[Model]) -> None:
        """Updates statistics for reads in the same transaction, whose plans would else expect empty tables."""
        copy.analyze(*(model._meta.db_table for model in tables))

    def _keys(self, model: type[Model], fields: Collection[Field[Any, Any]]) -> sql.Composable:
        """Draws new keys in the order of the old ones."""
        name, key = f"touchstone_copy_{model._meta.db_table}", str(model._meta.pk.column)
        copy.drop(name)
        _run(
            sql.SQL(
                "CREATE TEMP TABLE {map} ON COMMIT DROP AS SELECT old, nextval(pg_get_serial_sequence({named}, {column})) "
                "AS new FROM (SELECT source.{key} AS old FROM {table} source WHERE {which} ORDER BY 1) ordered"
            ),
            map=sql.Identifier(name),
            named=sql.Literal(model._meta.db_table),
            column=sql.Literal(key),
            key=sql.Identifier(key),
            table=table_of(model),
            which=self._which(fields),
        )
        _run(sql.SQL("ALTER TABLE {map} ADD PRIMARY KEY (old)"), map=sql.Identifier(name))
        _run(sql.SQL("ANALYZE {map}"), map=sql.Identifier(name))
        self.maps[model] = sql.Identifier(name)
        return _join(sql.Identifier(name), sql.Identifier("own"), key, must=True)

    def _joins(
        self, fields: Collection[Field[Any, Any]], kept_keys: Collection[str]
    ) -> tuple[list[sql.Composable], dict[str, sql.Composable]]:
        """Joins with the tables of keys that these fields need, and the values of their columns in the copy."""
        joins: list[sql.Composable] = []
        values: dict[str, sql.Composable] = {}
        for field in fields:
            if not isinstance(field, ForeignKey):
                continue
            if field.related_model is QuerySet:
                values[field.column] = sql.Literal(self.target)
            elif field.related_model in self.maps:
                alias = sql.Identifier(f"of_{field.name}")
                optional = field.null or field.name in kept_keys
                joins.append(_join(self.maps[field.related_model], alias, field.column, must=not optional))
                fresh = sql.SQL("{}.new").format(alias)
                old = sql.SQL("source.{}").format(sql.Identifier(field.column))
                both = sql.SQL("coalesce({}, {})").format(fresh, old)
                values[field.column] = both if field.name in kept_keys else fresh
        return joins, values

    def _which(self, fields: Collection[Field[Any, Any]]) -> sql.Composable:
        """Rows of a table without the query set's key are those whose parents have been copied."""
        for field in fields:
            if isinstance(field, ForeignKey) and field.related_model is QuerySet:
                which = sql.SQL("source.{} = {}").format(
                    sql.Identifier(field.column), sql.Literal(self.source)
                )
                stays = any(field.column == "being_deleted" for field in fields)
                return which + sql.SQL(" AND NOT source.being_deleted") if stays else which
        owners = [
            field for field in fields if isinstance(field, ForeignKey) and field.related_model in self.maps
        ]
        column, owner = owners[0].column, self.maps[owners[0].related_model]
        return sql.SQL("source.{} IN (SELECT old FROM {})").format(sql.Identifier(column), owner)


def _join(table: sql.Composable, alias: sql.Composable, column: str, *, must: bool) -> sql.Composable:
    kind = sql.SQL("JOIN" if must else "LEFT JOIN")
    return sql.SQL("{} {} {} ON {}.old = source.{}").format(kind, table, alias, alias, sql.Identifier(column))


def _run(statement: sql.SQL, **parts: sql.Composable) -> int:
    return copy.run(statement.format(**parts))
