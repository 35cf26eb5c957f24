"""The first page, by role."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.start.reports.home import home_of
from judgments.pages.http import MemberRequest


@require_safe
def home(request: MemberRequest) -> HttpResponse:
    return render(request, "evaluation/start/home.html", {"home": home_of(request.user)})
