"""What to fix first in a run."""

import re
from html import unescape
from math import log2

import pytest
from django.urls import reverse

from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking, text_of

pytestmark = pytest.mark.django_db


def test_what_to_fix_first_has_its_main_cause_and_unknown_values_say_so(client, engineer, judgment_list):
    query_set = judgment_list.query_set
    run = make.make_run(query_set)
    pages = {
        "order": ["b", "a"],
        "depth": ["z", "y", "x", "a", "b"],
        "recall": ["b", "z"],
        "unknown": ["u", "v"],
        "nothing": [],
    }
    for place, (name, page) in enumerate(pages.items()):
        query = make.make_query(query_set, name, weight=place + 1)
        make_grades(judgment_list, query, {f"{name}-{one}": {"a": 3, "b": 2}.get(one, 0) for one in "abxyz"})
        make_ranking(run, query, [f"{name}-{one}" for one in page])

    response = client.get(reverse("run", args=[judgment_list.pk, run.pk]) + "?k=2")

    causes = {one["query"].external_id: (one["cause"], one["value"]) for one in response.context["fixes"]}
    assert list(causes)[:2] == ["nothing", "unknown"]  # lose most, and are most frequent
    # Linear gain at cutoff 2: a discount of 1 / log2(3) at rank 2. Weights are 1 to 5, the ideal of max is 3 (1 + d).
    d, total = 1 / log2(3), 15 * 3 * (1 + 1 / log2(3))
    gains = {one["cause"]: (one["queries"], one["gain"].number) for one in response.context["causes"]}
    assert list(gains) == [
        "no results",
        "unknown: no result on its page is judged",
        "relevant documents are retrieved below rank 2",
        "relevant documents are never retrieved",
        "relevant documents are in a worse order than they could be",
    ]
    assert [number for number, _ in gains.values()] == [1] * 5
    assert [gain for _, gain in gains.values()] == pytest.approx(
        [
            5 * (3 + 2 * d) / total,
            4 * (3 + 2 * d) / total,
            2 * (3 + 2 * d) / total,
            3 * (1 + 2 * d) / total,
            (3 + 2 * d - 2 - 3 * d) / total,
        ]
    )
    assert causes["nothing"] == ("no results", "0.0000")
    assert causes["unknown"] == ("unknown: no result on its page is judged", "unknown")
    assert causes["recall"][0] == "relevant documents are never retrieved"
    assert causes["depth"][0] == "relevant documents are retrieved below rank 2"
    assert causes["order"][0] == "relevant documents are in a worse order than they could be"
    assert "unknown: no result on its page is judged" in text_of(response)


def test_what_is_below_the_recall_depth_is_said_to_be_missing_within_it(client, engineer, judgment_list):
    run = make.make_run(judgment_list.query_set)
    query = make.make_query(judgment_list.query_set, "q")
    make_grades(judgment_list, query, {"a": 3, "z": 0})
    make_ranking(run, query, ["z", "y", "x", "a"])

    response = client.get(reverse("run", args=[judgment_list.pk, run.pk]) + "?k=2&depth=3")

    (cause,) = response.context["causes"]
    assert cause["cause"] == "relevant documents are never retrieved within the first 3 ranks"
    assert response.context["fixes"][0]["cause"] == cause["cause"]


def test_the_count_of_each_cause_leads_to_its_queries(client, engineer, judgment_list):
    """A query counts for each step that takes something from it: “both” loses by order and by depth."""
    run = make.make_run(judgment_list.query_set)
    pages = {
        "order": ["b", "a"],
        "both": ["c", "b", "a"],
        "recall": ["a", "b"],
        "unknown": ["u", "v"],
        "nothing": [],
        "fine": ["a", "b", "c"],
    }
    for name, page in pages.items():
        query = make.make_query(judgment_list.query_set, name)
        make_grades(judgment_list, query, {f"{name}-{one}": {"a": 3, "b": 2}.get(one, 1) for one in "abc"})
        make_ranking(run, query, [f"{name}-{one}" for one in page])

    response = client.get(reverse("run", args=[judgment_list.pk, run.pk]) + "?k=2")

    links = [
        unescape(link)
        for link in re.findall(r'<a href="([^"]+show=losing-[^"]+)"', response.content.decode())
    ]
    found = {}
    for one, link in zip(response.context["causes"], links, strict=True):
        table = client.get(reverse("run", args=[judgment_list.pk, run.pk]) + link).content.decode()
        found[one["cause"]] = re.findall(r'<code class="id">(\w+)</code>', table.split('id="queries"')[1])
        assert len(found[one["cause"]]) == one["queries"]
    assert {cause: sorted(names) for cause, names in found.items()} == {
        "no results": ["nothing"],
        "unknown: no result on its page is judged": ["unknown"],
        "relevant documents are retrieved below rank 2": ["both"],
        "relevant documents are in a worse order than they could be": ["both", "order"],
    }
