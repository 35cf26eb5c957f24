"""What a site answers, as typed records. Their fields have the names of the API."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin

from touchstone_core.client.errors import NO_RECORD, SiteError

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Token:
    """`scope` is read, engineer or admin."""

    name: str
    scope: str
    query_set_id: int | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Account:
    """Who calls, and what the token may do."""

    username: str
    name: str
    token: Token


@dataclass(frozen=True, slots=True)
class Member:
    id: int
    username: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class QuerySet:
    id: int
    name: str
    description: str
    show_images: bool
    archived: bool
    queries: int
    documents: int
    lists: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Query:
    """`query_id` is the ID in files, and `id` that of the site."""

    id: int
    query_id: str
    query: str
    information_need: str
    weight: float
    tags: list[str]


@dataclass(frozen=True, slots=True)
class Document:
    """`document_id` is the ID in files, and `id` that of the site. `fields` are all further fields by name."""

    id: int
    document_id: str
    title: str
    body: str
    url: str
    image: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grade:
    value: float
    label: str
    description: str
    gain: float


@dataclass(frozen=True, slots=True)
class Scale:
    id: int
    name: str
    level: str
    maximum: float
    continuous: bool
    grades: list[Grade]


@dataclass(frozen=True, slots=True)
class JudgmentList:
    id: int
    query_set_id: int
    name: str
    description: str
    guidelines: str
    scale_id: int
    overlap: int
    rule: str
    tie: str
    paused: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A state of a list that stays for good. Equal hashes mean equal grades."""

    number: int
    note: str
    rule: str
    tie: str
    queries: int
    grades: int
    pairs: int
    undecided: int
    sha256: str
    frozen_by: str
    frozen_at: datetime


@dataclass(frozen=True, slots=True)
class Batch:
    """An import of judgments into a list. `undone` of its `judgments` were taken back, the last ones at `undone_at`."""

    id: int
    file: str
    at: datetime
    by: str
    judgments: int
    undone: int
    undone_at: datetime | None
    being_undone: bool
    failure: str


@dataclass(frozen=True, slots=True)
class UndoEffect:
    """Judgments that are withdrawn, that get their earlier answer back, and that stay because somebody changed them since."""

    withdrawn: int
    restored: int
    kept: int


@dataclass(frozen=True, slots=True)
class Addition:
    """What added pairs to a list. `source` names the runs, the file or the search that they are from."""

    id: int
    at: datetime
    by: str
    source: str


@dataclass(frozen=True, slots=True)
class Removal:
    """`left` removable pairs come with the next call. `kept` counts the others by the reason why they stay."""

    removed: int
    left: int
    kept: dict[str, int]


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many rows are gone, and how many are kept because something uses them. `reasons` counts those by what it is."""

    deleted: int
    kept: int
    reasons: dict[str, int]


@dataclass(frozen=True, slots=True)
class Run:
    id: int
    query_set_id: int
    name: str
    notes: str
    tags: list[str]
    commit: str
    link: str
    is_baseline: bool
    order: str
    file_name: str
    sha256: str
    queries: int
    documents: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Upload:
    """`already_stored`: the same file was uploaded before under the same name. `documents` says how many are unknown.

    `left_out` has the names of runs that aren't stored, because none of their queries is known.
    """

    runs: list[Run]
    already_stored: bool
    warnings: list[str]
    documents: str
    left_out: list[str]

    @property
    def run(self) -> Run:
        """The only run of the file. Raises ValueError if it has several."""
        (run,) = self.runs
        return run


@dataclass(frozen=True, slots=True)
class Progress:
    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """What a worker has stored of an upload: see Upload."""

    run_ids: list[int]
    already_stored: bool
    warnings: list[str]
    documents: str
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class Job:
    """Work of a worker. `result` says how many rows are new, changed and unchanged, among others, `upload` which runs are stored."""

    id: str
    query_set_id: int
    list_id: int | None
    what: str
    file: str
    state: Literal["waiting", "running", "done", "failed"]
    progress: Progress | None
    result: dict[str, int] | None
    upload: StoredRuns | None
    failure: str
    requested_at: datetime | None
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class Work:
    """A job that isn't done, in words. `id` is None for figures that a page waits for."""

    id: str | None
    what: str
    about: str
    who: str
    state: Literal["waiting", "running", "failed"]
    progress: Progress | None
    failure: str
    since: datetime | None
    can_cancel: bool
    can_retry: bool


@dataclass(frozen=True, slots=True)
class GradedPair:
    """`how` says in words where the grade comes from, or why there is none yet."""

    pair_id: int
    query_id: str
    query: str
    document_id: str
    title: str
    list_id: int
    grade: float | None
    label: str
    how: str


@dataclass(frozen=True, slots=True)
class Overview:
    """How far a list has come, how it goes on, and what to review. `raters` is None for engineers."""

    progress: dict[str, int]
    forecast: dict[str, Any]
    steps: list[dict[str, Any]]
    estimated_from_every: int
    days: list[dict[str, Any]]
    held: dict[str, Any]
    agreement: dict[str, Any] | None
    to_review: list[dict[str, Any]]
    raters: list[dict[str, Any]] | None


def read_record(kind: type[Kind], values: Mapping[str, Any]) -> Kind:
    """Fields that this version of the client doesn't know are left out. Raises SiteError if one is missing."""
    try:
        return kind(**{one.name: _read(one.type, values[one.name]) for one in fields(kind)})  # type: ignore[arg-type]
    except (KeyError, TypeError) as error:
        raise SiteError(NO_RECORD) from error


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(kind) is UnionType:
        return _read(get_args(kind)[0], value)
    if get_origin(kind) is list:
        return [_read(get_args(kind)[0], one) for one in value]
    if kind is datetime:
        return datetime.fromisoformat(value)
    return read_record(kind, value) if isinstance(kind, type) and is_dataclass(kind) else value
