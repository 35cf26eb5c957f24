"""Personal data: one's own as a file, and for site administrators that of anybody, and its erasure."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from judgments.base.errors import JudgmentsError
from judgments.models import User
from judgments.pages.http import MemberRequest, file_response
from judgments.people.actions import erasure as actions
from judgments.people.actions.erasure_jobs import request_erasure
from judgments.people.forms import ErasureForm
from judgments.people.reports.erasure import preview
from judgments.people.reports.personal_data import personal_data
from judgments.people.views.security_log import log_event


@never_cache
@require_safe
def own_data(request: MemberRequest) -> HttpResponseBase:
    return _file(request, request.user)


@never_cache
@require_safe
def person_data(request: MemberRequest, pk: int) -> HttpResponseBase:
    user = _person(request, pk)
    if request.method == "GET":
        actions.record_data_export(user=user)
    return _file(request, user)


def _file(request: MemberRequest, user: User) -> HttpResponseBase:
    name, media_type = f"personal-data-{slugify(user.username)}.json", "application/json"
    if request.method == "HEAD":
        return file_response((), name, media_type)
    log_event("personal-data-exported", request, bad=False, user=request.user.username, id=user.pk)
    return file_response(personal_data(user, timezone.now()), name, media_type)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: MemberRequest, pk: int) -> HttpResponse:
    """Shows what goes and what stays. A POST asks a worker to erase."""
    user = _person(request, pk)
    if user.erased_at or user.erasure_requested_at:
        return render(request, "judgments/people/erase.html", {"person": user})
    form = ErasureForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        try:
            is_new = request_erasure(
                user=user, blank_comments=form.blank_comments, by=request.user, at=timezone.now()
            )
        except JudgmentsError as error:
            form.add_error(None, str(error))
        else:
            if is_new:
                log_event("personal-data-erased", request, bad=False, user=request.user.username, id=user.pk)
            return redirect("person-erase", pk)
    context = {"person": user, "form": form, "preview": preview(user)}
    status = 422 if request.method == "POST" else 200
    return render(request, "judgments/people/erase.html", context, status=status)


def _person(request: MemberRequest, pk: int) -> User:
    """The account, for site administrators only."""
    if not request.user.is_superuser:
        raise Http404
    return get_object_or_404(User, pk=pk)
