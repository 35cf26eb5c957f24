"""Pages name the runs whose results were sent to the raters, also those that were deleted since."""

import pytest
from django.urls import reverse

from evaluation.pools.actions.pools import add_pool
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import make_ranking
from tests.evaluation.two_runs import comparison_address, make_two_runs

pytestmark = pytest.mark.django_db


def test_pairs_and_comparisons_name_the_runs_that_pairs_came_from(client):
    judgment_list = make.make_list(make.make_query_set())
    client.force_login(make.make_member(judgment_list.query_set, Role.ADMIN))
    runs = make_two_runs(judgment_list)
    gone = make.make_run(judgment_list.query_set, name="gone")
    make_ranking(gone, judgment_list.query_set.queries.earliest("pk"), ["only there"])
    add_pool(judgment_list=judgment_list, runs=[gone, runs[0]], depth=7)
    gone.delete()

    pages = [
        " ".join(client.get(address).content.decode().split())
        for address in (
            reverse("list-pairs", args=[judgment_list.pk]),
            comparison_address(judgment_list, *runs),
            comparison_address(judgment_list, *runs, page="comparison-report"),
        )
    ]

    told = "Pairs were added to this list from gone (to rank 7, deleted since), old (to rank 7)."
    assert [told in page for page in pages] == [True] * 3
    assert "The pages of deleted runs are gone" in pages[1]
