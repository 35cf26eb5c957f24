"""Calls a function in a process of its own that may use only so much memory and processor time.

Uploaded files are read this way. If a hostile file exhausts its reader, only that process ends, and the web process stays
as small and as quick as it was. The process is started anew, not forked: a fork of a process with threads may hang.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from threading import BoundedSemaphore, Thread
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from judgments.base.errors import CrowdedError
from touchstone_core.formats.kinds import size_in_words
from touchstone_core.formats.packing import HEAD, is_packed, most_unpacked
from touchstone_core.formats.problems import FormatError

Value = TypeVar("Value")

SMALL: Final = 1 << 20
"""A file of no more bytes, unpacked, is read where it is: the start of a process takes longer."""
TINY: Final = 1 << 17
"""One of no more bytes needs no place either: it takes a quarter of a second, one of a megabyte two seconds."""
USUAL_PACKING: Final = 20
"""How many times larger packed files are when they're unpacked."""
FREE_MEMORY: Final = 350 << 20
MEMORY_PER_BYTE: Final = {
    False: 16,
    True: 130,
}  # plain, packed: a large run takes 12, and is packed to a tenth at best
FREE_SECONDS: Final = 8
SECONDS_PER_MEGABYTE: Final = {False: 3, True: 30}
"""Plain, packed: of processor time. A million judgments, packed to 2.7 MB, take 30 seconds on a slow and busy machine."""
LONGEST: Final = 3600  # seconds altogether, most of which such a process would wait for others
READERS: Final = 2
"""So many files are read at once for a web process."""
OUT_OF_BOUNDS: Final = 3
"""The exit status of a process that failed in a way that a limit causes. Others, such as a failed start, are faults of ours."""
KILL_SIGNALS: Final = frozenset({-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS})
"""How libraries end that get no memory, and how the system ends a process that takes too much."""


class Places:
    """How many files a process reads at once. Who finds no place in time gets CrowdedError, and so does who would be the
    second to wait: of the four threads that make pages, one is left for others, however many files there are to read. See ADR 77."""

    def __init__(self, most: int, seconds: float) -> None:
        self._seconds = seconds
        self._places, self._with_one_who_waits = BoundedSemaphore(most), BoundedSemaphore(most + 1)

    @contextmanager
    def take(self) -> Iterator[None]:
        if not self._with_one_who_waits.acquire(blocking=False):
            raise CrowdedError
        try:
            if not self._places.acquire(timeout=self._seconds):
                raise CrowdedError
            try:
                yield
            finally:
                self._places.release()
        finally:
            self._with_one_who_waits.release()


_places: Places | None = None


def bound_readers() -> None:
    """Bounds how many files this process reads at once. Web processes do so; a worker's jobs are bounded already."""
    global _places
    _places = Places(READERS, seconds=3.0)


class TooCostlyError(FormatError):
    """A file that takes more to be read than a file of its size may take."""

    def __init__(self, file: "SourceFile", limit: str) -> None:
        super().__init__(
            f"{file.name} could not be read: that took more than {limit}, far more than files of its size "
            f"({size_in_words(file.size)}) take. Check its content, or upload it in parts."
        )


class SourceFile(NamedTuple):
    """The file that a call reads; `most_memory` bounds what it may take, however large it is."""

    name: str
    size: int
    packed: bool
    most_memory: int


def call_in_limited_process(function: Callable[..., Value], file: SourceFile, /, **arguments: Any) -> Value:
    """What `function` returns or raises with these arguments, all of which can be pickled. Raises TooCostlyError, and
    CrowdedError where this process reads too many files already."""
    with _places.take() if _places else nullcontext():
        return _call(function, file, arguments)


def place_for(size: int) -> AbstractContextManager[None]:
    """A place for files of so many bytes together, which are read where they are. Raises CrowdedError."""
    return _places.take() if _places and size > TINY else nullcontext()


def _call(function: Callable[..., Value], file: SourceFile, arguments: Mapping[str, Any]) -> Value:
    memory = FREE_MEMORY + MEMORY_PER_BYTE[file.packed] * file.size
    memory = min(memory, max(FREE_MEMORY, file.most_memory))
    seconds = FREE_SECONDS + SECONDS_PER_MEGABYTE[file.packed] * (file.size >> 20)
    task = (_surroundings(), memory, seconds, function.__module__, function.__qualname__, arguments)
    try:
        process = subprocess.run(
            [sys.executable, "-m", "judgments.files.limited_process"],
            input=b"".join(map(pickle.dumps, task)),
            stdout=subprocess.PIPE,
            timeout=LONGEST,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except subprocess.TimeoutExpired:
        raise TooCostlyError(file, f"{LONGEST // 60} minutes") from None
    if process.returncode == -signal.SIGXCPU:
        raise TooCostlyError(file, f"{seconds} seconds")
    if process.returncode == OUT_OF_BOUNDS or process.returncode in KILL_SIGNALS:
        raise TooCostlyError(file, f"{size_in_words(memory)} of memory")
    if process.returncode:
        raise RuntimeError(f"The process that reads {file.name} failed with status {process.returncode}.")
    value, error = pickle.loads(process.stdout)  # noqa: S301 - of our own process
    if error is not None:
        kind, error_arguments, state = error
        exception: Exception = kind.__new__(kind, *error_arguments)
        vars(exception).update(state)
        raise exception
    result: Value = value
    return result


def call_with_limits(
    function: Callable[..., Value],
    file: BinaryIO,
    /,
    *,
    file_name: str,
    file_size: int,
    most_memory: int,
    arguments: Mapping[str, Any],
) -> Value:
    """As `call_in_limited_process`, unless the file is so small that it can be read here."""
    if is_small(file, file_size):
        with place_for(file_size):
            return function(**arguments)
    return call_in_limited_process(
        function, SourceFile(file_name, file_size, _is_packed(file), most_memory), **arguments
    )


def is_small(file: BinaryIO, size: int) -> bool:
    """Whether it needs no process of its own. Only its beginning is looked at."""
    return (most_unpacked(size) if _is_packed(file) else size) <= SMALL


def usual_size(file: BinaryIO, size: int) -> int:
    """About how many bytes it has, unpacked. Only its beginning is looked at."""
    return size * USUAL_PACKING if _is_packed(file) else size


def _is_packed(file: BinaryIO) -> bool:
    file.seek(0)
    answer = is_packed(file.read(HEAD))
    file.seek(0)
    return answer


def _surroundings() -> dict[str, Any]:
    """Settings that may differ from what the environment says: tests have a database of their own."""
    from django.conf import settings
    from django.db import connections

    from judgments.log.actions import acting_token, who_acts

    return {
        "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"],  # overridden settings have no module
        "DATABASES": {alias: connections[alias].settings_dict for alias in connections},
        "STORAGES": settings.STORAGES,
        "SECRET_KEY": settings.SECRET_KEY,
        "actor": who_acts() and who_acts().pk,  # type: ignore[union-attr]
        "token": acting_token(),
    }


def main() -> None:
    """In the process that was started: reads the task, sets the limits, and writes what came of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the process that asks
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not get between
    read = partial(pickle.load, sys.stdin.buffer)
    surroundings: dict[str, Any] = read()
    os.environ["DJANGO_SETTINGS_MODULE"] = surroundings["DJANGO_SETTINGS_MODULE"]
    import django
    from django.conf import settings

    for name in ("DATABASES", "STORAGES", "SECRET_KEY"):
        setattr(settings, name, surroundings[name])
    django.setup()
    memory, seconds, module, function_name = read(), read(), read(), read()
    __import__(module)
    function = getattr(sys.modules[module], function_name)
    from judgments.log.actions import acting
    from judgments.models import User

    actor = User.objects.filter(pk=surroundings["actor"]).first() if surroundings["actor"] else None
    _limit(memory, seconds)
    try:
        with acting(actor, surroundings["token"]):
            outcome = _outcome(partial(function, **read()))
        pickle.dump(outcome, answers)
        answers.close()
    except BaseException:  # a MemoryError, or what libraries make of one
        traceback.print_exc()
        os._exit(OUT_OF_BOUNDS)


def _end_with(parent: int) -> None:
    """Where the process that asks is killed, this one has nobody to answer, and an import would go on that nobody can stop."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(OUT_OF_BOUNDS)


def _outcome(call: Callable[[], Any]) -> tuple[Any, Any]:
    """What the call returns, and None; or None, and what the exception is made of."""
    try:
        return call(), None
    except MemoryError:
        raise
    except Exception as error:
        return None, (type(error), error.args, vars(error))


def _limit(memory: int, seconds: int) -> None:
    """Beyond what the process has at its start. Data, not address space, of which threads and polars reserve much."""
    now = resource.getrusage(resource.RUSAGE_SELF)
    until = int(now.ru_utime + now.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_DATA, (_data() + memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (until, until + 1))  # the second ends it without saying why
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _data() -> int:
    """Bytes that this process has allocated; 0 where the system does not say."""
    try:
        with open("/proc/self/status") as lines:
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData"))
    except OSError:
        return 0


if __name__ == "__main__":
    main()
