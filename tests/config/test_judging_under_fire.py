"""Two raters hammer one list of the real site while its web processes are killed."""

import subprocess
import sys

import psutil
import pytest

from tests.config.conftest import ROOT, rows

LIST = "First pass"
ANSWERS = 40


def kill_web_processes(supervisor):
    """Every worker at once, without a word of warning; the supervisor replaces them."""
    workers = [child for child in psutil.Process(supervisor).children() if "postgres" not in child.name()]
    for worker in workers:
        worker.kill()
    return len(workers)


@pytest.mark.drill
def test_nothing_is_lost_or_doubled_while_web_processes_are_killed(start):
    site = start(TOUCHSTONE_DEMO="1")
    ((list_pk,),) = rows(
        site.data.parent, "SELECT id FROM judgments_judgmentlist WHERE name = %(list)s", list=LIST
    )
    clients = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.config.judging_client",
                site.address,
                name,
                f"/lists/{list_pk}/judge/",
                str(ANSWERS),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("rater", "engineer")
    ]

    killed, acknowledged = 0, []
    for client in clients:
        for _ in range(5):
            acknowledged += [client.stdout.readline()]
        killed += kill_web_processes(site.pid)
    for client in clients:
        with client:  # not communicate(), which would lose what readline() has read ahead
            acknowledged += client.stdout.readlines()
        assert client.returncode == 0

    stored = rows(
        site.data.parent,
        """
        SELECT judgment.request_id::text, judgment.pair_id::text, judgment.value::int::text, judgment.extra
        FROM judgments_judgment judgment JOIN judgments_judgmentlist list ON list.id = judgment.judgment_list_id
        WHERE list.name = %(list)s AND judgment.request_id IS NOT NULL
        """,
        list=LIST,
    )
    per_pair = rows(
        site.data.parent,
        """
        SELECT max(total) FROM (
            SELECT count(*) AS total FROM judgments_judgment judgment
            JOIN judgments_judgmentlist list ON list.id = judgment.judgment_list_id
            WHERE list.name = %(list)s GROUP BY judgment.pair_id
        ) counted
        """,
        list=LIST,
    )
    assert killed >= 2
    assert len(acknowledged) == 2 * ANSWERS
    assert sorted(tuple(line.split()) for line in acknowledged) == sorted(row[:3] for row in stored)
    assert not any(extra for *_, extra in stored)
    assert per_pair == [(3,)]
