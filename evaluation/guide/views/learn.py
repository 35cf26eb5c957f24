"""“NDCG in 90 seconds”, its puzzles, and the glossary. They hold no data of the site, so they need no account."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evaluation.guide.forms import PuzzleForm, SceneForm
from evaluation.guide.reports.learn import START, learn_page
from evaluation.guide.reports.puzzles import puzzles
from touchstone_core.glossary import find_terms

TEMPLATE = "evaluation/guide/learn.html"


@login_not_required
@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """The five documents as the address has them, or only that part when htmx replaces it."""
    form = SceneForm(request.GET)
    valid = form.is_valid()
    scene = form.scene if valid else START
    fields = form if valid else SceneForm(QueryDict())
    context = learn_page(scene) | {"form": fields, "errors": form.errors, "puzzles": puzzles()}
    for name in ("retrieved", "missed"):
        context[name] = [(place, fields[f"grade-{place.document}"]) for place in context[name]]
    part = "#playground" if request.headers.get("HX-Request") == "true" else ""
    response = render(request, TEMPLATE + part, context, status=200 if valid else 422)
    patch_vary_headers(response, ["HX-Request"])
    return response


@login_not_required
@require_safe
def puzzle(request: HttpRequest) -> HttpResponse:
    """One puzzle, and with an answer whether it's right and why. 404 for a puzzle that doesn't exist."""
    form = PuzzleForm(request.GET)
    every = puzzles()
    if not form.is_valid():
        raise Http404
    number = form.cleaned_data["puzzle"] or 1
    if number > len(every):
        raise Http404
    shown, answer = every[number - 1], form.cleaned_data["answer"]
    context = {
        "puzzle": shown,
        "number": number,
        "puzzles": every,
        "answer": answer if answer in dict(shown.choices) else "",
        "is_right": answer == shown.right,
        "next": urlencode({"puzzle": number + 1}) if number < len(every) else "",
    }
    return render(request, "evaluation/guide/puzzle.html", context)


@login_not_required
@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Every word, by chapter, or those that have the text `q`."""
    text = request.GET.get("q", "").strip()
    return render(request, "evaluation/guide/glossary.html", {"chapters": find_terms(text), "text": text})
