"""Many who try one password at the same moment, in as many connections."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from judgments.models import PasswordTries
from judgments.people.actions.password_tries import PERSON, Source, TooManyTriesError, count_try, forgive_try
from tests import factories as make
from tests.meanwhile import Before


def was_let_through(number: int) -> bool:
    """Every second one tries another account, so that they share the address and not the person."""
    try:
        count_try(source=Source(f"name {number % 2}", "192.0.2.1"), at=make.NOW)
    except TooManyTriesError:
        return False
    finally:
        connection.close()
    return True


@pytest.mark.django_db(transaction=True)
def test_no_more_get_through_than_one_after_the_other():
    with ThreadPoolExecutor(8) as pool:
        through = list(pool.map(was_let_through, range(40)))

    assert sum(through) == 2 * PERSON.free
    assert max(PasswordTries.objects.values_list("count", flat=True)) == 2 * PERSON.free


@pytest.mark.django_db
def test_a_colleague_who_came_a_moment_earlier_and_waited_for_the_row_is_let_through():
    count_try(source=Source("kim", "192.0.2.1"), at=make.NOW)

    count_try(source=Source("lee", "192.0.2.1"), at=make.NOW - timedelta(seconds=2))

    assert set(PasswordTries.objects.values_list("last_at", flat=True)) == {
        make.NOW,
        make.NOW - timedelta(seconds=2),
    }
    assert PasswordTries.objects.get(count=2).last_at == make.NOW


@pytest.mark.django_db
def test_the_right_password_takes_back_no_wrong_one_of_another_account():
    own, other = Source("kim", "192.0.2.1"), Source("lee", "192.0.2.1")
    for _ in range(PERSON.free):
        count_try(source=other, at=make.NOW)
    count_try(source=own, at=make.NOW)

    forgive_try(source=own)

    with pytest.raises(TooManyTriesError):
        count_try(source=other, at=make.NOW)
    # Two rows of kim at zero; the address and lee's two keep their five.
    counts = sorted(PasswordTries.objects.values_list("count", flat=True))
    assert counts == [0, 0, PERSON.free, PERSON.free, PERSON.free]


@pytest.mark.django_db
def test_a_row_that_is_pruned_just_before_it_is_locked_is_made_again():
    pruned = Before(PasswordTries.objects.all().delete, "FOR UPDATE")

    with connection.execute_wrapper(pruned):
        count_try(source=Source("kim", "192.0.2.1"), at=make.NOW)

    assert pruned.deed is None
    assert list(PasswordTries.objects.values_list("count", flat=True)) == [1, 1, 1]
