"""Adding pairs to a judgment list: the pool of runs, the holes of one, or the documents of a text search."""

import re
from typing import Any

import numpy as np
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.comparisons.reports.pool_history import pool_history
from evaluation.models import Contest
from evaluation.pools.actions.contests import GoingOnError, start_contest, stop_contest
from evaluation.pools.actions.deciding import PairsChangedError, add_deciding
from evaluation.pools.actions.pools import add_candidates, add_pool
from evaluation.pools.actions.sampling import add_sample
from evaluation.pools.forms import DECIDING, SAMPLE, CandidatesForm, PoolForm
from evaluation.pools.reports.batches import UndecidableError
from evaluation.pools.reports.candidates import MOST_QUERIES, candidates
from evaluation.pools.reports.contests import latest_contest
from evaluation.pools.reports.pool import PoolPreview, preview_deciding, preview_pool, preview_sample
from evaluation.scores.views.scored_page import list_with_role, role_in_list
from judgments.models import JudgmentList, User
from judgments.pages.archive_guard import to_change
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_page
from touchstone_core.words import counted


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def list_pairs(request: MemberRequest, pk: int) -> HttpResponse:
    """Previews the pool that the URL describes; a POST of the same fields adds it."""
    judgment_list = list_with_role(request, pk)
    is_post = request.method == "POST"
    form = PoolForm(request.POST if is_post else request.GET, judgment_list=judgment_list)
    valid = form.is_valid()
    if is_post and valid:
        try:
            return _add_or_start(request, judgment_list, form)
        except (PairsChangedError, GoingOnError) as error:
            messages.info(request, str(error))
        except UndecidableError:
            pass  # the preview says it
    preview = _preview_or_error(judgment_list, form) if valid else None
    context = list_page(judgment_list, role_in_list(request, judgment_list), "pairs", "Pairs") | {
        "query_set": judgment_list.query_set,
        "form": form,
        "pooled_from": None if preview and preview.batch else pool_history(judgment_list, form.runs),
        "standing": latest_contest(judgment_list),
        "preview": preview,
    }
    is_refused = (is_post or form.is_bound) and preview is None
    return render(request, "evaluation/pools/pairs.html", context, status=422 if is_refused else 200)


def _preview_or_error(judgment_list: JudgmentList, form: PoolForm) -> PoolPreview | None:
    """None where grades don't allow it, which becomes an error of the form."""
    try:
        return preview_pool_of(judgment_list, form)
    except UndecidableError as error:
        form.add_error("documents", str(error))
        return None


def _add_or_start(request: MemberRequest, judgment_list: JudgmentList, form: PoolForm) -> HttpResponse:
    """Adds what a valid form asks for, and leads to where that shows. Raises PairsChangedError and GoingOnError."""
    if form.cleaned_data["until_decided"]:
        contest = start_contest_of(judgment_list, form, form.cleaned_data["priority"], request.user)
        if contest.is_going_on:
            messages.success(request, "Pairs are added until it’s decided. This page shows how far it is.")
        return redirect("list-pairs", judgment_list.pk)
    count = add_pool_of(judgment_list, form, form.cleaned_data["priority"], _pair_count(request))
    messages.success(request, _outcome(count, judgment_list))
    return redirect("list", judgment_list.pk)


@require_POST
def contest_stop(request: MemberRequest, pk: int) -> HttpResponse:
    """Ends what goes on until it is decided."""
    contest = visible_contest(request, pk)
    if stop_contest(contest=contest, at=timezone.now()):
        messages.success(request, "Stopped. Pairs that wait for raters stay in the list.")
    else:
        messages.info(request, "It had already ended.")
    return redirect("list-pairs", contest.judgment_list_id)


def visible_contest(request: MemberRequest, pk: int) -> Contest:
    visible = Contest.objects.visible_to(request.user).select_related("judgment_list", "baseline", "run")
    return get_object_or_404(visible, pk=pk)


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def list_candidates(request: MemberRequest, pk: int) -> HttpResponse:
    """Previews what a text search proposes for queries without pairs; a POST of the same fields adds it."""
    judgment_list = list_with_role(request, pk)
    form = CandidatesForm(request.POST if request.method == "POST" else request.GET)
    valid = form.is_valid()
    if request.method == "POST" and valid:
        count = add_candidates(judgment_list=judgment_list, **form.cleaned_data)
        messages.success(request, _outcome(count, judgment_list))
        return redirect("list", pk)
    is_asked = valid and form.is_sent
    pairs, role = ("Pairs", reverse("list-pairs", args=[pk])), role_in_list(request, judgment_list)
    context = list_page(judgment_list, role, "pairs", pairs, "From a text search") | {
        "form": form,
        "preview": candidates(judgment_list, depth=form.cleaned_data["depth"]) if is_asked else None,
        "most_queries": MOST_QUERIES,
    }
    return render(request, "evaluation/pools/candidates.html", context, status=200 if valid else 422)


def preview_pool_of(judgment_list: JudgmentList, form: PoolForm) -> PoolPreview:
    """What adding the pool of a valid form would do."""
    if form.asks_for == DECIDING:
        return preview_deciding(judgment_list=judgment_list, **form.deciding)
    if form.asks_for == SAMPLE:
        return preview_sample(judgment_list=judgment_list, **form.sample)
    return preview_pool(judgment_list=judgment_list, **form.pool)


def add_pool_of(
    judgment_list: JudgmentList, form: PoolForm, priority: int, pair_count: int | None = None
) -> int:
    """Adds the pool of a valid form; how many pairs are new. Raises PairsChangedError as `add_deciding` and `add_sample` do."""
    how: dict[str, Any] = {"judgment_list": judgment_list, "priority": priority}
    if form.asks_for == DECIDING:
        random = np.random.default_rng()
        return add_deciding(random=random, pair_count=pair_count, **how, **form.deciding)
    if form.asks_for == SAMPLE:
        return add_sample(pair_count=pair_count, **how, **form.sample)
    return add_pool(**how, **form.pool)


def start_contest_of(judgment_list: JudgmentList, form: PoolForm, priority: int, user: User) -> Contest:
    """Of a valid form that asks for what decides until it is decided. Raises GoingOnError."""
    asked = form.deciding
    return start_contest(
        judgment_list=judgment_list,
        runs=asked["runs"],
        formula=asked["formula"],
        batch_size=asked["judgments"],
        budget=form.cleaned_data["budget"],
        priority=priority,
        user=user,
        at=timezone.now(),
    )


def _pair_count(request: MemberRequest) -> int | None:
    """How many pairs the list had in the preview of a batch."""
    text = request.POST.get("pair_count", "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _outcome(count: int, judgment_list: JudgmentList) -> str:
    if not count:
        return "The list already has all of these pairs. Nothing was added."
    when = "when this list goes on" if judgment_list.paused else "from now on"
    return f"{counted(count, 'pair')} added. Raters get them {when}."
