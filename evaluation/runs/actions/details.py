"""Writes what people say about runs: names, notes, tags, origin, and which run is the baseline."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from django.db import transaction

from evaluation.base.errors import TooManyTagsError
from evaluation.models import Run
from judgments.base.names import given_once
from judgments.content.reports.content import refuse_if_changed
from judgments.log.actions import record_act
from judgments.models import QuerySet, Verb

UNIQUE_NAME = "run_name_unique"
MOST_TAGS = 20
DETAILS = ("name", "tags", "commit", "link", "notes")


class Details(NamedTuple):
    """What is said about runs when they're stored: tags, what made them, and notes, which come before those of the file."""

    tags: Sequence[str] = ()
    commit: str = ""
    link: str = ""
    notes: str = ""


NO_DETAILS: Final = Details()


def checked_tags(run_name: str, tags: list[str]) -> list[str]:
    """The tags, if a run may have so many. Raises TooManyTagsError."""
    if len(tags) > MOST_TAGS:
        raise TooManyTagsError(run_name, MOST_TAGS)
    return tags


def run_details(run: Run) -> dict[str, Any]:
    """The details that the form of a run shows."""
    return {field: getattr(run, field) for field in DETAILS}


@transaction.atomic
def change_run(
    *, run: Run, name: str, notes: str, tags: list[str], commit: str, link: str, seen_mark: str | None = None
) -> None:
    """`seen_mark` is as for `change_list`, of `run_details`. Raises ChangedSinceError, NameTakenError and TooManyTagsError."""
    current = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    before = run_details(current)
    refuse_if_changed("run", current, before, seen_mark)
    run.name, run.notes, run.commit, run.link = name, notes, commit, link
    run.tags = checked_tags(run.name, tags)
    with given_once(name, constraint=UNIQUE_NAME):
        run.save(update_fields=DETAILS)
    after = run_details(run)
    record_act(Verb.CHANGED, f"run {run}", query_set=run.query_set_id, before=before, after=after)


@transaction.atomic
def tag_runs(
    *, query_set: QuerySet, runs: Iterable[Run], add: Collection[str] = (), remove: Collection[str] = ()
) -> int:
    """Adds tags to runs, or removes them, with one line in the log. Returns how many runs changed. Raises TooManyTagsError."""
    locked = Run.objects.select_for_update(no_key=True).filter(
        query_set=query_set, pk__in=[run.pk for run in runs]
    )
    changed = []
    for run in locked.order_by("pk"):
        tags = [tag for tag in dict.fromkeys([*run.tags, *add]) if tag not in remove]
        if tags != run.tags:
            run.tags = checked_tags(run.name, tags)
            changed.append(run)
    Run.objects.bulk_update(changed, ["tags"])
    if changed:
        tags_by_verb = {"tags added": list(add), "tags removed": list(remove)}
        facts = {"runs": [run.name for run in changed]} | {
            words: tags for words, tags in tags_by_verb.items() if tags
        }
        subject = f"run {changed[0]}" if len(changed) == 1 else f"{len(changed)} runs"
        record_act(Verb.CHANGED, f"tags of {subject}", query_set=query_set, after=facts)
    return len(changed)


@transaction.atomic
def pin_baseline(*, query_set: QuerySet, run: Run | None) -> None:
    """Makes this run, or none, the baseline of the query set. Locks the query set, which has one baseline at most."""
    QuerySet.objects.select_for_update(no_key=True).get(pk=query_set.pk)
    pinned = Run.objects.filter(query_set=query_set, is_baseline=True)
    before = pinned.values_list("name", flat=True).first()
    pinned.update(is_baseline=False)
    if run is not None:
        Run.objects.filter(pk=run.pk, query_set=query_set).update(is_baseline=True)
    record_act(
        Verb.CHANGED,
        "the baseline of the run table",
        query_set=query_set,
        before={"baseline": before},
        after={"baseline": run and run.name},
    )
