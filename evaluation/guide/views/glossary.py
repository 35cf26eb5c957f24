"""The glossary. It holds no data of the site, so it needs no account."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from touchstone_core.glossary import CHAPTERS


@login_not_required
@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    """Every word, by chapter."""
    return render(request, "evaluation/guide/glossary.html", {"chapters": CHAPTERS})
