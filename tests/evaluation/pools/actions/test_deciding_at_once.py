"""Two admins ask for what decides at the same moment."""

from threading import Thread

import numpy as np
import pytest
from django.db import connection, transaction

from evaluation.pools.actions.deciding import add_deciding
from judgments.models import SELECTION, Act, Pair
from tests.evaluation.pools.deciding import make_deciding
from tests.judgments.working import somebody_waits, until
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_second_one_gets_the_next_batch():
    judgment_list, runs = make_deciding()
    counts = []

    def add():
        random = np.random.default_rng(1)
        found = add_deciding(
            judgment_list=judgment_list, runs=runs, formula=Formula(cutoff=4), judgments=25, random=random
        )
        counts.append(found)

    def alone():
        try:
            add()
        finally:
            connection.close()

    second = Thread(target=alone)
    with transaction.atomic():
        add()
        second.start()
        until(somebody_waits, seconds=20)
    second.join()

    assert counts == [25, 25]
    assert Pair.objects.filter(judgment_list=judgment_list).count() == 50
    assert Act.objects.filter(judgment_list=judgment_list, after__has_key=SELECTION).count() == 4
