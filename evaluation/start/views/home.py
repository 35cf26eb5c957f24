"""The first page, by role, and going to a query set, list, run or query by a few letters: a page, and the part of it that every page's dialog shows."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.start.reports.go_to import places, read_here
from evaluation.start.reports.home import home_of
from judgments.pages.http import MemberRequest


@require_safe
def home(request: MemberRequest) -> HttpResponse:
    return render(request, "evaluation/start/home.html", {"home": home_of(request.user)})


@require_safe
def go_to(request: MemberRequest) -> HttpResponse:
    text = request.GET.get("q", "")
    where = {"list": request.GET.get("list", ""), "query_set": request.GET.get("query_set", "")}
    here = read_here(request.user, list_key=where["list"], query_set_key=where["query_set"])
    template = "evaluation/start/go_to.html#places" if request.htmx else "evaluation/start/go_to.html"
    return render(
        request, template, {"text": text, "where": where, "kinds": places(request.user, text, here)}
    )
