"""Which judgments count: the views of the database say so, and nothing else does."""

from itertools import product
from pathlib import Path

import pytest
from django.db import connection

from judgments.models import CountingJudgment, Exclusion, Gold, Judgment
from tests import factories as make

SOURCES = [path for app in ("judgments", "evaluation") for path in sorted(Path(app).rglob("*.py"))]


@pytest.mark.django_db
def test_what_was_practice_or_came_from_an_excluded_rater_does_not_count():
    query_set = make.make_query_set()
    lists = [make.make_list(query_set, name=name) for name in ("first", "second")]
    counting, practice = set(), set()
    for mark, exclusion in product(("", *Gold.values), ("none", "standing", "lifted", "of another list")):
        rater = make.make_rater(query_set)
        pair = make.make_pair(lists[0], make.make_query(query_set), make.make_document(query_set))
        judgment = make.make_judgment(pair, rater, value=1, gold=mark)
        if exclusion != "none":
            Exclusion.objects.create(
                query_set=query_set,
                judgment_list=lists[exclusion == "of another list"],
                rater=rater,
                at=make.NOW,
                lifted_at=make.NOW if exclusion == "lifted" else None,
            )
        if mark == "practice":
            practice.add(judgment.pk)
        elif exclusion != "standing":
            counting.add(judgment.pk)

    everything = set(Judgment.objects.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM judgments_realjudgment")
        real = {key for (key,) in cursor.fetchall()}

    assert (len(everything), len(practice), len(counting)) == (12, 4, 6)
    assert set(CountingJudgment.objects.values_list("pk", flat=True)) == counting
    assert real == set(Judgment.objects.real().values_list("pk", flat=True)) == everything - practice


@pytest.mark.parametrize("phrase", ["<> 'practice'", "exclude(gold=", "!= Gold.PRACTICE"])
def test_the_rule_is_written_down_once(phrase):
    places = {str(path) for path in SOURCES if phrase in path.read_text()}

    assert places <= {
        "judgments/migrations/0023_counting_judgments.py",
        "judgments/models/judgment.py",  # JudgmentQuerySet.real
        "judgments/judging/actions/judging.py",  # what a rater is told after an answer in practice
        "judgments/files/sql/judgment_imports.py",  # which rows an import may change
    } | {str(path) for path in SOURCES if path.parts[1] == "migrations"}
