"""What a host does when it starts beside others."""

import pytest

from config import hosts


@pytest.mark.django_db
def test_hosts_that_were_given_no_key_share_one(settings):
    settings.SECRET_KEY_GIVEN = False
    settings.SECRET_KEY = "a" * 50
    hosts.join_site("web-1:8000")
    settings.SECRET_KEY = "b" * 50

    assert hosts.join_site("web-2:8000") == []

    assert settings.SECRET_KEY == "a" * 50


@pytest.mark.django_db
def test_a_key_that_was_given_is_kept_and_the_difference_said(settings):
    settings.SECRET_KEY_GIVEN = True
    settings.SECRET_KEY = "a" * 50
    hosts.join_site("web-1:8000")
    settings.SECRET_KEY = "b" * 50

    [difference] = hosts.join_site("web-2:8000")

    assert settings.SECRET_KEY == "b" * 50
    assert difference.startswith("web-1:8000, started")
    assert "another secret key" in difference


def test_the_mark_of_the_program_changes_with_its_files(tmp_path):
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "settings.py"
    marks = set()
    for content in ("A = 1", "A = 2"):
        file.write_text(content)
        marks.add(hosts.source_mark(tmp_path))
    (tmp_path / "config" / "settings.pyc").write_text("compiled")
    marks.add(hosts.source_mark(tmp_path))

    assert len(marks) == 2
