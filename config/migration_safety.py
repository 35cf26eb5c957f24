"""Migrations that the version before couldn't go on serving on (ADR 62).

While hosts are updated one after the other, the version before works on the new tables. So a migration adds, and a later
release removes what nobody uses any more.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import connection, models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

CHECKED_FROM: Final = {"judgments": "0028", "evaluation": "0013"}
"""Earlier migrations came before this rule."""
REASON: Final = "serves_version_before"
"""A migration on which the version before goes on serving, for a reason that can't be seen here, says it in a class attribute
of this name."""
HARMFUL_SQL: Final = re.compile(
    r"\b(DROP\s+(?:TABLE|COLUMN|VIEW)|RENAME\s+(?:TO|COLUMN|CONSTRAINT)|SET\s+NOT\s+NULL|TRUNCATE)\b",
    re.IGNORECASE,
)
GONE: Final = (operations.DeleteModel, operations.RemoveField)
LOCKING: Final = (operations.AddField, operations.AddConstraint, operations.RemoveConstraint)
"""These keep everybody off their table until their transaction ends."""
IN_ORDER: Final = re.compile(r"\bLOCK\s+TABLE\b", re.IGNORECASE)
RENAMED: Final = (operations.RenameModel, operations.RenameField, operations.AlterModelTable)


def all_problems() -> list[str]:
    """A sentence for each operation of our migrations that needs two releases."""
    loader = MigrationLoader(None)
    return [
        f"{app}.{name}: {problem}"
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if app in CHECKED_FROM and name >= CHECKED_FROM[app]
        for problem in problems_of(migration, loader)
    ]


def problems_of(migration: Migration, loader: MigrationLoader) -> Iterator[str]:
    """What is wrong with one migration. If it says why the version before goes on serving, only the order of its locks can be."""
    state = loader.project_state((migration.app_label, migration.name), at_end=False)
    is_serving = bool(getattr(migration, REASON, ""))
    new: set[str] = set()  # nobody uses these models yet
    locked: dict[str, None] = {}
    is_in_order = not migration.atomic
    for operation in _flat(migration.operations):
        model = _model_of(operation)
        if isinstance(operation, operations.CreateModel):
            new.add(model)
        elif (
            not is_serving
            and model not in new
            and (problem := _problem(operation, migration.app_label, state))
        ):
            yield problem
        if isinstance(operation, LOCKING) and model not in new:
            locked[model] = None
        elif isinstance(operation, operations.RunSQL):
            is_in_order = is_in_order or bool(IN_ORDER.search(_text(operation.sql)))
        operation.state_forwards(migration.app_label, state)
    if len(locked) > 1 and not is_in_order:
        yield (
            f"Changes the tables of {' and '.join(locked)} in one transaction. Requests that use them in another order would wait "
            "for it, and it for them. Make it two migrations, or begin with LOCK TABLE in the order of requests."
        )


def _flat(given: Sequence[Operation]) -> Iterator[Operation]:
    for operation in given:
        if isinstance(operation, operations.SeparateDatabaseAndState):
            yield from _flat(operation.database_operations)
        else:
            yield operation


def _model_of(operation: Operation) -> str:
    name = getattr(operation, "model_name", None) or getattr(operation, "name", None) or ""
    return str(name).lower()


def _problem(operation: Operation, app: str, state: Any) -> str:
    what = operation.describe()
    if isinstance(operation, GONE):
        return f"{what}. The version before still reads it. Stop using it now, and remove it in the next release."
    if isinstance(operation, RENAMED):
        return f"{what}. The version before knows only the old name. Add the new one, and remove the old one in the next release."
    if isinstance(operation, operations.AddField):
        return _added(operation, what)
    if isinstance(operation, operations.AlterField):
        return _altered(operation, what, state.models[app, operation.model_name_lower].fields[operation.name])
    if isinstance(operation, operations.AddConstraint):
        return f"{what}. The version before may save what it forbids.{_held_up(operation)}"
    if isinstance(operation, operations.RunSQL) and (found := HARMFUL_SQL.search(_text(operation.sql))):
        return f"SQL with {found[0].upper()}. The version before may need what it takes away."
    return ""


def _held_up(operation: operations.AddConstraint) -> str:
    is_check = isinstance(operation.constraint, models.CheckConstraint)
    if isinstance(operation, AddConstraintNotValid) or not is_check:
        return ""
    return (
        " And nobody can save meanwhile, until all rows are read: use AddConstraintNotValid, and ValidateConstraint in the next "
        "migration."
    )


def _added(operation: operations.AddField, what: str) -> str:
    field = operation.field
    if field.null or field.many_to_many or field.has_db_default():
        return ""
    return f"{what}. The version before saves rows without it. Give it a db_default, or let it be null."


def _altered(operation: operations.AlterField, what: str, old: models.Field[Any, Any]) -> str:
    new = operation.field
    if old.null and not new.null:
        return f"{what}. The version before may save null. Fill and forbid it in the next release."
    if _narrower(old, new):
        return f"{what}. The version before may save what no longer fits."
    if new.unique and not old.unique:
        return f"{what}. The version before may save the same value twice."
    return ""


def _narrower(old: models.Field[Any, Any], new: models.Field[Any, Any]) -> bool:
    if type(old) is not type(new):
        return old.db_type(connection) != new.db_type(connection)
    before, after = getattr(old, "max_length", None), getattr(new, "max_length", None)
    return after is not None and (before is None or after < before)


def _text(sql: Any) -> str:
    """RunSQL takes a text, or a list of texts and of pairs of a text and its values."""
    if isinstance(sql, str):
        return sql
    return "\n".join(one if isinstance(one, str) else str(one[0]) for one in sql)
