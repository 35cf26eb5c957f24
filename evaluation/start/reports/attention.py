"""What needs attention in query sets: the same notices for the first page of one of them and for Home."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from typing import Final, NamedTuple

from django.db.models import Count, Q
from django.db.models import QuerySet as Rows
from django.urls import reverse
from django.utils import timezone

from evaluation.pools.reports.contests import latest_contests
from evaluation.scores.reports.sparklines import Sparkline
from evaluation.start.reports import waiting_work as work
from evaluation.start.reports.waiting_work import WaitingWork, waiting_work
from judgments.agreement.reports.disagreements import number_in_words, undecided_pairs
from judgments.lists.reports.lists import with_progress
from judgments.models import JudgmentList, QuerySet, User
from judgments.overview.reports.overview import LatestAgreement, latest_agreement
from touchstone_core.bounds.means import is_provisional
from touchstone_core.comparison.values import percent_text
from touchstone_core.words import counted

LATELY: Final = timedelta(days=7)
LITTLE_AGREEMENT: Final = 0.4
"""Below this alpha raters agree little, as the list's page says."""
MOST_SHOWN: Final = 6
MOST_NAMED: Final = 3


class Urgency(IntEnum):
    """What broke comes first, then what nobody but the reader can do, and what is only news comes last."""

    FAILED = 0
    WAITING = 1
    STOPPED = 2
    DOUBTFUL = 3
    INCOMPLETE = 4
    NEWS = 5


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that needs attention, and where to do something about it, or to see more where somebody else must.

    What is in no query set yet has no `query_set`.
    """

    urgency: Urgency
    query_set_id: int | None
    query_set: str
    about: str
    text: str
    url: str
    action: str


class Elsewhere(NamedTuple):
    """How many notices aren't shown, and the page that has them."""

    name: str
    url: str
    notices: int


class Attention(NamedTuple):
    """The most urgent notices, and where the others are."""

    shown: list[Notice]
    more: list[Elsewhere]

    @property
    def more_count(self) -> int:
        return sum(one.notices for one in self.more)


def with_attention(lists: Rows[JudgmentList]) -> Rows[JudgmentList]:
    """With their progress and all that notices are made of, but for their scale: no further statement."""
    covered = Count("list_queries", filter=Q(list_queries__pair_count__gt=0))
    return with_progress(lists).select_related("query_set", "agreement_headline").annotate(covered=covered)


def notices(
    viewer: User,
    lists: Sequence[JudgmentList],
    trends: Mapping[int, Sparkline],
    query_counts: Mapping[int, int],
    administered: Collection[int],
    query_set: QuerySet | None = None,
) -> list[Notice]:
    """The most urgent first. Three statements, however many lists: they come from `with_attention`.

    `query_counts` are the numbers of queries by query set, and `administered` the keys of those whose admin the viewer is. With a `query_set` only what is in it.
    """
    within = Q(query_set=query_set) if query_set else Q(query_set__archived_at=None)
    since = timezone.now() - LATELY
    # Queries aren't counted in the statement of the lists, which would count them for every row of their queries.
    found = [
        *_files_and_jobs(waiting_work(viewer, since, within, with_drafts=query_set is None)),
        *_undecided([one for one in lists if one.query_set_id in administered]),
        *(
            notice
            for one in lists
            for notice in _of_list(
                one,
                trends.get(one.pk),
                query_counts.get(one.query_set_id, 0),
                one.query_set_id in administered,
            )
        ),
    ]
    by_key = {one.pk: one for one in lists}
    for contest in latest_contests(lists, since=since):
        of = by_key[contest.contest.judgment_list_id]
        pairs = reverse("list-pairs", args=[of.pk])
        found.append(_notice(Urgency.NEWS, of, contest.sentence, pairs, "Show details"))
    return sorted(found, key=lambda notice: notice.urgency)


def attention(found: Sequence[Notice]) -> Attention:
    """What a page shows that is about all query sets."""
    rest = found[MOST_SHOWN:]
    names = {one.query_set_id: one.query_set for one in rest}
    counts = Counter(one.query_set_id for one in rest).most_common()
    named = [
        Elsewhere(names[key], reverse("query-set", args=[key]), count)
        if key
        else Elsewhere("new evaluations", reverse("new-evaluation"), count)
        for key, count in sorted(counts, key=lambda one: (-one[1], names[one[0]]))
    ]
    if others := named[MOST_NAMED:]:
        count = sum(one.notices for one in others)
        named[MOST_NAMED:] = [Elsewhere("other query sets", reverse("query-sets"), count)]
    return Attention(list(found[:MOST_SHOWN]), named)


def _notice(urgency: Urgency, of: JudgmentList, text: str, url: str, action: str) -> Notice:
    return Notice(urgency, of.query_set_id, of.query_set.name, of.name, text, url, action)


def _files_and_jobs(rows: Iterable[WaitingWork]) -> Iterator[Notice]:
    failed: Counter[tuple[int | None, str]] = Counter()
    for row in rows:
        if row.kind == work.FAILED:
            failed[row.query_set_id, row.query_set or ""] += 1
        elif row.kind == work.NOT_DELETED:
            yield Notice(Urgency.FAILED, None, "", row.name, _failed_text(1), reverse("jobs"), "Show jobs")
        else:
            yield _file(row)
    for (key, name), count in failed.items():
        url = reverse("query-set-jobs", args=[key])
        yield Notice(Urgency.FAILED, key, name, "Jobs", _failed_text(count), url, "Show jobs")


def _failed_text(jobs: int) -> str:
    return f"{counted(jobs, 'job')} failed in the last {LATELY.days} days."


def _file(row: WaitingWork) -> Notice:
    """What the viewer uploaded and neither imported nor discarded."""
    page, action, being, waiting, failed = _WORDS[row.kind]
    urgency, text = Urgency.WAITING, waiting
    if row.requested_at:
        urgency, text, action = Urgency.NEWS, being, "Show progress"
    elif row.failure:
        urgency, text = Urgency.FAILED, f"{failed}: {row.failure}"
    url = reverse(page, args=[row.key])
    return Notice(urgency, row.query_set_id, row.query_set or "", row.name, text, url, action)


_WORDS: Final = {
    work.FILE: (
        "upload",
        "Open preview",
        "Being imported in the background.",
        "Uploaded, but not imported yet.",
        "Not imported",
    ),
    work.RUN_FILE: (
        "stored-runs",
        "Open upload",
        "Being stored in the background.",
        "Uploaded, but no run is stored yet.",
        "Not stored",
    ),
    work.DRAFT: (
        "draft",
        "Open preview",
        "A new evaluation is being made in the background.",
        "A new evaluation that you haven’t finished.",
        "A new evaluation that wasn’t made",
    ),
}
"""The page and the link to it, and what is said while a worker is at it, before anybody asked for it, and if it has failed."""


def _undecided(lists: Sequence[JudgmentList]) -> Iterator[Notice]:
    undecided = undecided_pairs(lists)
    for one in lists:
        if pairs := undecided.get(one.pk):
            have = "pair has" if pairs == 1 else "pairs have"
            text = f"{number_in_words(pairs)} {have} no grade until an admin decides."
            url = reverse("list-disagreements", args=[one.pk]) + "?show=undecided"
            yield _notice(Urgency.WAITING, one, text, url, "Decide grades")


def _of_list(
    judgment_list: JudgmentList, trend: Sparkline | None, queries: int, is_admin: bool
) -> Iterator[Notice]:
    counts = vars(judgment_list)
    pairs = reverse("list-pairs", args=[judgment_list.pk])
    if judgment_list.paused:
        page, action = ("list-edit", "Open settings") if is_admin else ("list", "Show list")
        url = reverse(page, args=[judgment_list.pk])
        yield _notice(Urgency.STOPPED, judgment_list, "Judging is paused.", url, action)
    without_pairs = queries - counts["covered"]
    if not counts["pair_count"]:
        yield _notice(Urgency.STOPPED, judgment_list, "It has no pairs to judge yet.", pairs, "Add pairs")
    elif without_pairs > 0:
        verb = "has" if without_pairs == 1 else "have"
        text = f"{counted(without_pairs, 'query', 'queries')} {verb} no pairs."
        yield _notice(Urgency.INCOMPLETE, judgment_list, text, pairs, "Add pairs")
    if notice := _agreement(judgment_list, latest_agreement(judgment_list, counts["judgment_count"])):
        yield notice
    if trend:
        yield from _newest_run(judgment_list, trend, pairs)


def _agreement(judgment_list: JudgmentList, agreement: LatestAgreement | None) -> Notice | None:
    alpha = agreement.figures["alpha"] if agreement else None
    if agreement is None or alpha is None or alpha >= LITTLE_AGREEMENT:
        return None
    url = reverse("list-agreement", args=[judgment_list.pk])
    text = agreement.reading.split(". ")[0].rstrip(".") + "."
    return _notice(Urgency.DOUBTFUL, judgment_list, text, url, "Show agreement")


def _newest_run(judgment_list: JudgmentList, trend: Sparkline, pairs: str) -> Iterator[Notice]:
    run, cutoff = trend.newest, trend.formula.cutoff
    if run.coverage is not None and is_provisional(run.coverage):
        share = percent_text(run.coverage)
        text = (
            f"{run.run_name}, the newest run, is unknown: no result on its pages is judged."
            if run.nothing_judged
            else f"{run.run_name}, the newest run, is provisional: {share} of the weight of its pages is judged."
        )
        url = f"{pairs}?run={run.run_id}&depth={cutoff}&queries=graded"
        yield _notice(Urgency.DOUBTFUL, judgment_list, text, url, "Request missing judgments")
    if run.missing:
        url = reverse("run", args=[judgment_list.pk, run.run_id]) + "?show=missing"
        text = (
            f"{run.run_name}, the newest run, lacks {counted(run.missing, 'judged query', 'judged queries')}."
        )
        yield _notice(Urgency.DOUBTFUL, judgment_list, text, url, "Show queries")
