"""Groups of the run table: by tag, by a fact about the runs, or by the key of tags such as `model:bm25`."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from django.utils import timezone

from evaluation.models import Run
from judgments.base.moments import day

TAG: Final = "tag"
COMMIT: Final = "commit"
DAY: Final = "day"
BY: Final = "by"
KEY: Final = re.compile(r"([^:=/]+)[:=](?!//)\s*(.+)")
"""A tag that says what the run has of something. Web addresses don't."""


class Group(NamedTuple):
    """Sorts before groups with a greater `place`; `title` heads it."""

    place: str
    title: str


class GroupedRow(NamedTuple):
    """The key of an evaluation, in one of the groups of its run. `size` is that of the group."""

    group: Group
    size: int
    pk: int


def choices_of_groups(runs: Iterable[Run]) -> list[tuple[str, str]]:
    """What these runs can be grouped by, with the word that an address has for it. Nothing that would be one group only."""
    runs = list(runs)
    keys = {_key_and_value(tag)[0] for run in runs for tag in run.tags}
    named = [(TAG, "tag"), *((f"{TAG}:{key}", f"tag {key}") for key in sorted(keys - {""}, key=str.casefold))]
    named += [(COMMIT, "commit"), (DAY, "day of upload"), (BY, "who uploaded it")]
    return [("", "nothing"), *(one for one in named if _are_several(runs, one[0]))]


def _are_several(runs: Iterable[Run], by: str) -> bool:
    groups = chain.from_iterable(groups_of(run, by) for run in runs)
    first = next(groups, None)
    return any(group != first for group in groups)


def groups_of(run: Run, by: str) -> list[Group]:
    """The groups of a run. It may have several tags, and is in the group without any if it has none."""
    if by == DAY:
        newest_first = -timezone.localtime(run.created_at).date().toordinal()
        return [Group(f"{newest_first + 10**7:08}", day(run.created_at))]
    if by == TAG:
        names = run.tags
    elif by == COMMIT:
        names = [run.commit]
    elif by == BY:
        names = [run.uploaded_by.display_name if run.uploaded_by else ""]
    else:
        key = by.removeprefix(f"{TAG}:")
        names = [value for name, value in map(_key_and_value, run.tags) if name == key]
    without = {COMMIT: "no commit", BY: "unknown"}.get(
        by, "no tag" if by == TAG else f"no {by[len(TAG) + 1 :]}"
    )
    return [Group(f"0{name.casefold()}", name) for name in names if name] or [Group("1", without)]


def group_rows(keys: Iterable[tuple[int, int]], runs: Mapping[int, Run], by: str) -> list[GroupedRow]:
    """Evaluations, given with their run in the order of the table, group by group. One comes up in every group of its run."""
    rows = [(group, pk) for pk, run in keys if run in runs for group in groups_of(runs[run], by)]
    sizes = Counter(group for group, _ in rows)
    return [GroupedRow(group, sizes[group], pk) for group, pk in sorted(rows, key=lambda row: row[0])]


def group_headings(rows: Sequence[GroupedRow]) -> list[str]:
    """For each row of a page what heads it: only the first of a group has something."""
    before = [None, *(row.group for row in rows)]
    return [
        "" if row.group == last else f"{row.group.title} ({row.size:,})"
        for row, last in zip(rows, before, strict=False)
    ]


def _key_and_value(tag: str) -> tuple[str, str]:
    match = KEY.fullmatch(tag)
    return (match[1].strip(), match[2].strip()) if match else ("", "")
