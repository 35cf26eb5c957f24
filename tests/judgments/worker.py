"""A worker in a process of its own, on the database of the tests: `python -m tests.judgments.worker`.

Reads the folder of the database's socket and its name as JSON from the first argument. With `direct`, it has a second
way to the database, whose connections have this name.
"""

import json
import os
import sys


def main(database: dict[str, str]) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    from django.conf import settings

    direct = database.pop("direct", None)
    settings.DATABASES["default"] |= database
    if direct:
        settings.DATABASES["direct"] = settings.DATABASES["default"] | {
            "OPTIONS": {"application_name": direct}
        }
    import django

    django.setup()
    from django.core.management import call_command

    call_command("work", "--parent", str(os.getppid()))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
