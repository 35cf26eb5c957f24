"""A site that answers over HTTP, and clients of it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from evaluation.runs.actions.run_jobs import store_in_background
from judgments.files.actions.import_jobs import import_in_background
from tests import factories as make
from touchstone_core.client import Site
from touchstone_core.client.connection import Clock

# Jobs of tests are done by the time that they are asked for again.
IMPATIENT = Clock(sleep=lambda _: None)


@pytest.fixture
def admin(transactional_db: None) -> Any:
    return make.make_member(make.make_query_set(name="Shop"), "admin", username="ann")


@pytest.fixture
def connect(live_server: LiveServer, transactional_db: None) -> Iterator[Callable[..., Site]]:
    """A client with a token of this account."""
    opened: list[Site] = []

    def open_site(user: Any, scope: str = "admin", **options: Any) -> Site:
        site = Site(live_server.url, make.make_token(user, scope), **{"clock": IMPATIENT, **options})
        opened.append(site)
        return site

    yield open_site
    for site in opened:
        site.close()


@pytest.fixture
def site(connect: Callable[..., Site], admin: Any) -> Site:
    return connect(admin)


@pytest.fixture
def worker() -> Callable[[], None]:
    """Runs the jobs that calls have left to a worker."""
    from procrastinate.contrib.django.models import ProcrastinateJob

    class Context:  # what a job knows of itself
        class job:
            attempts = 0

    tasks = {"import_upload": import_in_background, "store_runs": store_in_background}

    def run() -> None:
        for job in ProcrastinateJob.objects.filter(task_name__in=tasks, status="todo"):
            tasks[job.task_name].func(Context, **job.args)  # type: ignore[attr-defined]

    return run
