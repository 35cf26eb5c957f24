"""What the judgments of a list so far say of two runs over all of their queries, and how it was judged to decide between them."""

from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import chain, groupby
from operator import itemgetter, or_
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np
from django.db import transaction
from django.db.models import Q, Subquery

from evaluation.base.reports import scale_info
from evaluation.base.sql import known_ids, unpack_documents
from evaluation.models import Ranking, Run
from evaluation.scores.sql.scores import read_grades
from judgments.lists.reports.selections import acts_that_decided
from judgments.models import PAIR_KEYS, JudgmentList, Pair, Version
from touchstone_core.comparison.comparison import Figures
from touchstone_core.comparison.verdict import WITH_BOUNDS
from touchstone_core.deciding.documents import Documents
from touchstone_core.deciding.outlook import Outlook
from touchstone_core.deciding.stopping import Check
from touchstone_core.metrics.formula import Formula
from touchstone_core.metrics.gain import gains, top_gain
from touchstone_core.metrics.moves import number_documents
from touchstone_core.metrics.types import Floats, Ints

_MOST_DOCUMENTS: Final = 2_000_000
"""On pages that are compared: more of them aren't read once more for what decides."""
FORMULA, JUDGED, ERRORS, CHANCE = "formula", "judged before", "standard errors from 0", "chance to be drawn"


def deciding_formula(formula: Formula) -> Formula:
    """What of a formula counts for what decides: NDCG-max has neither a recall depth nor policies."""
    return Formula(gain=formula.gain, discount=formula.discount, base=formula.base, cutoff=formula.cutoff)


@dataclass(frozen=True, slots=True, eq=False)
class AllPages:
    """The pages of R runs over all queries that one of them answers, with the grades of a list. Held-out queries are left out."""

    queries: list[int]  # the keys of the Q queries
    pages: list[list[list[str]]]  # by run and query
    document: Ints  # (R, Q, N)
    gain: Floats  # (R, Q, N)
    formula: Formula
    top: float

    def beside(self, place: int) -> Documents:
        """Those of the first run and of the one at this place."""
        pair = [0, place]
        return Documents.of_pages(self.document[pair], self.gain[pair], self.formula.discounts(), self.top)

    def keys_of(self, documents: Documents) -> list[tuple[int, str]]:
        """Query keys and external IDs of the documents, all of which are of the first two runs."""
        names = [list(dict.fromkeys(chain(*pages))) for pages in zip(*self.pages[:2], strict=True)]
        places = zip(documents.query.tolist(), documents.number.tolist(), strict=True)
        return [(self.queries[query], names[query][number]) for query, number in places]


@transaction.atomic  # outside of one the server would set aside a copy of all rankings first
def read_all_pages(
    judgment_list: JudgmentList,
    runs: Sequence[Run],
    formula: Formula,
    *,
    held_out: str | Subquery,
    version: Version | None = None,
) -> AllPages:
    """Without queries that have the tag `held_out`. Three statements, and one for the levels of the scale."""
    scale = scale_info((version or judgment_list).scale)
    by_query = _read_pages(judgment_list, runs, formula.cutoff, held_out)
    queries = list(by_query)
    pages = [[by_query[query].get(run.pk, []) for query in queries] for run in runs]
    document = number_documents(pages, formula.cutoff)
    gain = np.full(document.shape, np.nan)
    grades = read_grades(judgment_list.pk, queries, version)
    ids = known_ids(judgment_list.query_set_id, {name for one in chain(*pages) for name in one})
    for place, query in enumerate(queries):
        if (of_query := grades.get(query)) is None:
            continue
        worth = gains(np.array(of_query.values), formula.gain, scale).tolist()
        by_document = dict(zip(of_query.documents, worth, strict=True))
        for run, of_run in enumerate(pages):
            page = [by_document.get(ids.get(name, 0), np.nan) for name in of_run[place]]
            gain[run, place, : len(page)] = page
    return AllPages(queries, pages, document, gain, formula, float(top_gain(formula.gain, scale)))


def _read_pages(
    judgment_list: JudgmentList, runs: Sequence[Run], cutoff: int, held_out: str | Subquery
) -> dict[int, dict[int, list[str]]]:
    """By query and run, for queries that one of the runs answers."""
    rankings = Ranking.objects.filter(query_set=judgment_list.query_set_id, run__in=[run.pk for run in runs])
    if held_out:
        rankings = rankings.exclude(query__tags__contains=[held_out])
    rows = rankings.order_by("query_id", "run_id").values_list("query_id", "run_id", "documents").iterator()
    return {
        query: {run: unpack_documents(block, first=cutoff) for _, run, block in of_query}
        for query, of_query in groupby(rows, itemgetter(0))
    }


def with_outlooks(
    figures: Figures,
    formula: Formula,
    on: str,
    *,
    judgment_list: JudgmentList,
    version: Version | None,
    runs: Sequence[Run],
    held_out: str,
) -> Figures:
    """The figures of a comparison. Its evidence gets what to expect of each run beside the baseline if all were judged (`outlook`,
    and whether that is `decided`), its coverage of which runs documents were judged for what they decide (`targeted`)."""
    acts = acts_that_decided(judgment_list, version)
    of_files = [after for after in acts if "runs" not in after]
    evidence = figures["evidence"]
    has_bounds = evidence is not None and on in WITH_BOUNDS
    documents = len(runs) * figures["queries"] * formula.cutoff
    pages = None
    if (has_bounds or of_files) and documents <= _MOST_DOCUMENTS:
        pages = read_all_pages(judgment_list, runs, formula, held_out=held_out, version=version)
    # Files don't say between which runs their pairs were to decide.
    pairs = targeted_pairs(judgment_list, of_files) if pages else set()
    shown = show_pairs(pairs, pages.queries, pages.pages) if pages else [bool(of_files)] * len(runs)
    chosen = runs_of_acts(acts)
    targeted = [run.pk in chosen or is_shown for run, is_shown in zip(runs, shown, strict=True)]
    coverage = figures["coverage"] | {"targeted": targeted}
    if has_bounds and pages:
        outlooks = [Outlook.of(pages.beside(place), len(runs) - 1) for place in range(1, len(runs))]
        checks = [_checks(acts, (runs[0], run), formula) for run in runs[1:]]
        evidence = [
            one | {"outlook": asdict(outlook), "decided": outlook.is_decided(earlier)}
            for one, outlook, earlier in zip(evidence, outlooks, checks, strict=True)
        ]
    return figures | {"evidence": evidence, "coverage": coverage}


def targeted_pairs(judgment_list: JudgmentList, acts: Sequence[dict[str, Any]]) -> set[tuple[int, str]]:
    """Query keys and external IDs of the pairs that such acts added. One statement, or none without an act."""
    if not acts:
        return set()
    of_acts = reduce(or_, (Q(pk__range=after[PAIR_KEYS]) for after in acts))
    pairs = Pair.objects.filter(of_acts, judgment_list=judgment_list)
    return set(pairs.values_list("query_id", "document__external_id"))


def show_pairs(
    pairs: Set[tuple[int, str]], queries: Sequence[int], pages: Sequence[Sequence[Sequence[str]]]
) -> list[bool]:
    """Which runs show one of the pairs; `pages` are by run and query."""
    return [
        any((query, name) in pairs for query, page in zip(queries, of_run, strict=True) for name in page)
        for of_run in pages
    ]


def runs_of_acts(acts: Sequence[dict[str, Any]]) -> set[int]:
    """The keys of the runs between which pairs were to decide."""
    return {run["id"] for after in acts for run in after.get("runs", ())}


def outlooks(
    runs: Sequence[Run], figures: Figures, formula: Formula, overlap: int
) -> dict[int, dict[str, Any]]:
    """Of each run but the first that grades can still turn, by its key: about how many judgments decide, who is ahead, whether that is
    decided, whether some of its documents were judged for what they decide, and the parameters of the page that adds the pairs.
    Empty for figures of an earlier version of this site."""
    found = {}
    is_targeted = any(figures["coverage"].get("targeted", ()))
    for run, evidence in zip(runs[1:], figures["evidence"] or (), strict=False):
        outlook = Outlook.from_json(evidence["outlook"]) if "outlook" in evidence else None
        if outlook is None or outlook.z is None:
            continue
        asked = [
            *(("run", one.pk) for one in (runs[0], run)),
            ("depth", formula.cutoff),
            ("documents", "deciding"),
            ("formula", deciding_formula(formula).key),
        ]
        found[run.pk] = {
            "run": run,
            "baseline": runs[0],
            "left": 0 if outlook.is_ahead else outlook.about_left(overlap),
            "decided": evidence["decided"],
            "ahead": run if outlook.expected > 0 else runs[0],
            "behind": runs[0] if outlook.expected > 0 else run,
            "targeted": is_targeted and outlook.judged > 0,
            "parameters": urlencode(asked),
        }
    return found


def was_judged_for_what_decides(judgment_list: JudgmentList, version: Version | None) -> bool:
    """One statement."""
    return bool(acts_that_decided(judgment_list, version))


def earlier_checks(judgment_list: JudgmentList, runs: Sequence[Run], formula: Formula) -> list[Check]:
    """How two runs stood each time when documents were chosen for what they decide between them. One statement."""
    return _checks(acts_that_decided(judgment_list), runs, formula)


def _checks(acts: Sequence[dict[str, Any]], runs: Sequence[Run], formula: Formula) -> list[Check]:
    keys, key = [run.pk for run in runs], deciding_formula(formula).key
    checks = []
    for after in acts:
        of = [run["id"] for run in after.get("runs", ())]
        if after.get(FORMULA) == key and sorted(of) == sorted(keys):
            checks.append(Check(after[JUDGED], after[ERRORS] if of == keys else -after[ERRORS]))
    return checks
