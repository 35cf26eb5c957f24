"""Pages that are shorter than the cutoff: what the pages of a run and of a comparison say of them."""

import pytest
from django.urls import reverse

from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from tests.evaluation.two_runs import comparison_address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("engineer")]
WORDS = (
    "3 of 4 pages show fewer than 2 documents, 1 of them none. On the 2 others, mean NDCG-local is 1.0000 and mean "
    "NDCG-global 0.6667"
)


@pytest.fixture
def runs(judgment_list):
    """Both show a full page, the best document alone, a poor one (grade 1 of 3) alone, nothing, and do not answer one query."""
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("old", "new")]
    for name, page in {"full": ["a", "b"], "good": ["a"], "poor": ["b"], "none": [], "missing": None}.items():
        query = make.make_query(judgment_list.query_set, name)
        make_grades(judgment_list, query, {f"{name}-a": 3, f"{name}-b": 1})
        for run in runs:
            if page is not None:
                make_ranking(run, query, [f"{name}-{document}" for document in page])
    return runs


def test_the_page_of_a_run_says_what_local_makes_of_them(client, judgment_list, runs):
    address = reverse("run", args=[judgment_list.pk, runs[0].pk])
    ideal = 3 + 1 / 1.584962500721156
    expected = (3 / ideal + 1 / ideal) / 2

    page = client.get(f"{address}?k=2").content.decode()
    found = client.get(f"{address}?k=2&format=json").json()["short_pages"]

    assert WORDS.replace("0.6667", f"{expected:.4f}") in page
    assert found.pop("global") == pytest.approx(expected)
    assert found == {"cutoff": 2, "answered": 4, "short": 3, "empty": 1, "local": 1.0}


def test_so_does_the_comparison_of_each_run(client, judgment_list, runs):
    page = client.get(comparison_address(judgment_list, *runs, k=2)).content.decode()

    for run in runs:
        assert f"<b>{run}</b>: 3 of 4 pages show fewer than 2 documents" in page
