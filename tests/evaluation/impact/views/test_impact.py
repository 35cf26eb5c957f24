"""What changed between runs before anybody judges: the page of a query set without any list."""

import csv
import io
import re
from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from evaluation.impact import reports as report
from judgments.models import JudgmentList, ListQuery
from tests import factories as make
from tests.evaluation.scored import make_grades, make_ranking
from tests.html import html_of
from touchstone_core.impact.rbo import persistence

pytestmark = pytest.mark.django_db

# Query: weight, tags, the baseline's page, the candidate's; None where the run does not answer.
QUERIES = {
    "same": (6, ["plain"], ["a", "b"], ["a", "b"]),
    "order": (3, ["plain", "moved"], ["a", "b"], ["b", "a"]),
    "other": (2, ["moved"], ["a", "b"], ["a", "c"]),
    "gone": (1, [], ["a", "b"], None),
}
SECOND = 1 / np.log2(3)  # the discount of rank 2
WEIGHT = 1 + SECOND  # of both ranks
CEILINGS = {"same": 0.0, "order": (1 - SECOND) / WEIGHT, "other": SECOND / WEIGHT, "gone": 1.0}


@pytest.fixture
def engineer(query_set, client):
    user = make.make_member(query_set, "engineer")
    client.force_login(user)
    return user


@pytest.fixture
def runs(query_set):
    """“old” and “new” over four queries, and a fifth query that nobody answers."""
    old, new = make.make_run(query_set, name="old"), make.make_run(query_set, name="new")
    for name, (weight, tags, *pages) in QUERIES.items():
        query = make.make_query(query_set, name, text=f"{name} words", weight=weight, tags=tags)
        for run, page in zip((old, new), pages, strict=True):
            if page is not None:
                make_ranking(run, query, page)
    make.make_query(query_set, "nobody", text="nobody answers this")
    return [old, new]


def opened(client, query_set, runs=(), **others):
    chosen = {"runs": "-".join(str(run.pk) for run in runs)} if runs else {}
    return client.get(reverse("impact", args=[query_set.pk], query=chosen | others))


def cells(html, section):
    """The rows of the first table after a heading, as texts."""
    after = html[html.index(f'id="{section}"') :]
    table = after[: after.index("</table>")]
    rows = re.findall(r"<tr>(.*?)</tr>", table[table.index("<tbody>") :], re.DOTALL)
    return [[_text(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows]


def _text(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html)).strip()


@pytest.mark.usefixtures("engineer")
def test_a_sentence_and_a_row_say_what_changed_without_any_list(client, query_set, runs):
    mean = sum(CEILINGS.values()) / 4

    page = unescape(opened(client, query_set, runs, cutoff=2).content.decode())

    assert not JudgmentList.objects.filter(query_set=query_set).exists()
    assert (
        f"3 of 4 queries changed. Whatever the grades, mean NDCG-max can’t move by more than {mean:.4f}."
        in page
    )
    [row] = cells(page, "changed")
    # Another document at rank 1: “order” and “gone”; other documents: “other” and “gone”.
    assert row[:6] == ["new", "4", "3", "2", "1", "2"]
    assert (row[6], row[8]) == (f"{(1 + 1 + 0.5 + 0) / 4:.4f}", f"{mean:.4f}")
    assert "new answers 3 of 4 queries; the others count as empty pages." in page
    assert "old answers" not in page
    assert "log2 discount; RBO with p = " in page


@pytest.mark.usefixtures("engineer")
def test_the_queries_stand_with_the_greatest_ceiling_first(client, query_set, runs):
    page = opened(client, query_set, runs, cutoff=2).content.decode()

    rows = cells(page, "queries-title")
    assert [row[0] for row in rows] == [
        "gone words gone",
        "other words other moved",
        "order words order plain moved",
        "same words same plain",
    ]
    assert [row[1:4] for row in rows] == [
        ["documents", "changed", "0.0000"],
        ["documents", "same", "0.5000"],
        ["order", "changed", "1.0000"],
        ["same", "same", "1.0000"],
    ]
    assert [row[5] for row in rows] == [
        f"{CEILINGS[name]:.4f}" for name in ("gone", "other", "order", "same")
    ]
    assert "nobody answers this" not in page


@pytest.mark.usefixtures("engineer")
def test_the_parts_are_the_tags_and_the_thirds_of_the_traffic(client, query_set, runs):
    page = opened(client, query_set, runs, cutoff=2)

    found = {
        row.name: (row.queries, row.figures["changed"], row.figures["ceiling"])
        for _, table in page.context["part_tables"]
        for row, _, _ in table.rows
    }
    # Twelve in all: “same” begins in the first four, “order” at six, “other” at nine, “gone” at eleven.
    assert found == {
        "moved": (2, 2, pytest.approx((CEILINGS["order"] + CEILINGS["other"]) / 2)),
        "plain": (2, 1, pytest.approx(CEILINGS["order"] / 2)),
        "head": (1, 0, 0.0),
        "torso": (1, 1, pytest.approx(CEILINGS["order"])),
        "tail": (2, 2, pytest.approx((CEILINGS["other"] + 1) / 2)),
    }
    assert "the most frequent queries, a third of the traffic" in page.content.decode()


@pytest.mark.usefixtures("engineer")
def test_queries_alike_without_tags_have_no_parts(client, query_set):
    runs = [make.make_run(query_set) for _ in range(2)]
    query = make.make_query(query_set)
    for run in runs:
        make_ranking(run, query, ["a"])

    page = opened(client, query_set, runs).content.decode()

    assert "By segment" not in page
    assert (
        "0 of 1 query changed, so both have the same NDCG-max and NDCG-global, whatever the grades." in page
    )


@pytest.mark.usefixtures("engineer")
def test_the_cutoff_is_ten_until_another_one_is_chosen(client, query_set, runs):
    ten, one = opened(client, query_set, runs), opened(client, query_set, runs, cutoff=1)

    assert ten.context["impacts"].cutoff == 10
    assert '<input type="number" name="cutoff" value="10"' in ten.content.decode()
    assert "The first 10 documents of each query" in ten.content.decode()
    # At rank 1 “other” shows what it showed.
    assert [row[1:3] for row in cells(one.content.decode(), "queries-title")] == [
        ["documents", "changed"],
        ["documents", "changed"],
        ["same", "same"],
        ["same", "same"],
    ]


@pytest.mark.usefixtures("engineer")
def test_one_of_several_runs_is_chosen_for_the_queries(client, query_set, runs):
    third = make.make_run(query_set, name="third")
    make_ranking(third, make.make_query(query_set, "more"), ["x"])

    first = opened(client, query_set, [*runs, third], cutoff=2)
    second = opened(client, query_set, [*runs, third], cutoff=2, run=third.pk)
    neither = opened(client, query_set, [*runs, third], cutoff=2, run=runs[0].pk)

    assert first.context["candidate"] == runs[1]
    assert second.context["candidate"] == third
    assert [row.words.split(".")[0] for row in second.context["rows"]] == [
        "3 of 5 queries changed",
        "5 of 5 queries changed",
    ]
    assert neither.status_code == 404


@pytest.mark.usefixtures("engineer")
def test_csv_and_json_hold_every_query_with_every_digit(client, query_set, runs):
    answer = opened(client, query_set, runs, cutoff=2, format="csv")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))
    file = opened(client, query_set, runs, cutoff=2, format="json").json()

    assert answer["Content-Disposition"] == 'attachment; filename="shop_new_impact.csv"'
    assert [row["query id"] for row in rows] == ["gone", "other", "order", "same"]
    assert [float(row["NDCG-max ceiling"]) for row in rows] == pytest.approx(
        [CEILINGS[row["query id"]] for row in rows]
    )
    assert [row["change"] for row in rows] == ["documents", "documents", "order", "same"]
    assert (rows[1]["tags"], rows[1]["weight"], rows[1]["overlap"]) == ("moved", "2.0", "0.5")
    assert {(row["run"], row["baseline"], row["cutoff"], row["discount"]) for row in rows} == {
        ("new", "old", "2", "log2")
    }
    assert file["baseline"] == {"id": runs[0].pk, "name": "old", "answered": 4}
    assert file["run"] == {"id": runs[1].pk, "name": "new", "answered": 3}
    assert (file["rbo_p"], file["compared"]) == (persistence(2), 4)
    assert file["figures"]["changed"] == 3
    assert file["queries"][2] == {
        "id": "order",
        "text": "order words",
        "tags": ["plain", "moved"],
        "weight": 3.0,
        "change": "order",
        "changed_at_rank_1": True,
        "overlap": 1.0,
        "rbo": pytest.approx(float(rows[2]["RBO"])),
        "ndcg_max_ceiling": pytest.approx(CEILINGS["order"]),
        "intended": None,
    }


def test_a_query_leads_to_both_rankings_where_a_list_with_grades_has_it(client, query_set, runs, engineer):
    ungraded, graded = (make.make_list(query_set) for _ in range(2))
    query = query_set.queries.get(external_id="other")
    make.make_pair(ungraded, query, make.make_document(query_set, "b"))
    make_grades(graded, query, {"a": 3, "c": 1})
    ListQuery.objects.filter(judgment_list=graded).update(graded_count=2)

    rows = opened(client, query_set, runs, cutoff=2).context["listed"].rows

    addresses = {shown.row.query.external_id: shown.row.address for shown in rows if shown.row.address}
    pair = f"{runs[0].pk}-{runs[1].pk}"
    assert addresses == {
        "other": reverse("compared-query", args=[graded.pk, query.pk], query={"runs": pair, "k": 2})
    }
    followed = client.get(addresses["other"], follow=True)
    assert followed.status_code == 200
    assert "other words" in followed.content.decode()
    assert followed.request["PATH_INFO"] == reverse("compared-query", args=[graded.pk, query.pk])


@pytest.mark.usefixtures("engineer")
def test_the_runs_are_chosen_in_a_form(client, query_set, runs):
    old, new = runs
    make.make_run(query_set, name="third")
    page = opened(client, query_set)
    sent = client.get(
        reverse(
            "impact", args=[query_set.pk], query={"run": [old.pk, new.pk], "baseline": new.pk, "cutoff": 5}
        )
    )

    assert page.status_code == 200
    assert "Show what changed" in page.content.decode()
    assert sent["Location"].endswith(f"/impact/?runs={new.pk}-{old.pk}&cutoff=5")


@pytest.mark.usefixtures("engineer")
def test_what_changed_between_two_runs_is_shown_at_once(client, query_set, runs):
    old, new = runs

    response = opened(client, query_set, cutoff=5)

    assert response.status_code == 302
    assert response["Location"].endswith(f"/impact/?runs={old.pk}-{new.pk}&cutoff=5")


@pytest.mark.usefixtures("engineer")
def test_an_address_with_too_little_says_what_is_missing(client, query_set, runs):
    other = make.make_run(make.make_query_set())
    old = runs[0]
    problems = {
        f"{old.pk}-{other.pk}": "1 of 2 runs of this link was deleted, or isn’t in this query set. Choose the runs again.",
        f"{old.pk}-{old.pk}": "This link names a run twice. Choose each run once.",
        "x-y": "2 of 2 runs of this link were deleted, or aren’t in this query set. Choose the runs again.",
        "1" * 99: "1 of 1 run of this link was deleted, or isn’t in this query set. Choose the runs again.",
    }

    answers = {
        text: client.get(reverse("impact", args=[query_set.pk], query={"runs": text}))
        for text in ("", "-", f"{old.pk}", *problems)
    }

    assert {text: answer.status_code for text, answer in answers.items()} == {
        text: 200 if text in ("", "-") else 422 for text in answers
    }
    assert "Choose at least one run to compare" in answers[f"{old.pk}"].content.decode()
    assert {text: answers[text].context["problem"] for text in problems} == problems


@pytest.mark.usefixtures("engineer")
@pytest.mark.parametrize("cutoff", ["0", "-1", "abc", "101", "9" * 5000, "1.5"])
def test_a_cutoff_that_is_none_is_told(client, query_set, runs, cutoff):
    page = opened(client, query_set, runs, cutoff=cutoff)
    unchosen = opened(client, query_set, cutoff=cutoff)

    assert (page.status_code, unchosen.status_code) == (422, 200)
    assert "The cutoff is a whole number from 1 to 100." in page.content.decode()


@pytest.mark.usefixtures("engineer")
@pytest.mark.parametrize("odd", [{"page": "999999"}, {"page": "x"}, {"format": "pdf"}])
def test_a_page_or_format_that_is_none_shows_the_page(client, query_set, runs, odd):
    page = opened(client, query_set, runs, cutoff=2, **odd)

    assert page.status_code == 200
    assert len(page.context["listed"].rows) == 4


@pytest.mark.usefixtures("engineer")
def test_a_hundred_queries_stand_on_a_page(client, query_set):
    runs = [make.make_run(query_set) for _ in range(2)]
    for _ in range(101):
        make_ranking(runs[0], make.make_query(query_set), ["a"])

    first, second = (opened(client, query_set, runs, page=number) for number in (1, 2))

    assert [len(page.context["listed"].rows) for page in (first, second)] == [100, 1]
    assert "1–100 of 101" in first.content.decode()


@pytest.mark.usefixtures("engineer")
def test_runs_without_an_answer_and_a_set_without_two_runs_say_so(client, query_set):
    first = make.make_run(query_set)
    alone = opened(client, query_set)
    second = make.make_run(query_set)

    empty = opened(client, query_set, [first, second])

    assert "You need two runs" in alone.content.decode()
    assert empty.status_code == 200
    assert "None of these runs has results for a query of this set." in empty.content.decode()


@pytest.mark.usefixtures("engineer")
def test_too_many_pages_are_refused_before_and_after_the_queries_are_counted(
    client, query_set, runs, monkeypatch
):
    monkeypatch.setattr(report, "MOST_DOCUMENTS", 15)

    after = opened(client, query_set, runs, cutoff=2)
    enough = opened(client, query_set, runs, cutoff=1)
    make.make_run(query_set, name="large", query_count=60_000)
    before = opened(client, query_set, [runs[0], query_set.runs.get(name="large")], cutoff=1)

    assert (after.status_code, enough.status_code, before.status_code) == (422, 200, 422)
    assert "4 queries × 2 runs are 8 pages with up to 16 documents. At most" in after.content.decode()
    told = "60,000 queries × 2 runs are 120,000 pages with up to 120,000 documents. At most 100,000 pages"
    assert told in before.content.decode()


@pytest.mark.usefixtures("engineer")
def test_the_runs_page_and_a_comparison_without_grades_lead_here(client, query_set, runs):
    ungraded = make.make_list(query_set)
    chosen = {"runs": f"{runs[0].pk}-{runs[1].pk}"}

    run_list = client.get(reverse("query-set-runs", args=[query_set.pk])).content.decode()
    nothing = client.get(
        reverse("comparison", args=[ungraded.pk], query=chosen), follow=True
    ).content.decode()

    assert f'href="{reverse("impact", args=[query_set.pk])}">What changed<' in run_list
    here = reverse("impact", args=[query_set.pk], query=chosen)
    assert f'href="{here}">What changed, before anybody judges<' in nothing


@pytest.mark.usefixtures("engineer")
def test_a_comparison_leads_to_all_queries_with_its_cutoff(client, query_set, runs):
    graded = make.make_list(query_set)
    make_grades(graded, query_set.queries.get(external_id="other"), {"a": 3, "c": 1})

    chosen = {"runs": f"{runs[0].pk}-{runs[1].pk}", "k": 5}
    page = html_of(client.get(reverse("comparison", args=[graded.pk], query=chosen), follow=True))

    here = f"{reverse('impact', args=[query_set.pk])}?runs={chosen['runs']}&amp;cutoff=5"
    assert f'href="{here}">All queries that the runs answer, judged or not<' in page


@pytest.mark.usefixtures("engineer")
def test_one_run_has_nothing_to_show_on_the_runs_page(client, query_set):
    make.make_run(query_set)

    page = client.get(reverse("query-set-runs", args=[query_set.pk])).content.decode()

    assert reverse("impact", args=[query_set.pk]) not in page


@pytest.mark.parametrize("role", ["rater", None])
def test_who_is_no_engineer_or_admin_finds_no_page(client, query_set, runs, role):
    client.force_login(make.make_member(query_set, role) if role else make.make_user())

    assert opened(client, query_set, runs).status_code == 404
