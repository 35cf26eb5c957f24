"""Query sets and their members."""

from django.http import HttpRequest, HttpResponse


def bare(request: HttpRequest, pk: object = None) -> HttpResponse:
    return HttpResponse("")


query_sets = new = overview = edit = members = bare
