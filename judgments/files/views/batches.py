"""Undoing an import of judgments: what it would do, and the button."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from judgments.files.actions.undoing import NothingToUndoError, undo_or_ask
from judgments.files.reports.undoing import UndoEffect, undo_effect
from judgments.files.reports.uploads import progress_of_undo
from judgments.models import Batch, JudgmentList
from judgments.pages.archive_guard import to_change
from judgments.pages.fetching import administered_list
from judgments.pages.http import MemberRequest, is_already_shown
from judgments.pages.trails import list_trail
from touchstone_core.words import counted


@require_http_methods(["GET", "HEAD", "POST"])
@to_change
def batch(request: MemberRequest, pk: int, batch: int) -> HttpResponse:
    """Shows what undoing would do, and does it. While a worker does it, shows how far it is."""
    judgment_list = administered_list(request, pk)
    row = get_object_or_404(Batch.objects.select_related("act"), judgment_list=judgment_list, pk=batch)
    if row.requested_at:
        return _being_undone(request, judgment_list, row)
    if request.htmx:  # asked by the page of an undo that has ended
        return HttpResponseClientRefresh()
    effect = undo_effect(row)
    if request.method == "POST":
        return _undo(request, judgment_list, row, effect)
    context = {
        "judgment_list": judgment_list,
        "batch": row,
        "effect": effect,
        "trail": _trail(judgment_list, row),
        "back": reverse("import-judgments", args=[pk]),
    }
    return render(request, "judgments/files/batch.html", context)


def _undo(
    request: MemberRequest, judgment_list: JudgmentList, batch: Batch, effect: UndoEffect
) -> HttpResponse:
    try:
        done = undo_or_ask(batch=batch, effect=effect, user=request.user, at=timezone.now())
    except NothingToUndoError as error:
        messages.info(request, str(error))
        return redirect("batch", judgment_list.pk, batch.pk)
    if done is None:
        return redirect("batch", judgment_list.pk, batch.pk)
    messages.success(request, f"The import of {batch} was undone: {in_words(done)}.")
    return redirect("list", judgment_list.pk)


def _being_undone(request: MemberRequest, judgment_list: JudgmentList, batch: Batch) -> HttpResponse:
    if request.method == "POST":
        return redirect("batch", judgment_list.pk, batch.pk)
    progress = progress_of_undo(batch)
    if progress is None and is_already_shown(request, "import-waiting"):
        return HttpResponse(status=204)
    context = {"waiting": batch, "progress": progress, "trail": _trail(judgment_list, batch)}
    return render(request, "judgments/files/being_undone.html", context)


def in_words(effect: UndoEffect) -> str:
    """“12 judgments withdrawn, 3 earlier answers restored, 1 judgment left as it is”, as far as there are any."""
    them = "it" if effect.kept == 1 else "them"
    parts = (
        (effect.withdrawn, f"{counted(effect.withdrawn, 'judgment')} withdrawn"),
        (effect.restored, f"{counted(effect.restored, 'earlier answer')} restored"),
        (
            effect.kept,
            f"{counted(effect.kept, 'judgment')} left, because somebody changed or removed {them} since",
        ),
    )
    return ", ".join(words for count, words in parts if count)


def _trail(judgment_list: JudgmentList, batch: Batch) -> list[dict[str, str]]:
    imports = ("Import", reverse("import-judgments", args=[judgment_list.pk]))
    return list_trail(judgment_list, imports, f"Undo {batch}")
