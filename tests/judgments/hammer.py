"""A rater in a process of its own, for the tests of concurrency: `python -m tests.judgments.hammer`.

Reads its task as JSON from the first argument: the folder of the database's socket, its name, the list, the user,
and how many judgments at most; `lean` makes raters differ. Judges until nothing is left, sending every answer twice, and prints each pair that
was saved at once, so that who kills this process knows what must not be lost.
"""

import json
import os
import sys
import time
from typing import Any
from uuid import uuid4


def main(task: dict[str, Any]) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    from django.conf import settings

    settings.DATABASES["default"] |= {"HOST": task["host"], "NAME": task["name"]}
    import django

    django.setup()
    from django.utils import timezone

    from judgments.actions import judging, queue
    from judgments.models import JudgmentList, User

    judgment_list = JudgmentList.objects.get(pk=task["list"])
    user = User.objects.get(pk=task["user"])
    quiet = 0
    while quiet < 3:
        held = queue.claim(user=user, judgment_list=judgment_list, at=timezone.now(), count=task["count"])
        if not held:  # what others hold at this moment may be released
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
        print(held[0].pair_id, flush=True)  # noqa: T201
        time.sleep(task.get("pause", 0))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
