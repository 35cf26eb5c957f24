#!/usr/bin/env python
"""Runs a management command, on the embedded PostgreSQL where no DATABASE_URL is set."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
