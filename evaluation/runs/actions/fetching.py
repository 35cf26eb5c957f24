"""What a worker asks of a search engine, before it stores the answers like a file that somebody uploaded (ADR 84)."""

import time
from typing import TYPE_CHECKING, Any, ClassVar

from django.db.models import QuerySet as Rows

from evaluation.base.errors import EvaluationError
from evaluation.runs.reports.incoming import engines_of
from judgments.files.actions.uploads import keep_content
from judgments.files.reports.uploads import FETCH_PROGRESS, query_set_of
from judgments.models import Query, Upload

if TYPE_CHECKING:
    from touchstone_core.engines.site_engines import SiteEngine

ENGINE, DEPTH = "engine", "depth"
"""Of the options of an upload: the name of the engine, and how many results of each query are asked for."""


class EngineError(EvaluationError):
    """No run came of it. The sentence says why."""


class CancelledError(EvaluationError):
    """Nobody wants the answers any more."""

    sentence = "It was cancelled."


def lacks_answers(upload: Upload) -> bool:
    """Whether the engine is still to be asked, or didn't give what makes a run."""
    return ENGINE in upload.options and not upload.size


def keep_answers(*, upload: Upload, same_request: Rows[Upload]) -> None:
    """Asks the engine all queries of the query set, and keeps its answers as the content of the upload: of all, or of none.

    Raises EngineError, with the query that got no usable answer, and CancelledError once `same_request` has no row.
    """
    query_set, name = query_set_of(upload), upload.options[ENGINE]
    engine = engines_of(query_set).get(name)
    if engine is None:
        raise EngineError(f"“{name}” is no search engine that this query set may ask any more.")
    rows = Query.objects.filter(query_set=query_set).order_by("pk").values_list("external_id", "text")
    queries = dict(rows)
    if not queries:
        raise EngineError("This query set has no queries to ask.")
    content = _answers(
        engine, queries, upload.options[DEPTH], ProgressTeller(upload, same_request, len(queries))
    )
    keep_content(upload=upload, content=content.encode())


def _answers(engine: "SiteEngine", queries: dict[str, str], depth: int, teller: "ProgressTeller") -> str:
    from touchstone_core.engines.fetching import fetch
    from touchstone_core.offline.command_line import InputError

    try:
        return fetch(engine.engine, queries, depth=depth, at_once=engine.at_once, on_answer=teller).lines
    except InputError as error:
        raise EngineError(str(error)) from error


class ProgressTeller:
    """Tells once a second how many queries are answered, and finds out whether anybody still wants to know."""

    EVERY: ClassVar = 1.0  # seconds

    def __init__(self, upload: Upload, same_request: Rows[Upload], total: int) -> None:
        self._same_request, self._options, self._total = same_request, upload.options, total
        self._began = self._last = time.monotonic()
        self._tell(0)

    def __call__(self, done: int) -> None:
        if time.monotonic() - self._last >= self.EVERY:
            self._tell(done)

    def _tell(self, done: int) -> None:
        self._last = time.monotonic()
        numbers: list[Any] = [done, self._total, round(self._last - self._began, 1)]
        if not self._same_request.update(options=self._options | {FETCH_PROGRESS: numbers}):
            raise CancelledError
