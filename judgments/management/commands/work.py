"""Does background jobs until it is stopped: one after the other, with imports and deletions beside them."""

import asyncio
import os
import time
from argparse import ArgumentParser
from typing import Any, Final

import psycopg
from django.core.management.base import BaseCommand
from django.db import DatabaseError
from procrastinate import App, PsycopgConnector
from procrastinate.contrib.django import app, connector_params
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.jobs import DEFAULT_QUEUE, Job, Status
from procrastinate.signals import on_stop

from judgments.base.pooler import direct_alias
from judgments.content.actions import deletion_jobs
from judgments.files.actions import import_jobs
from judgments.people.actions.hosts import take_shared_key

HEARTBEAT_SECONDS: Final = 2.0
STALLED_SECONDS: Final = 10.0
"""A worker that was not heard of for this long is taken for dead, and what it did is done again."""
QUEUES: Final = (DEFAULT_QUEUE, import_jobs.QUEUE, deletion_jobs.QUEUE)
AGAIN_SECONDS: Final = 2.0


class Command(BaseCommand):
    help = (
        "Does background jobs until Ctrl-C. `make run` starts one such worker; start more of them, on this machine or on "
        "others with the same DATABASE_URL, where jobs wait for each other."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="do what is due now, then end")
        parser.add_argument(
            "--parent", type=int, metavar="PID", help="end when this process is no longer the parent"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        once, parent = options["once"], options["parent"]
        while True:
            connector = PsycopgConnector(kwargs=connector_params(direct_alias()))
            try:
                take_shared_key()
                with app.replace_connector(connector) as working:
                    asyncio.run(_work(working, once=once, parent=parent))
            except (psycopg.Error, DatabaseError, ConnectorException):
                if once or _is_parent_gone(parent):
                    raise
                if parent is None:  # else the parent says so
                    self.stderr.write("The database doesn’t answer. Trying again.")
                time.sleep(AGAIN_SECONDS)
            else:
                return


async def _work(working: App, *, once: bool, parent: int | None) -> None:
    """Until the worker is stopped by a signal, has nothing left (`once`), or its parent is gone."""
    async with working.open_async():
        await _rescue(working)
        workers = [asyncio.create_task(_do_jobs(working, queue, once=once)) for queue in QUEUES]
        watch = asyncio.create_task(_watch(working, parent))
        over = asyncio.ALL_COMPLETED if once else asyncio.FIRST_COMPLETED
        ends = asyncio.create_task(asyncio.wait(workers, return_when=over))

        def stop() -> None:
            watch.cancel()

        with on_stop(stop):
            await asyncio.wait({ends, watch}, return_when=asyncio.FIRST_COMPLETED)
            tasks = [*workers, watch, ends]
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    for error in outcomes:
        if isinstance(error, Exception):
            raise error


async def _do_jobs(working: App, queue: str, *, once: bool) -> None:
    await working.run_worker_async(
        queues=[queue],
        wait=not once,
        delete_jobs="successful",
        install_signal_handlers=False,  # a signal is for all queues
        update_heartbeat_interval=HEARTBEAT_SECONDS,
        stalled_worker_timeout=STALLED_SECONDS,
    )


async def _watch(working: App, parent: int | None) -> None:
    """Returns when the parent is gone; meanwhile looks for jobs of workers that died."""
    while not _is_parent_gone(parent):
        await asyncio.sleep(HEARTBEAT_SECONDS)
        await _rescue(working)


async def _rescue(working: App) -> None:
    for job in await working.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
        try:
            await _again(working, job)
        except ConnectorException as error:
            if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                raise
            # else another worker was faster: the job is not as we found it


async def _again(working: App, job: Job) -> None:
    """Lets the job wait once more; it goes where a newer one that does the same waits already."""
    try:
        await working.job_manager.retry_job(job)
    except UniqueViolation:
        await working.job_manager.finish_job(job, status=Status.FAILED, delete_job=True)


def _is_parent_gone(parent: int | None) -> bool:
    return parent is not None and os.getppid() != parent
