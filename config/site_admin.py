"""Site administration whose views declare their methods, as ours do."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

forms_only = require_http_methods(["GET", "HEAD", "POST"])


def _without_nul(view: Callable[..., Any]) -> Callable[..., Any]:
    """Answers 400 to a NUL, which some filters and actions of Django would hand to PostgreSQL."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        sent = (text for data in (request.GET, request.POST) for _, texts in data.lists() for text in texts)
        if any("\0" in text for text in sent):
            raise BadRequest("A NUL")
        return view(request, *args, **kwargs)

    return checked


class SiteAdministration(AdminSite):
    """Django's own takes PUT and DELETE as GET.

    Tables of allauth have no pages: these would show secrets, and write past our actions. Nor have those of procrastinate,
    which show code where our page of jobs has words, and run a job twice or cancel it without a line in the log.
    """

    def register(self, model_or_iterable: Any, *arguments: Any, **options: Any) -> None:
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable
        ours = [model for model in models if not model.__module__.startswith(("allauth.", "procrastinate."))]
        super().register(ours, *arguments, **options)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        return forms_only(_without_nul(super().admin_view(view, cacheable)))

    @login_not_required
    @method_decorator(forms_only)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return super().login(request, extra_context)

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Ours, which empties the browser's cache."""
        from judgments.people.views.accounts import SignOut  # once all models are there

        return SignOut.as_view()(request)
