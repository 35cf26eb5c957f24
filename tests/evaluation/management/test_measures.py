"""manage.py measures."""

from django.core.management import call_command

from touchstone_core.metrics.reference import markdown, plain


def test_the_measures_are_printed_without_a_database(capsys):
    call_command("measures")

    assert capsys.readouterr().out == plain()


def test_the_page_of_measures_is_printed_too(capsys):
    call_command("measures", "--markdown")

    assert capsys.readouterr().out == markdown()
