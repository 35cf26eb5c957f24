"""make bench-agreement: how long agreement takes, and the overview that only shows its headline. `--write` writes agreement.md.

A fleeting PostgreSQL gets 200,000 pairs of 10,000 queries with three judgments each by twelve raters; then everything that
the page of agreement shows is worked out, its 1,000 drawings of the queries among it, and the list's overview is asked for.
CPU seconds are those of this process and of PostgreSQL's together; wall seconds have whatever else the machine does in them, and
less where PostgreSQL works in parallel. It ends with an error where both are above a limit.
"""

import argparse
import sys
from collections.abc import Callable
from typing import TypeVar

from benchmarks.measuring import ROOT
from benchmarks.pages import VIEWS, Spent, clocks, fleeting_site, since, views
from benchmarks.race import machine

PAIRS, BY_QUERY, RATERS, OVERLAP = 200_000, 20, 12, 3
ROUNDS, LIMIT = 3, 2.0
VIEW_LIMIT, STATEMENTS = 0.2, 15
_Answer = TypeVar("_Answer")

FILL = (
    """
    INSERT INTO judgments_query (query_set_id, external_id, text, information_need, weight, tags)
    SELECT {query_set}, 'q' || n, 'query ' || n, '', 1, '{{}}' FROM generate_series(1, {queries}) n
    """,
    """
    INSERT INTO judgments_document (query_set_id, external_id, title, body, url, image, fields)
    SELECT {query_set}, 'd' || n, 'document', '', '', '', '{{}}' FROM generate_series(1, {by_query}) n
    """,
    """
    INSERT INTO judgments_pair (query_set_id, judgment_list_id, query_id, document_id, priority)
    SELECT {query_set}, {list}, query.id, document.id, 0 FROM judgments_query query, judgments_document document
    ORDER BY query.id, document.id
    """,
    """
    INSERT INTO judgments_rater (query_set_id, name, kind)
    SELECT {query_set}, 'rater ' || n, 'external' FROM generate_series(1, {raters}) n
    """,
    # The grade leans on the pair, and one judgment in ten goes astray.
    """
    INSERT INTO judgments_judgment (query_set_id, judgment_list_id, pair_id, rater_id, value, reason, comment, evidence, extra,
                                    gold, view, created_at, updated_at, method, device, guidelines_version)
    SELECT {query_set}, {list}, pair.id, rater.first + (pair.id * 7 + nth * (1 + pair.id % 3)) % {raters},
           CASE WHEN abs(hashint8(pair.id * 3 + nth)) % 10 = 0 THEN abs(hashint8(pair.id * 5 + nth)) % 4
                ELSE abs(hashint8(pair.id)) % 4 END,
           '', '', '[]', false, '', '', now(), now(), 'click', '', 1
    FROM judgments_pair pair, generate_series(0, {overlap} - 1) nth, (SELECT min(id) AS first FROM judgments_rater) rater
    """,
    """
    INSERT INTO judgments_consensusgrade (pair_id, query_set_id, judgment_list_id, query_id, document_id,
                                          value, judgments, undecided, spread, answers)
    SELECT pair.id, {query_set}, {list}, pair.query_id, pair.document_id, percentile_disc(0.5) WITHIN GROUP (ORDER BY value),
           count(*), false, nullif(max(value) - min(value), 0), count(*)
    FROM judgments_pair pair JOIN judgments_judgment judgment ON judgment.pair_id = pair.id GROUP BY pair.id ORDER BY pair.id
    """,
    """
    INSERT INTO judgments_listquery (query_set_id, judgment_list_id, query_id, position, pair_count, graded_count,
                                     judgment_count, open_count, revision, pairs_revision)
    SELECT {query_set}, {list}, id, row_number() OVER (ORDER BY id), {by_query}, {by_query},
           {by_query} * {overlap}, id % 3, 1, 1 FROM judgments_query
    """,
    """
    INSERT INTO judgments_raterqueue (judgment_list_id, rater_id, seed, query_position, judgment_count, guidelines_seen)
    SELECT {list}, id, id, 0, 0, 0 FROM judgments_rater
    """,
    "VACUUM ANALYZE",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=int, nargs="?", default=PAIRS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with fleeting_site():
        text, slow = run(given.pairs)
    print(text)
    if given.write:
        (ROOT / "benchmarks" / "agreement.md").write_text(text + "\n")
    if slow:
        sys.exit("Too slow.")


def run(pairs: int) -> tuple[str, bool]:
    """The page, and whether something is above its limit."""
    from django.urls import reverse

    from judgments.base.sql.roles import as_owner

    with as_owner():
        judgment_list, user = fill(pairs)
    rounds = []
    for _ in range(ROUNDS):
        parts: dict[str, Spent] = {}
        alpha = answer(judgment_list, parts)
        rounds.append(parts)
    first = stored(judgment_list)
    pages = {name: views(user, reverse(name, args=[judgment_list.pk])) for name in ("list-agreement", "list")}
    best = min(rounds, key=lambda parts: sum(one.processor for one in parts.values()))
    total = total_of(best)
    overview, statements = pages["list"]
    slow = total.least > LIMIT or overview.least > VIEW_LIMIT or statements > STATEMENTS
    return report(pairs, alpha, best, first, pages), slow


def report(
    pairs: int, alpha: float, best: dict[str, Spent], first: Spent, pages: dict[str, tuple[Spent, int]]
) -> str:
    total, again = total_of(best), pages["list-agreement"][0]
    lines = [
        "# Agreement",
        "",
        f"`make bench-agreement` fills a list with {pairs:,} pairs of {pairs // BY_QUERY:,} queries and {pairs * OVERLAP:,} judgments",
        f"by {RATERS} raters, works out what the page of agreement shows, 1,000 drawings of the queries among it, and writes this page.",
        f"Best of {ROUNDS}; pages are medians of {VIEWS} views by an admin. CPU seconds are those of the process and of PostgreSQL’s",
        f"together. Limits: {LIMIT:g} s for the figures, {1000 * VIEW_LIMIT:.0f} ms and {STATEMENTS} statements for the overview, "
        "which reads the headline that is kept with them.",
        "",
        machine(),
        "",
        "| figures | wall seconds | CPU seconds |",
        "| --- | --- | --- |",
        *(f"| {name} | {one.wall:.2f} | {one.processor:.2f} |" for name, one in best.items()),
        f"| **all** (alpha {alpha:.4f}) | **{total.wall:.2f}** | **{total.processor:.2f}** |",
        "",
        "| page | wall ms | CPU ms | statements |",
        "| --- | --- | --- | --- |",
    ]
    names = {"list-agreement": "agreement, as it is stored", "list": "overview of the list"}
    for name, (spent, statements) in pages.items():
        lines.append(f"| {' | '.join([names[name], *spent.milliseconds, str(statements)])} |")
    lines += [
        "",
        f"The figures are worked out and stored once for each state of the judgments, which took {first.wall:.2f} s ({first.processor:.2f} s of a",
        f"processor); each view of them after that takes {again.processor / first.processor:.1%} of it.",
    ]
    return "\n".join(lines)


def fill(pairs: int):  # type: ignore[no-untyped-def]
    from django.db import connection

    from judgments.models import JudgmentList, Membership, QuerySet, Scale, User

    query_set = QuerySet.objects.create(name="Bench")
    scale = Scale.objects.get(query_set=None, name="TREC 0–3")
    judgment_list = JudgmentList.objects.create(
        query_set=query_set, name="Bench", scale=scale, overlap=OVERLAP
    )
    given = {"query_set": query_set.pk, "list": judgment_list.pk, "queries": pairs // BY_QUERY}
    with connection.cursor() as cursor:
        cursor.execute(
            "SET session_replication_role = replica"
        )  # triggers take minutes, and change nothing here
        for statement in FILL:
            cursor.execute(statement.format(**given, by_query=BY_QUERY, raters=RATERS, overlap=OVERLAP))
        cursor.execute("SET session_replication_role = DEFAULT")
    user = User.objects.create(username="admin")
    Membership.objects.create(query_set=query_set, user=user, role="admin")
    return judgment_list, user


def total_of(parts: dict[str, Spent]) -> Spent:
    return Spent(*(sum(column) for column in zip(*parts.values(), strict=True)))


def stored(judgment_list) -> Spent:  # type: ignore[no-untyped-def]
    """What the first view costs, or the worker where there are many judgments."""
    from django.utils import timezone

    from judgments.agreement.actions.agreement import agreement_of
    from judgments.agreement.reports.agreement import steps_of

    before = clocks()
    steps = steps_of(judgment_list.scale)
    agreement_of(judgment_list=judgment_list, steps=steps, without=None, at=timezone.now())
    return since(before)


def answer(judgment_list, parts: dict[str, Spent]) -> float:  # type: ignore[no-untyped-def]
    """All that the page shows, timed in `parts`; the alpha."""
    from judgments.agreement.reports import agreement, drift, rater_agreement

    def timed(name: str, work: Callable[[], _Answer]) -> _Answer:
        before = clocks()
        made = work()
        parts[name] = since(before)
        return made

    steps = agreement.steps_of(judgment_list.scale)
    found = timed("alpha, interval, queries", lambda: agreement.agreement(judgment_list, steps))
    uses = timed("use of grades", lambda: rater_agreement.grade_uses(judgment_list, steps))
    raters = timed("couples of raters", lambda: rater_agreement.Raters(judgment_list, steps, uses))
    alphas = timed("alpha without each", lambda: raters.alphas_without(found))
    timed("figures of raters, matrix", lambda: (raters.figures(alphas), raters.matrix(list(uses)[:20])))
    timed("raters over time", lambda: drift.drift(judgment_list, steps, raters.names, list(uses)))
    timed("order of queries", lambda: found.by_query.order("worth"))
    return found.headline.alpha.value or 0.0


if __name__ == "__main__":
    main()
