"""Tests that log in as the application's role, which owns nothing; all others do so as the owner of every table."""

import pytest
from django.db import connection

from config.postgres_data import APPLICATION


@pytest.fixture
def application_login(django_db_setup):
    """Connections that are opened from now on are the application's."""
    connection.close()
    owner = connection.settings_dict["USER"]
    connection.settings_dict["USER"] = APPLICATION
    yield
    connection.close()
    connection.settings_dict["USER"] = owner


@pytest.fixture
def application(application_login, db):
    """What the test does, and what is made for it, is done by the application's role, and rolled back at the end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_user, current_user")
        assert cursor.fetchone() == (APPLICATION, APPLICATION)
