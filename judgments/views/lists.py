"""Judgment lists."""

from django.http import HttpRequest, HttpResponse


def bare(request: HttpRequest, pk: object = None) -> HttpResponse:
    return HttpResponse("")


lists = new = overview = edit = pause = bare
