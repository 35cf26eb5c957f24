"""A rater in a process of its own, for the tests of concurrency."""

import os
import time
from multiprocessing.connection import Connection
from typing import Any
from uuid import uuid4

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from judgments.judging.actions import judging, queue  # noqa: E402
from judgments.models import JudgmentList, Slot, SlotState, User  # noqa: E402


def judge(task: dict[str, Any], judged: Connection) -> None:
    """Judges until nothing is left, sending every answer twice, and tells each pair that was saved at once, so that who
    kills this process knows what must not be lost.

    The task: the folder of the database's socket, its name, the list, the user, and how many pairs to take at a time;
    `lean` makes raters differ, `pause` makes them slow. With `patience` they look so often for what others may leave to them.
    """
    settings.DATABASES["default"] |= {"HOST": task["host"], "NAME": task["name"]}
    connection.settings_dict |= {"HOST": task["host"], "NAME": task["name"]}
    judgment_list = JudgmentList.objects.get(pk=task["list"])
    user = User.objects.get(pk=task["user"])
    quiet = 0
    while quiet < task.get("patience", 3):
        held = queue.claim(user=user, judgment_list=judgment_list, at=timezone.now(), count=task["count"])
        if not held:  # what others hold at this moment may be released
            if not Slot.objects.filter(judgment_list=judgment_list, state=SlotState.OPEN).exists():
                break
            quiet += 1
            time.sleep(0.05)
            continue
        quiet = 0
        request_id = uuid4()
        for _ in range(2):
            judging.record_judgment(
                user=user,
                judgment_list=judgment_list,
                pair_id=held[0].pair_id,
                request_id=request_id,
                value=float((held[0].pair_id * task.get("lean", 1)) % 4),
                at=timezone.now(),
            )
        judged.send(held[0].pair_id)
        time.sleep(task.get("pause", 0))
