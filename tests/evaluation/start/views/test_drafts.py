"""New evaluation: files of any kind dropped together, one preview, one button."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Run
from judgments.models import (
    Adjudication,
    ConsensusGrade,
    Document,
    Draft,
    Judgment,
    JudgmentList,
    Query,
    QuerySet,
    Scale,
)
from tests import factories as make
from tests.evaluation.scored import text_of
from tests.evaluation.start.views.drafting import (
    GOOD_RUN,
    POOR_RUN,
    QRELS,
    SHOP,
    address_of,
    drop,
    field_of,
    press,
    signed_in,
)
from touchstone_core.engines.site_engines import read_engines

pytestmark = pytest.mark.django_db


def test_files_of_every_kind_become_an_evaluation_and_lead_to_the_comparison(client):
    draft = drop(signed_in(client), SHOP)
    page = text_of(client.get(address_of(draft)))

    response = press(client, draft, name="Shop")

    assert "Creates 2 queries, 3 documents, 3 judgments and 2 runs" in page
    query_set = QuerySet.objects.get()
    judgment_list = JudgmentList.objects.get()
    good, poor = Run.objects.order_by("name")
    assert query_set.name == "Shop"
    assert (
        response["Location"] == f"{reverse('comparison', args=[judgment_list.pk])}?runs={good.pk}-{poor.pk}"
    )
    assert list(Query.objects.values_list("external_id", "text").order_by("external_id")) == [
        ("q1", "red shoes"),
        ("q2", "boots"),
    ]
    assert dict(Document.objects.values_list("external_id", "title")) == {
        "d1": "Red shoes",
        "d2": "Blue shoes",
        "d3": "Boots",
    }
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 1, 2]
    assert judgment_list.scale.name == "TREC 0–2"
    assert client.get(response["Location"]).status_code == 200


def test_decisions_come_after_the_judgments_that_they_are_about(client):
    """Whatever the order in which the files were dropped."""
    decisions = "query_id,document_id,decided_grade,cause\nq1,d1,0,A slip\n"
    draft = drop(signed_in(client), {"decisions.csv": decisions} | SHOP)
    page = text_of(client.get(address_of(draft)))

    press(client, draft, name="Shop")

    assert "Judgments: 1 decision" in page
    assert "nrateable" not in page  # columns of judgments, which nothing would read
    assert "Creates 2 queries, 3 documents, 3 judgments, 1 decision and 2 runs" in page
    decision = Adjudication.objects.get()
    assert (decision.value, decision.cause, decision.pair.document.external_id) == (0, "slip", "d1")
    assert ConsensusGrade.objects.get(pair=decision.pair).value == 0


def test_a_decision_on_a_pair_that_no_file_brings_is_a_problem_of_its_line(client):
    """It came after everything else was made, so that nothing was."""
    decisions = "query_id,document_id,decided_grade,cause\nq1,d1,0,A slip\nq1,d9,0,A slip\nq7,d1,0,A slip\n"
    draft = drop(signed_in(client), {"decisions.csv": decisions} | SHOP)

    page = text_of(client.get(address_of(draft)))
    assert "</strong> 2 problems above" in page
    assert (
        "Line 3, column document: unknown pair “q1, d9”. It should be a pair that another of these files has."
        in page
    )
    press(client, draft, name="Shop", good_lines="on")

    assert Adjudication.objects.get().pair.document.external_id == "d1"
    assert not Query.objects.filter(external_id="q7").exists()


def test_what_is_said_of_one_of_several_runs_of_a_file_names_it(client):
    """“None of its queries is judged” and “78 % are judged” stood below each other, without a name."""
    other = "q7 Q0 d1 1 9 stray\n"
    half = "q1 Q0 d1 1 9 half\nq1 Q0 d9 2 8 half\n"
    files = SHOP | {"good.trec": half + other}
    page = text_of(signed_in(client).get(address_of(drop(client, files))))

    assert "half: 50 % of its first 10 results are judged." in page
    assert "half: 1 judged query without results: it counts as 0." in page
    assert "stray: None of its queries is judged. Do the files use the same query IDs?" in page
    assert "stray: 2 judged queries without results: they count as 0." in page


def test_a_run_whose_queries_are_all_left_out_is_not_created(client):
    """The preview promised it, and then nothing was created: “No known query.”"""
    files = SHOP | {"good.trec": GOOD_RUN + "q7 Q0 d1 1 9 stray\n", "lost.trec": "q8 Q0 d1 1 9 lost\n"}
    draft = drop(signed_in(client), files)
    page = text_of(client.get(address_of(draft)))

    response = press(client, draft)

    assert "stray isn’t created: all of its queries are left out." in page
    assert "lost isn’t created: all of its queries are left out." in page
    assert "Creates 2 queries, 3 documents, 3 judgments and 2 runs" in page
    assert response.status_code == 302
    assert sorted(Run.objects.values_list("name", flat=True)) == ["good", "poor"]


def test_such_a_run_is_created_with_its_queries(client):
    draft = drop(signed_in(client), SHOP | {"lost.trec": "q8 Q0 d1 1 9 lost\n"})

    press(client, draft, missing="create")

    assert sorted(Run.objects.values_list("name", flat=True)) == ["good", "lost", "poor"]


def test_a_column_that_was_chosen_is_not_called_found_by_name(client):
    files = {name: SHOP[name] for name in ("good.trec", "queries.csv", "products.csv")}
    draft = drop(signed_in(client), files | {"grades.csv": "Frage;Ware;grade\nq1;d1;2\nq2;d3;1\n"})
    chosen = {
        field_of(draft, "grades.csv", "kind"): "judgments",
        field_of(draft, "grades.csv", "column-query"): "Frage",
        field_of(draft, "grades.csv", "column-document"): "Ware",
    }

    press(client, draft, action="preview", **chosen)
    page = text_of(client.get(address_of(draft)))

    assert "2 grades 1–2" in page
    assert "grade (by name)" in page
    assert "Frage (by name)" not in page
    assert "Ware (by name)" not in page


def test_a_set_without_a_file_of_queries_makes_them_of_the_ids_of_the_others(client):
    draft = drop(signed_in(client), {name: SHOP[name] for name in ("good.trec", "qrels.txt")})
    page = text_of(client.get(address_of(draft)))

    press(client, draft)

    assert "3 judgments name 2 queries that aren’t in a file of queries" in page
    assert dict(Query.objects.values_list("external_id", "text")) == {"q1": "q1", "q2": "q2"}


def test_judgments_and_results_that_name_other_queries_are_told_apart(client):
    files = {"run.trec": "q1 Q0 d1 1 2 a\nq2 Q0 d1 1 2 a\n", "qrels.txt": "q1 0 d1 2\n"}

    page = text_of(client.get(address_of(drop(signed_in(client), files))))

    assert "1 judgment and the results name 2 queries that aren’t in a file of queries" in page
    assert "1 of them has results but no judgments." in page
    assert "1 judgment, grade 2" in page


def test_one_judgment_that_names_a_query_is_one(client):
    files = {"run.trec": "q1 Q0 d1 1 2 a\n", "qrels.txt": "q1 0 d1 2\n"}

    page = text_of(client.get(address_of(drop(signed_in(client), files))))

    assert "1 judgment names 1 query that isn’t in a file of queries" in page


def test_judgments_that_name_queries_by_text_find_them_whatever_the_text(client):
    """A text of one word could be an ID, but no query has it."""
    queries = "query_id,query\nq1,guitar\nq2,red shoes\n"
    by_text = "Query\tDocument\tGrade\nguitar\td1\t1\nred shoes\td2\t0\n"
    draft = drop(signed_in(client), {"queries.csv": queries, "judgments.tsv": by_text})

    press(client, draft)

    assert set(Judgment.objects.values_list("pair__query__external_id", flat=True)) == {"q1", "q2"}
    assert Query.objects.count() == 2


def test_runs_that_name_queries_by_text_find_them_whatever_their_format(client):
    """JSON lines mean IDs by default, but here nobody can choose, and none of the names is one."""
    lines = '{"query": "red shoes", "results": ["d1"]}\n{"query": "boots", "results": ["d3"]}\n'
    draft = drop(signed_in(client), SHOP | {"by-text.jsonl": lines})

    assert "aren’t in a file of queries" not in text_of(client.get(address_of(draft)))
    press(client, draft)
    assert Run.objects.get(name="by-text").query_count == 2


def test_whoever_left_the_preview_finds_it_again(client):
    open_draft = drop(signed_in(client), SHOP)
    made = drop(client, {"good.trec": GOOD_RUN, "qrels.txt": QRELS})
    press(client, made)

    page = client.get(reverse("new-evaluation"))

    assert list(page.context["drafts"]) == [open_draft]
    assert "5 files" in text_of(page)
    assert address_of(open_draft) in page.content.decode()
    client.force_login(make.make_user(is_superuser=True))
    assert not client.get(reverse("new-evaluation")).context["drafts"]


def test_queries_that_only_results_name_stay_out_unless_somebody_wants_them(client):
    wide_run = GOOD_RUN + "q8 Q0 d1 1 9 good\nq9 Q0 d1 1 9 good\n"
    draft = drop(signed_in(client), SHOP | {"good.trec": wide_run})
    first = client.get(address_of(draft)).context["reading"]
    press(client, draft, action="preview", missing="create")
    second = client.get(address_of(draft)).context["reading"]

    press(client, draft, missing="leave")

    assert (first.query_count, second.query_count) == (2, 4)
    assert set(Query.objects.values_list("external_id", flat=True)) == {"q1", "q2"}
    assert Run.objects.get(name="good").query_count == 2


def test_judgments_of_queries_that_stay_out_stay_out_too(client):
    draft = drop(signed_in(client), SHOP | {"qrels.txt": QRELS + "q3 0 d1 1\n"})

    press(client, draft, missing="leave")

    assert Judgment.objects.count() == 3


@pytest.mark.parametrize(
    ("grades", "scale"),
    [
        ("0 1 1", "Binary"),
        ("0 1 2", "TREC 0–2"),
        ("0 3 1", "TREC 0–3"),
        ("4 0 1", "Five grades 0–4"),
        ("5 3 1", "Five stars 1–5"),
        ("0.25 0.5 1", "Continuous 0–1"),
        ("E S I", "ESCI"),
        ("0 10 5", "Grades 0, 5, 10"),
    ],
)
def test_the_scale_follows_from_the_grades(client, grades, scale):
    first, second, third = grades.split()
    rows = f"q1,d1,{first}\nq1,d2,{second}\nq2,d3,{third}\n"
    files = {"good.trec": GOOD_RUN, "judgments.csv": f"query_id,product_id,grade\n{rows}"}
    draft = drop(signed_in(client), files)

    response = press(client, draft)

    assert response.status_code == 302
    assert JudgmentList.objects.get().scale.name == scale
    assert Judgment.objects.count() == 3


def test_another_scale_can_be_chosen_and_says_which_grades_it_lacks(client):
    draft = drop(signed_in(client), SHOP)
    binary = str(Scale.objects.get(name="Binary").pk)
    press(client, draft, action="preview", scale=binary)

    page = text_of(client.get(address_of(draft)))
    refused = press(client, draft, scale=binary)
    press(client, draft, scale=binary, good_lines="on")

    assert "1 grade not on this scale" in page
    assert refused.status_code == 422
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 1]


def test_negative_grades_wait_for_a_decision(client):
    draft = drop(signed_in(client), SHOP | {"qrels.txt": QRELS + "q2 0 d1 -1\n"})

    refused = press(client, draft)
    page = refused.content.decode()
    press(client, draft, negative="lowest")

    assert refused.status_code == 422
    assert ('name="negative"' in page, 'name="good_lines"' in page) == (True, False)
    assert "Choose what negative grades mean." in page
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [0, 0, 1, 2]


def test_one_run_lands_on_the_run_table_and_one_without_judgments_where_judging_begins(client):
    signed_in(client)
    judged = press(client, drop(client, {"good.trec": GOOD_RUN, "qrels.txt": QRELS}), name="A")
    alone = press(client, drop(client, {"good.trec": GOOD_RUN}), name="B")
    first, second = JudgmentList.objects.order_by("pk")

    assert judged["Location"] == reverse("run-table", args=[first.pk])
    assert alone["Location"] == reverse("list-pairs", args=[second.pk])


def test_queries_and_documents_alone_become_a_query_set(client):
    draft = drop(signed_in(client), {name: SHOP[name] for name in ("queries.csv", "products.csv")})

    response = press(client, draft)

    assert response["Location"] == reverse("query-set", args=[QuerySet.objects.get().pk])
    assert not JudgmentList.objects.exists()


def test_runs_that_their_files_call_the_same_are_named_after_their_files(client):
    same = {"one.trec": GOOD_RUN, "two.trec": POOR_RUN.replace("poor", "good"), "qrels.txt": QRELS}

    press(client, drop(signed_in(client), same))

    assert set(Run.objects.values_list("name", flat=True)) == {"one", "two"}


def test_the_example_needs_no_files(client):
    signed_in(client)
    response = client.post(reverse("new-evaluation"), {"example": "1"})
    draft = Draft.objects.get()

    landing = press(client, draft)

    assert response["Location"] == address_of(draft)
    assert Run.objects.count() == 4
    assert landing["Location"].startswith(reverse("comparison", args=[JudgmentList.objects.get().pk]))


def test_the_first_page_of_a_site_without_query_sets_takes_files(client):
    signed_in(client)
    before = client.get(reverse("home")).content.decode()
    make.make_query_set()
    after = client.get(reverse("home")).content.decode()

    assert 'name="files"' in before
    assert 'name="files"' not in after
    assert reverse("new-evaluation") in after


def test_the_preview_costs_the_same_for_two_files_and_for_ten(client):
    signed_in(client)
    counts = []
    for files in (SHOP, SHOP | {f"run{n}.trec": GOOD_RUN.replace("good", f"run{n}") for n in range(8)}):
        draft = drop(client, files)
        with CaptureQueriesContext(connection) as queries:
            client.get(address_of(draft))
        counts.append(len(queries))

    assert counts[0] == counts[1] <= 15


@pytest.mark.parametrize("page", ["home", "new-evaluation"])
def test_who_has_no_files_but_a_search_engine_is_led_to_where_it_is_asked(client, settings, page):
    settings.ENGINES = {}
    start = text_of(signed_in(client).get(reverse(page)))
    assert "Connect a search engine" in start
    assert "<li>Drop a file of your queries" in start

    response = press(client, drop(client, {"queries.csv": SHOP["queries.csv"]}), name="Shop")

    overview = text_of(client.get(response["Location"]))
    address = reverse("run-upload", args=[QuerySet.objects.get().pk])
    assert f'<a href="{address}">Upload a run</a>' in overview
    assert "touchstone fetch" in text_of(client.get(address))


@pytest.mark.parametrize("page", ["home", "new-evaluation"])
def test_engines_of_the_site_are_named_if_every_query_set_may_ask_them(client, settings, page):
    settings.ENGINES = read_engines(
        "".join(
            f'[{name}]\nurl = "http://es/?q={{query}}&n={{depth}}"\n{more}\n'
            for name, more in (("staging", ""), ("live", ""), ("others", "query_sets = [0]"))
        )
    )

    start = text_of(signed_in(client).get(reverse(page)))

    assert "This site asks staging or live for you." in start
    assert "others" not in start.split("Connect a search engine")[1]
