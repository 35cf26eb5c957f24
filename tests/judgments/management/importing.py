"""The commands that import, called in this process."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError


def run(command, *arguments):
    """Standard output and standard error."""
    out, err = StringIO(), StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=err, no_color=True)
    return out.getvalue(), err.getvalue()


def refused(command, *arguments):
    """Message, exit status and standard error."""
    err = StringIO()
    with pytest.raises(CommandError) as caught:
        call_command(command, *map(str, arguments), stdout=StringIO(), stderr=err, no_color=True)
    return str(caught.value), caught.value.returncode, err.getvalue()


def write(tmp_path, text, name="file.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
