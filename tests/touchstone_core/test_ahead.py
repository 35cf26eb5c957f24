"""Work on the next items beside what is done with the last one."""

import threading
import weakref

import pytest

from touchstone_core.ahead import WORKERS, ahead


def test_results_come_in_the_order_of_the_items_whichever_is_done_first():
    later = threading.Event()

    def double(number):
        if number == 0:
            assert later.wait(10)  # until the next one is done
        else:
            later.set()
        return 2 * number

    assert list(ahead(double, range(20))) == [2 * number for number in range(20)]


def test_only_the_items_in_work_and_the_next_one_are_taken():
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    results = ahead(str, items())

    assert next(results) == "0"
    assert len(taken) == WORKERS + 1
    assert next(results) == "1"
    assert len(taken) == WORKERS + 2


def test_an_error_reaches_the_caller_at_its_place():
    def refuse_three(number):
        if number == 3:
            raise ValueError("three")
        return number

    results = ahead(refuse_three, range(10))

    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)


def test_nothing_gives_nothing():
    assert list(ahead(str, [])) == []


def test_a_single_item_needs_no_thread_of_its_own():
    assert list(ahead(lambda _: threading.current_thread(), ["item"])) == [threading.current_thread()]


def test_items_can_go_as_soon_as_they_are_done():
    class Item: ...

    seen = []

    def items():
        for _ in range(20):
            seen.append(weakref.ref(item := Item()))
            yield item
            del item

    results = ahead(type, items())
    for _ in range(10):
        next(results)

    assert not any(reference() for reference in seen[:8])
