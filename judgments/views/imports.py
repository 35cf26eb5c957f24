"""Uploading a file to import."""

from django.http import HttpRequest, HttpResponse


def bare(request: HttpRequest, pk: object = None) -> HttpResponse:
    return HttpResponse("")


queries = documents = judgments = bare
