"""The preview of an upload."""

from django.http import HttpRequest, HttpResponse


def bare(request: HttpRequest, pk: object = None) -> HttpResponse:
    return HttpResponse("")


upload = bare
