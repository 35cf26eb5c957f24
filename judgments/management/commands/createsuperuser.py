"""Django's `createsuperuser`, with a line in the log."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.db import transaction

from judgments.base.commands import ActionCommand
from judgments.models import User
from judgments.people.actions.site_administration import record_new_account


class Command(ActionCommand, createsuperuser.Command):
    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        earlier = set(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        super().handle(*args, **options)
        for user in User.objects.filter(is_superuser=True).exclude(pk__in=earlier):
            record_new_account(user=user)
