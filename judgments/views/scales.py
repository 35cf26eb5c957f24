"""Scales."""

from django.http import HttpRequest, HttpResponse


def bare(request: HttpRequest, pk: object = None) -> HttpResponse:
    return HttpResponse("")


scales = new = scale = edit = bare
