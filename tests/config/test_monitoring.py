"""What load balancers and Prometheus learn, and what strangers don't."""

import re

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.urls import reverse

from config import monitoring
from config.front import REFUSED
from config.monitored_paths import LIVE, METRICS, MONITORED, READY

TOKEN = {"authorization": "Bearer of the tests"}


@pytest.fixture
def metered(settings):
    settings.METRICS_TOKEN = "of the tests"


def test_live_asks_no_database(client):
    response = client.get(LIVE)

    assert (response.status_code, response.json()) == (200, {"status": "live"})


@pytest.mark.django_db
def test_ready_where_the_database_has_our_tables(client, django_assert_num_queries):
    with django_assert_num_queries(1):
        response = client.get(READY)

    assert (response.status_code, response.json()) == (200, {"status": "ready"})


@pytest.mark.django_db
@pytest.mark.parametrize(("app", "newer"), [("judgments", False), ("evaluation", False), ("judgments", True)])
def test_ready_needs_our_migrations_and_minds_no_newer_ones(client, app, newer):
    rows = MigrationRecorder.Migration.objects
    if newer:
        rows.create(app=app, name="9999_of_the_next_version")
    else:
        rows.filter(app=app).latest("id").delete()

    response = client.get(READY)

    expected = (
        (200, {"status": "ready"}) if newer else (503, {"status": "not ready", "problem": "migrations"})
    )
    assert (response.status_code, response.json()) == expected


def test_not_ready_while_the_database_hangs_and_nobody_asks_it(client):
    """Without the mark of pytest-django, a statement would be an error."""
    response = client.get(READY, **{REFUSED: "away"})

    assert (response.status_code, response.json()) == (503, {"status": "not ready", "problem": "database"})


def test_the_figures_of_a_process_are_there_while_the_database_hangs(metered, client):
    figures = client.get(METRICS, headers=TOKEN, **{REFUSED: "away"}).content.decode()

    assert "touchstone_database_up 0.0" in figures
    assert "touchstone_database_bytes" not in figures


def unreachable(*_, **__):
    raise OperationalError("connection to server at 10.0.0.7, user kim failed")


def test_not_ready_without_the_database_and_says_no_more(client, monkeypatch):
    monkeypatch.setattr(monitoring.MigrationRecorder.Migration.objects, "values_list", unreachable)

    response = client.get(READY)

    assert (response.status_code, response.json()) == (503, {"status": "not ready", "problem": "database"})


@pytest.mark.django_db
def test_they_are_asked_by_address_and_without_https(client, settings):
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["touchstone.example.org"], True

    found = {
        address: client.get(address, headers={"host": "10.0.0.7:8000"}).status_code
        for address in (LIVE, READY)
    }

    assert found == {LIVE: 200, READY: 200}
    assert client.get(reverse("sign-in"), headers={"host": "10.0.0.7:8000"}).status_code in (301, 400)


@pytest.mark.django_db
@pytest.mark.parametrize("address", sorted(MONITORED))
@pytest.mark.parametrize("method", ["post", "put", "delete", "options"])
def test_they_take_no_other_methods(client, metered, address, method):
    response = getattr(client, method)(address)

    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


@pytest.mark.django_db
@pytest.mark.parametrize("address", sorted(MONITORED))
def test_nobody_keeps_an_answer_and_nobody_gets_a_cookie(client, metered, address):
    response = client.get(address, headers=TOKEN)

    assert (response.status_code, response["Cache-Control"], len(response.cookies)) == (200, "no-store", 0)


@pytest.mark.django_db
def test_without_a_token_in_the_settings_there_are_no_metrics(client):
    assert client.get(METRICS, headers={"authorization": "Bearer "}).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("sent", [{}, {"authorization": "Bearer of"}, {"authorization": "Bearer ünd"}])
def test_metrics_need_the_token(client, metered, sent):
    response = client.get(METRICS, headers=sent)

    assert response.status_code == 401
    assert b"touchstone" not in response.content


def figures(client):
    text = client.get(METRICS, headers=TOKEN).content.decode()
    return {name: float(value) for name, value in re.findall(r"^(\w+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)}


@pytest.mark.django_db
def test_requests_are_counted_by_view_method_and_status(client, metered):
    name = 'touchstone_requests_total{{method="{}",status="{}",view="{}"}}'.format
    counted = name("GET", 200, "sign-in"), name("POST", 200, "sign-in"), name("GET", 404, "")
    before = figures(client)

    client.get(reverse("sign-in"))
    client.get(reverse("sign-in"))
    client.post(reverse("sign-in"), {"username": "a", "password": "b"})
    client.get("/static/nowhere.css")

    after = figures(client)
    assert [after.get(one, 0) - before.get(one, 0) for one in counted[:2]] == [2, 1]
    assert after['touchstone_request_seconds_count{view="sign-in"}'] >= 3
    assert after['touchstone_request_seconds_bucket{le="+Inf",view="sign-in"}'] >= 3


@pytest.mark.django_db
def test_a_made_up_method_makes_no_figure_of_its_own(client, metered):
    client.generic("BREW", reverse("sign-in"))

    names = "\n".join(figures(client))
    assert 'method="other"' in names
    assert "BREW" not in names


@pytest.mark.django_db
def test_the_database_and_what_waits_in_it(client, metered):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status) "
            "VALUES ('imports', 'a', 'todo'), ('imports', 'b', 'todo'), ('default', 'c', 'failed')"
        )
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, scheduled_at) VALUES ('default', 'd', now() + interval '1 h')"
        )

    found = figures(client)

    assert found["touchstone_database_up"] == 1
    assert found["touchstone_database_bytes"] > 1_000_000
    assert found['touchstone_jobs{queue="imports",status="todo"}'] == 2
    assert found['touchstone_jobs{queue="default",status="failed"}'] == 1
    assert found['touchstone_jobs{queue="default",status="scheduled"}'] == 1
    assert 'touchstone_jobs{queue="default",status="todo"}' not in found


def test_figures_of_this_host_are_there_without_a_database(client, metered, monkeypatch):
    monkeypatch.setattr("config.metrics._database_figures", unreachable)

    found = figures(client)

    assert found["touchstone_database_up"] == 0
    assert not [name for name in found if name.startswith("touchstone_jobs")]
