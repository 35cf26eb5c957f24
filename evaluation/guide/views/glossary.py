"""The glossary. It holds no data of the site, so it needs no account."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from touchstone_core.glossary import find_terms


@login_not_required
@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Every word, by chapter, or those that have the text `q`."""
    text = request.GET.get("q", "").strip()
    return render(request, "evaluation/guide/glossary.html", {"chapters": find_terms(text), "text": text})
