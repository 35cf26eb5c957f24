"""Adding pairs to a judgment list: the pool of runs, or the holes of one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from evaluation.comparisons.reports.pool_history import pool_history
from evaluation.pools.actions import add_pool
from evaluation.pools.forms import PoolForm
from evaluation.pools.reports import preview_pool
from judgments.models import JudgmentList, Role
from judgments.pages.archive_guard import to_change
from judgments.pages.http import MemberRequest
from judgments.pages.trails import list_trail
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
    context = {
        "judgment_list": judgment_list,
        "query_set": judgment_list.query_set,
        "form": form,
        "pooled_from": pool_history(judgment_list, form.runs),
        "preview": preview_pool(judgment_list=judgment_list, **form.pool) if valid else None,
        "role": Role.ADMIN,
        "tab": "pairs",
        "trail": list_trail(judgment_list, "Pairs"),
    }
    is_sent = is_post or form.is_bound
    return render(
        request, "evaluation/pools/pairs.html", context, status=422 if is_sent and not valid else 200
    )


def _outcome(count: int, judgment_list: JudgmentList) -> str:
    if not count:
        return "The list already has all of these pairs. Nothing was added."
    when = "when this list goes on" if judgment_list.paused else "from now on"
    return f"{counted(count, 'pair')} added. Raters get them {when}."
