"""Work on the next items beside what is done with the last one."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Final, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS: Final = 2


def ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """As `map`, in order, by threads: for functions that let other threads go on, as packing, hashing and polars do.

    Only the items in work and the next one are in memory. They are taken in the caller's thread. A single one is worked on there,
    too: threads for each of many small files miss the bar of processor time in benchmarks/README.md.
    """
    waiting: deque[Future[Result]] = deque()
    rest = iter(items)
    first = list(islice(rest, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    popped = (first.pop(0) for _ in range(2))  # a list that is kept would keep its items in memory
    with ThreadPoolExecutor(WORKERS) as pool:
        for item in chain(popped, rest):
            waiting.append(pool.submit(function, item))
            if len(waiting) > WORKERS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
