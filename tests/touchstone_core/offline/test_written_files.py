"""Files that a command writes together."""

import os

import pytest

from touchstone_core.offline.command_line import InputError, write_files


def test_they_are_written_whole(tmp_path):
    (tmp_path / "a").write_text("old")

    write_files([(tmp_path / "a", "one"), (tmp_path / "b", "two ü")])

    assert {one.name: one.read_text("utf-8") for one in tmp_path.iterdir()} == {"a": "one", "b": "two ü"}


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("nowhere/b", "nowhere/b cannot be written: No such file or directory."),
        ("a", "a is named for two files. Name another one."),
        (".", " cannot be written: Is a directory."),
    ],
)
def test_or_none_is(tmp_path, other, says):
    (tmp_path / "a").write_text("old")

    with pytest.raises(InputError) as caught:
        write_files([(tmp_path / "a", "one"), (tmp_path / other, "two")])

    assert str(caught.value).endswith(says)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("a", "old")]


def test_a_device_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_files([(pipe, "one")])

    assert os.read(reader, 1000) == b"one"
    os.close(reader)
    assert pipe.is_fifo()
