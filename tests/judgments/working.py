"""A worker as `manage.py work` runs it, for tests: in this process, on what is due, with whatever the tests before left behind gone."""

from django.core.management import call_command
from django.db import connection


def forget_jobs():
    """The tables of jobs are not Django's, so that a test that commits leaves its rows."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers CASCADE")


def work():
    call_command("work", "--once")


def bring_forward():
    """What is asked for in a while is due now."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL")
