"""Adding pairs to a judgment list: the pool of runs, the holes of one, or the documents of a text search. Taking them out."""

from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Max
from django.db.models import QuerySet as Rows
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from evaluation.comparisons.reports.pool_history import pool_history
from evaluation.pools.actions import add_candidates, add_pool
from evaluation.pools.forms import CandidatesForm, PoolForm
from evaluation.pools.reports import (
    MOST_QUERIES,
    Chosen,
    acts_that_added,
    candidates,
    chosen_pairs,
    in_words,
    page_of_pairs,
    preview_pool,
)
from judgments.base.keys import key_in
from judgments.content.views.unused import rest_in_words
from judgments.lists.actions.removing import remove_pairs
from judgments.lists.reports import REASONS, keys_to_remove, removal_effect
from judgments.models import JudgmentList, Pair, Role
from judgments.pages.archive_guard import to_change
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_page, list_trail
from touchstone_core.words import counted


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def list_pairs(request: MemberRequest, pk: int) -> HttpResponse:
    """Previews the pool that the URL describes; a POST of the same fields adds it."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    is_post = request.method == "POST"
    form = PoolForm(request.POST if is_post else request.GET, judgment_list=judgment_list)
    valid = form.is_valid()
    if is_post and valid:
        count = add_pool(judgment_list=judgment_list, priority=form.cleaned_data["priority"], **form.pool)
        messages.success(request, _outcome(count, judgment_list))
        return redirect("list", pk)
    context = list_page(judgment_list, Role.ADMIN, "pairs", "Pairs") | {
        "query_set": judgment_list.query_set,
        "form": form,
        "pooled_from": pool_history(judgment_list, form.runs),
        "preview": preview_pool(judgment_list=judgment_list, **form.pool) if valid else None,
    }
    is_sent = is_post or form.is_bound
    return render(
        request, "evaluation/pools/pairs.html", context, status=422 if is_sent and not valid else 200
    )


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def list_candidates(request: MemberRequest, pk: int) -> HttpResponse:
    """Previews what a text search proposes for queries without pairs; a POST of the same fields adds it."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    form = CandidatesForm(request.POST if request.method == "POST" else request.GET)
    valid = form.is_valid()
    if request.method == "POST" and valid:
        count = add_candidates(judgment_list=judgment_list, **form.cleaned_data)
        messages.success(request, _outcome(count, judgment_list))
        return redirect("list", pk)
    context = list_page(
        judgment_list, Role.ADMIN, "pairs", ("Pairs", reverse("list-pairs", args=[pk])), "From a text search"
    ) | {
        "form": form,
        "preview": candidates(judgment_list, depth=form.cleaned_data["depth"]) if valid else None,
        "most_queries": MOST_QUERIES,
    }
    return render(request, "evaluation/pools/candidates.html", context, status=200 if valid else 422)


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def remove_from_list(request: MemberRequest, pk: int) -> HttpResponse:
    """Lists pairs that nobody has judged. A POST of some or `all` says what removing them would do, with `confirmed` does it."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    chosen = Chosen(key_in(request.GET.get("added")), request.GET.get("q", "").strip())
    matching = chosen_pairs(judgment_list, chosen)
    if request.method == "POST":
        return _remove(request, judgment_list, matching)
    after = key_in(request.GET.get("after")) or 0
    rows, later = page_of_pairs(matching, timezone.now(), after=after)
    pairs_tab = ("Pairs", reverse("list-pairs", args=[pk]))
    context = list_page(judgment_list, Role.ADMIN, "pairs", pairs_tab, "Remove pairs") | {
        "chosen": chosen,
        "acts": [(act.pk, in_words(act)) for act in acts_that_added(judgment_list, chosen.added)],
        "pairs": rows,
        "later": later,
        "after": after,
        "search": urlencode({name: request.GET[name] for name in ("added", "q") if request.GET.get(name)}),
    }
    return render(request, "evaluation/pools/remove.html", context)


def _remove(request: MemberRequest, judgment_list: JudgmentList, matching: Rows[Pair]) -> HttpResponse:
    """Says what would go of the checked pairs, or of all that match up to the key `last`, or removes them."""
    search = request.GET.urlencode()
    back = reverse("list-pairs-remove", args=[judgment_list.pk]) + (f"?{search}" if search else "")
    sent: list[tuple[str, int]]
    if request.POST.get("all"):
        last = key_in(request.POST.get("last"))
        last = (matching.aggregate(last=Max("pk"))["last"] or 0) if last is None else last
        pairs, sent = matching.filter(pk__lte=last), [("all", 1), ("last", last)]
    else:
        keys = [key for one in request.POST.getlist("pair") if (key := key_in(one)) is not None]
        pairs, sent = matching.filter(pk__in=keys), [("pair", key) for key in keys]
    if not sent:
        messages.error(request, "Nothing was removed, because no pairs are checked. Check some first.")
        return redirect(back)
    at = timezone.now()
    if "confirmed" in request.POST:
        count = remove_pairs(judgment_list=judgment_list, pair_ids=keys_to_remove(pairs, at), at=at)
        rest = removal_effect(pairs, at)
        done = f"{counted(count, 'pair')} removed.{rest_in_words(rest.removed + rest.left, rest.kept_count)}"
        (messages.success if count else messages.info)(request, done)
        return redirect(back)
    effect = removal_effect(pairs, at)
    context = {
        "judgment_list": judgment_list,
        "effect": effect,
        "reasons": [(effect.kept[name], words) for name, words in REASONS.items() if name in effect.kept],
        "sent": sent,
        "back": back,
        "trail": list_trail(
            judgment_list, ("Pairs", reverse("list-pairs", args=[judgment_list.pk])), "Remove pairs"
        ),
    }
    return render(request, "evaluation/pools/remove_confirm.html", context)


def _outcome(count: int, judgment_list: JudgmentList) -> str:
    if not count:
        return "The list already has all of these pairs. Nothing was added."
    when = "when this list goes on" if judgment_list.paused else "from now on"
    return f"{counted(count, 'pair')} added. Raters get them {when}."
