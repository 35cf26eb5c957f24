"""Taking pairs out of a list: which ones, what would go and what stays, and the button."""

from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet as Rows
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judgments.base.keys import key_in
from judgments.content.views.unused import chosen_rows, rest_in_words
from judgments.lists.actions.removing import remove_pairs
from judgments.lists.reports.removal import (
    REASONS,
    PairChoice,
    acts_that_added,
    chosen_pairs,
    in_words,
    keys_to_remove,
    page_of_pairs,
    removal_effect,
)
from judgments.models import JudgmentList, Pair, Role
from judgments.pages.archive_guard import to_change
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_page, list_trail
from touchstone_core.words import counted


@to_change
@require_http_methods(["GET", "HEAD", "POST"])
def remove_from_list(request: MemberRequest, pk: int) -> HttpResponse:
    """Lists pairs that nobody has judged. A POST of some or `all` says what removing them would do, with `confirmed` does it."""
    mine = JudgmentList.objects.administered_by(request.user).select_related("query_set")
    judgment_list = get_object_or_404(mine, pk=pk)
    chosen = PairChoice(key_in(request.GET.get("added")), request.GET.get("q", "").strip())
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
    return render(request, "judgments/lists/pairs_remove.html", context)


def _remove(request: MemberRequest, judgment_list: JudgmentList, matching: Rows[Pair]) -> HttpResponse:
    """Says what would go of the checked pairs, or of all that match up to the key `last`, or removes them."""
    search = request.GET.urlencode()
    back = reverse("list-pairs-remove", args=[judgment_list.pk]) + (f"?{search}" if search else "")
    pairs, sent = chosen_rows(request, matching, "pair")
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
        "label": f"Remove {counted(effect.removed, 'pair')}",
        "back": back,
        "trail": list_trail(
            judgment_list, ("Pairs", reverse("list-pairs", args=[judgment_list.pk])), "Remove pairs"
        ),
    }
    return render(request, "judgments/lists/pairs_remove_confirm.html", context)
