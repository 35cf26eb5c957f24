"""Changes to what never changes, made as a superuser with every trigger off."""

from django.db import connection

from judgments.models import Version


def tamper(*statements, **values):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement, values)
        cursor.execute("SET LOCAL session_replication_role = origin")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def change_grades(version: Version) -> None:
    tamper("UPDATE judgments_versiongrades SET values[1] = 0 WHERE version_id = %(pk)s", pk=version.pk)


def change_hash(version: Version) -> None:
    tamper("UPDATE judgments_version SET sha256 = repeat('0', 64) WHERE id = %(pk)s", pk=version.pk)


def remove(version: Version) -> None:
    tamper(
        "DELETE FROM judgments_versiongrades WHERE version_id = %(pk)s",
        "DELETE FROM judgments_version WHERE id = %(pk)s",
        pk=version.pk,
    )


def forget_in_log(version: Version) -> None:
    tamper(
        "DELETE FROM judgments_act WHERE verb = 'frozen' AND judgment_list_id = %(pk)s",
        pk=version.judgment_list_id,
    )
