"""Keys of one query set, sent to the addresses of another: they are worth as much as keys of nothing."""

import pytest
from django.urls import reverse

from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sort", ["", "id", "text", "weight"])
@pytest.mark.parametrize("place", ["after", "before"])
def test_the_place_of_a_foreign_query_in_the_order_is_not_told(place, sort, client):
    own, foreign = make.make_query_set(), make.make_query_set()
    make.make_query(own, "a", text="aaa", weight=1)
    secret = make.make_query(foreign, "m", text="mmm", weight=2)
    make.make_query(own, "z", text="zzz", weight=3)
    client.force_login(make.make_member(own, "engineer"))
    address = f"{reverse('query-set-queries', args=[own.pk])}?sort={sort}&{place}="

    assert shown(client.get(f"{address}{secret.pk}")) == shown(client.get(f"{address}{2**40}"))


def shown(response):
    return [row.external_id for row in response.context["found"].rows], response.context["found"].count
