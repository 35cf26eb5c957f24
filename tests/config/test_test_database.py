"""The tests' own server is the real thing."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_the_tests_run_on_the_embedded_postgresql_with_utf8_and_utc():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding')"
        )
        version, encoding = cursor.fetchone()

    assert version == 18
    assert encoding == "UTF8"
