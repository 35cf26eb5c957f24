"""What the site says when it starts."""

from types import SimpleNamespace

import pytest

from config import serve


@pytest.fixture
def said(settings, capsys):
    """What is said under these settings."""

    def say(**changes):
        for name, value in changes.items():
            setattr(settings, name, value)
        serve.announce(SimpleNamespace(age=1))
        return capsys.readouterr().out

    return say


def test_demo_mode_that_others_may_reach_comes_with_a_warning(said):
    out = said(HOST="0.0.0.0", PORT=8000, DEMO=True, LOCAL_ONLY=False)  # noqa: S104 - nothing listens

    assert "http://127.0.0.1:8000" in out
    assert serve.DEMO_WARNING in out


def test_without_demo_mode_or_without_others_there_is_no_warning(said):
    assert "WARNING" not in said(HOST="::", PORT=8000, DEMO=False, LOCAL_ONLY=False)
    assert "WARNING" not in said(HOST="127.0.0.1", PORT=8000, DEMO=True, LOCAL_ONLY=True)


def test_only_the_first_worker_announces_the_site(capsys):
    serve.announce(SimpleNamespace(age=2))

    assert capsys.readouterr().out == ""
