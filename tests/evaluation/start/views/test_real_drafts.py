"""New evaluation with real files, which are so large that a process of its own reads them."""

import pytest

from evaluation.models import Run
from judgments.lists.actions.scales import write_presets
from judgments.models import Document, Judgment, JudgmentList, Query
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import address_of, drop, press, signed_in
from tests.judgments.working import forget_jobs, work
from tests.shared_data import shared_data

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sampled]

NAMES = ("queries.csv", "products.csv", "qrels.txt")


def test_real_files_become_an_evaluation_with_every_count_of_theirs(client):
    forget_jobs()
    write_presets()
    folder, runs = shared_data("esci_small"), shared_data("esci_runs")
    files = {name: (folder / name).read_bytes() for name in NAMES}
    files |= {
        f"{name}.trec": (runs / f"{name}.trec").read_bytes() for name in ("bm25_full_stem", "lsa300_full")
    }
    draft = drop(signed_in(client), files)

    client.get(address_of(draft))
    work()
    page = text_of(client.get(address_of(draft)))
    response = press(client, draft)
    work()

    assert "A run: 147 queries, 14,165 results" in page
    assert response.status_code == 302
    assert Query.objects.count() == 30
    judgments = (folder / "qrels.txt").read_text().splitlines()
    assert Judgment.objects.count() == len(judgments)
    assert Document.objects.count() == len({line.split()[2] for line in judgments})
    assert JudgmentList.objects.get().scale.name == "TREC 0–3"
    assert set(Run.objects.values_list("name", "query_count")) == {
        ("bm25_full_stem", 30),
        ("lsa300_full", 30),
    }
