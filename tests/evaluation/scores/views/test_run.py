"""The page of one run."""

import csv
import io

import pytest
from django.urls import reverse

from evaluation.models import Run
from judgments.models import Role
from tests import factories as make
from tests.evaluation.scored import cells_of, change_grade, make_grades, make_ranking, queries_of, text_of
from touchstone_core.formats.problems import Report
from touchstone_core.metrics.formula import IDEALS
from touchstone_core.metrics.ladder import LOSSES

pytestmark = pytest.mark.django_db

TAGS = {"perfect": ["brand", "head"], "holes": ["brand", "brand"], "missing": ["tail"]}
HALF = 1 / 1.584962500721156  # a good document at rank 2, under log2


@pytest.fixture
def run(judgment_list):
    """Five queries: perfect, with holes, missing, empty, and without any gain."""
    query_set = judgment_list.query_set
    run = make.make_run(query_set, name="bm25", file_name="bm25.trec", sha256="ab" * 32)
    for name in ("perfect", "holes", "missing", "empty", "hopeless"):
        query = make.make_query(query_set, name, text=f"{name} text", tags=TAGS.get(name, []))
        make_grades(judgment_list, query, {f"{name}-a": 0 if name == "hopeless" else 3})
        if name != "missing":
            ranking = [] if name == "empty" else [f"{name}-a"]
            make_ranking(run, query, ["X", *ranking] if name == "holes" else ranking)
    return run


def address(judgment_list, run, query=""):
    return reverse("run", args=[judgment_list.pk, run.pk]) + query


def listed(client, judgment_list, run, query=""):
    return list(by_query(client.get(address(judgment_list, run, query))))


def by_query(page):
    """What the page shows of each query, in its order."""
    return {row.row.score.query.external_id: cells_of(row) for row in page.context["table"].rows}


def test_the_summary_names_the_means_the_file_and_the_order(client, engineer, judgment_list, run):
    report = Report()
    report.warn(3, "score", "x", "something else", kind="odd")
    Run.objects.update(report=report.to_json())

    html = text_of(client.get(address(judgment_list, run)))

    mean = (1 + 1 / 1.584962500721156) / 5
    for text in (
        f"{mean:.4f}",
        "bm25.trec",
        "ab" * 32,
        "then document ID",
        "should be something else",
        "1 warning",
        "1 hole; missing counts as 0",
    ):
        assert text in html


def test_the_worst_queries_come_first_and_every_column_sorts(client, engineer, judgment_list, run):
    assert listed(client, judgment_list, run)[-2:] == ["holes", "perfect"]
    assert listed(client, judgment_list, run, "?sort=-global")[:2] == ["perfect", "holes"]
    assert listed(client, judgment_list, run, "?sort=query")[0] == "empty"

    for heading in client.get(address(judgment_list, run)).context["table"].headings:
        for sort in (heading.column.key, "-" + heading.column.key):
            assert len(listed(client, judgment_list, run, f"?sort={sort}")) == 5


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?show=missing", ["missing"]),
        ("?show=empty", ["empty"]),
        ("?show=holes", ["holes"]),
        ("?show=zero", ["hopeless"]),
        ("?q=PERF", ["perfect"]),
        ("?q=text&show=holes", ["holes"]),
        ("?show=left-out", []),
        ("?zero=skip&show=left-out", ["hopeless"]),
        ("?missing=skip&show=left-out", ["missing"]),
        ("?tag=brand", ["holes", "perfect"]),
        ("?tag=bran", []),
        ("?show=untagged", ["empty", "hopeless"]),
        ("?q=nothing", []),
    ],
)
def test_queries_are_filtered(client, engineer, judgment_list, run, query, expected):
    assert listed(client, judgment_list, run, query) == expected


@pytest.mark.parametrize("query", ["?show=best", "?k=0", "?q=" + "x" * 300])
def test_a_bad_choice_gives_no_numbers(client, engineer, judgment_list, run, query):
    response = client.get(address(judgment_list, run, query))

    assert response.status_code == 422
    assert "heat-" not in text_of(response)
    assert 'role="alert"' in text_of(response) or "errorlist" in text_of(response)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("average=mode", "Average:</strong> “mode” isn’t one of the choices."),
        ("base=x", "Base:</strong> Enter a number, such as 0.5."),
    ],
)
def test_a_bad_choice_whose_field_is_not_here_says_what_is_wrong(
    client, engineer, judgment_list, run, query, says
):
    response = client.get(address(judgment_list, run, f"?{query}"))

    assert response.status_code == 422
    assert says in text_of(response)


def test_a_bad_filter_is_not_called_a_bad_formula(client, engineer, judgment_list, run):
    page = text_of(client.get(address(judgment_list, run, "?show=evil&k=5")))

    assert "because this filter isn’t valid" in page
    assert "not a formula" not in page
    assert 'href="?k=5">Show all queries' in page


def test_a_query_that_is_missing_says_so(client, engineer, judgment_list, run):
    row = by_query(client.get(address(judgment_list, run, "?show=missing")))["missing"]

    assert (row["query"], row["retrieved"].text, row["judged"].text) == (["missing"], "–", "0.0000")
    assert row["lost-recall"].number == pytest.approx(3)


def test_other_lists_are_one_link_away(client, engineer, judgment_list, run):
    other = make.make_list(judgment_list.query_set, name="Second pass")

    html = text_of(client.get(address(judgment_list, run, "?k=5")))

    assert address(other, run, "?k=5") in html
    assert b"No grades yet" in client.get(address(other, run)).content


def test_a_changed_grade_shows_on_the_next_view(client, engineer, judgment_list, run):
    client.get(address(judgment_list, run))

    change_grade(judgment_list, judgment_list.query_set.queries.get(external_id="perfect"), "perfect-a", 0)

    assert "perfect" in listed(client, judgment_list, run, "?show=zero")


def test_the_csv_has_every_query_with_every_digit(client, engineer, judgment_list, run):
    query = judgment_list.query_set.queries.get(external_id="holes")
    query.text = "@SUM(A1)"
    query.save()

    response = client.get(address(judgment_list, run, "?format=csv&sort=query"))
    header, *rows = csv.reader(io.StringIO(b"".join(response.streaming_content).decode()))

    assert header[:5] == ["list", "formula", "run", "query id", "query"]
    assert header[5:10] == ["tags", "weight", "nDCG(ideal='local')@10", "nDCG(ideal='recall')@10", "nDCG@10"]
    by_query = {row[3]: dict(zip(header, row, strict=True)) for row in rows}
    assert len(by_query) == 5
    assert by_query["holes"]["query"] == "'@SUM(A1)"
    assert float(by_query["holes"]["nDCG@10"]) == 1 / 1.584962500721156
    assert float(by_query["holes"]["lost order"]) == pytest.approx(3 - 3 / 1.584962500721156)
    assert by_query["holes"]["Holes@10"] == "1"
    assert by_query["missing"]["retrieved"] == ""
    assert "first-pass_bm25" in response["Content-Disposition"]


def test_the_averages_stand_side_by_side_with_what_they_are_over(client, engineer, judgment_list, run):
    judgment_list.query_set.queries.filter(external_id="perfect").update(weight=6)

    averages = client.get(address(judgment_list, run, "?zero=skip")).context["averages"]

    columns = {column.label: column for column in averages.columns}
    assert columns["NDCG-global@10"].by_name == {
        "mean": pytest.approx((1 + HALF) / 4),
        "median": pytest.approx(HALF / 2),
        "weighted": pytest.approx((6 + HALF) / 9),
    }
    assert [column.counted for column in averages.columns] == [3, 3, 4, 5, 5, 5]
    assert averages.weights == f"the mean is as certain as one of {9 * 9 / 39:.1f} queries of equal weight"


@pytest.mark.parametrize(
    ("weight", "words"),
    [(2, "All weights are equal."), (0, "All weights are 0, so there is no weighted mean.")],
)
def test_equal_weights_are_told(client, engineer, judgment_list, run, weight, words):
    judgment_list.query_set.queries.update(weight=weight)

    assert words in text_of(client.get(address(judgment_list, run)))


def test_where_no_query_is_counted_there_is_no_mean(client, engineer, judgment_list):
    run = make.make_run(judgment_list.query_set)
    make_grades(judgment_list, make.make_query(judgment_list.query_set), {"a": 0})

    page = client.get(address(judgment_list, run, "?zero=skip"))

    assert "No query is counted." in text_of(page)
    assert page.context["averages"].columns[2].by_name == {"mean": None, "median": None, "weighted": None}


def test_queries_that_a_policy_leaves_out_are_marked_and_counted(client, engineer, judgment_list, run):
    page = client.get(address(judgment_list, run, "?missing=skip&zero=skip"))

    shown = by_query(page)
    assert {query: cells["query"] for query, cells in shown.items()} == {
        "perfect": [],
        "holes": [],
        "missing": ["missing", "left out"],
        "empty": ["empty"],
        "hopeless": ["zero ideal", "left out"],
    }
    values = [*IDEALS, "dcg", *(f"lost-{loss}" for loss in LOSSES)]
    assert {shown["missing"][key].text for key in values} == {"–"}
    assert "The formula leaves 2 queries out of NDCG-global" in text_of(page)
    assert "DCG and the losses of the judged queries that the run answers" in text_of(page)


def test_an_answered_query_without_an_ideal_may_count_1(client, engineer, judgment_list, run):
    shown = by_query(client.get(address(judgment_list, run, "?zero=1")))

    assert {query: cells["global"].number for query, cells in shown.items()} == {
        "perfect": 1,
        "holes": pytest.approx(HALF),
        "missing": 0,
        "empty": 0,
        "hopeless": 1,
    }


def test_further_measures_are_tiles_averages_and_columns_to_sort_by(client, engineer, judgment_list, run):
    query = "?measures=RR+Holes@5+P(missing='skip')@1&sort=-RR"
    page = client.get(address(judgment_list, run, query))

    tiles = {tile.name: tile.value.number for tile in page.context["summary"]["tiles"]}
    assert (tiles["RR"], tiles["Holes@5"], tiles["P(missing='skip')@1"]) == (1.5 / 5, 0.2, 0.25)
    shown = by_query(page)
    assert list(shown)[:2] == ["perfect", "holes"]
    missing = [shown["missing"][key].text for key in ("RR", "Holes@5", "P(missing='skip')@1")]
    assert missing == ["0.0000", "0.0000", "–"]
    assert page.context["averages"].columns[-1].counted == 4


def test_a_measure_that_the_grades_do_not_allow_gives_a_message_and_no_numbers(
    client, engineer, judgment_list, run
):
    page = client.get(address(judgment_list, run, "?measures=ERR(max=2)"))

    assert page.status_code == 422
    assert "grade 3 lies above the top" in text_of(page)
    assert b"heat-" not in page.content


def test_the_address_says_no_default_and_everything_else(client, engineer, judgment_list, run):
    response = client.get(address(judgment_list, run, "?k=10&zero=skip&unjudged=zero&measures=RR&tag=brand"))

    assert response.status_code == 302
    assert response.url == address(judgment_list, run, "?tag=brand&zero=skip&measures=RR")


def test_every_value_says_what_it_was_computed_against(client, engineer, judgment_list, run):
    page = client.get(address(judgment_list, run))

    state = page.context["state"]
    assert str(state) in text_of(page)
    assert str(state).startswith("live, 5 grades, state ")


def test_the_json_has_every_digit_under_canonical_texts(client, engineer, judgment_list, run):
    page = address(judgment_list, run, "?measures=RR+nDCG@10~2&zero=skip&missing=skip&format=json")
    data = client.get(page).json()

    text = "nDCG(missing='skip', zero='skip')@10"
    assert data["formula"]["text"] == "DCG(missing='skip', zero='skip')@10"
    assert data["measures"] == ["RR", "nDCG@10~2"]
    assert data["list"]["version"] == "live"
    assert data["run"] == {"id": run.pk, "name": "bm25"}
    counts = {"judged_queries": 5, "answered": 3, "missing": 1, "empty": 1, "unjudged": 0, "holes": 1}
    assert data["counts"] == data["counts"] | counts | {"zero_ideal": 1, "counted": 3}
    assert data["averages"][text]["mean"] == pytest.approx((1 + HALF) / 3)
    assert data["averages"][text]["queries"] == 3
    assert data["averages"]["nDCG@10~2"]["mean"] == pytest.approx(1.63 / 5)
    values = {query["id"]: query["values"] for query in data["queries"]}
    assert values["holes"][text] == HALF
    assert values["missing"][text] is None
    assert (values["missing"]["RR"], values["holes"]["nDCG@10~2"]) == (0, 0.63)
    assert [query["id"] for query in data["queries"] if query["left_out"]] == ["missing", "hopeless"]
    assert data["tags"][0] == {
        "tag": "brand",
        "queries": 2,
        "left_out": 0,
        "means": {
            "nDCG(ideal='local', missing='skip', zero='skip')@10": pytest.approx((1 + HALF) / 2),
            "nDCG(ideal='recall', missing='skip', zero='skip')@10": pytest.approx((1 + HALF) / 2),
            text: pytest.approx((1 + HALF) / 2),
            "nDCG(ideal='max', missing='skip', zero='skip')@10": pytest.approx(
                data["tags"][0]["means"]["nDCG(ideal='max', missing='skip', zero='skip')@10"]
            ),
            "DCG(missing='skip')@10": pytest.approx(3 * (1 + HALF) / 2),
        },
    }


def test_the_csv_says_what_was_computed_against_and_has_the_further_measures(
    client, engineer, judgment_list, run
):
    response = client.get(address(judgment_list, run, "?format=csv&measures=RR&missing=skip&tag=tail"))
    (row,) = csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode()))

    assert (row["query id"], row["tags"], row["weight"], row["left out"]) == ("missing", "tail", "1.0", "yes")
    assert (row["RR"], row["nDCG(missing='skip')@10"]) == ("0.0", "")
    assert (row["list version"], row["grades"], len(row["state"])) == ("live", "5", 16)
    assert row["computed"].endswith(" UTC")


def test_only_staff_of_the_query_set_see_it(client, judgment_list, run):
    for user in (
        make.make_member(judgment_list.query_set, Role.RATER),
        make.make_member(make.make_query_set(), Role.ADMIN),
    ):
        client.force_login(user)
        assert client.get(address(judgment_list, run)).status_code == 404


def test_a_run_of_another_query_set_is_not_found(client, judgment_list):
    other = make.make_run(make.make_query_set())
    client.force_login(make.make_user(is_superuser=True))

    assert client.get(address(judgment_list, other)).status_code == 404


def test_the_number_of_queries_is_small_and_constant(client, engineer, judgment_list, run):
    measures = "?measures=RR+AP+P@5"
    few = [queries_of(client, address(judgment_list, run, query)) for query in ("", measures)]
    for _ in range(30):
        query = make.make_query(judgment_list.query_set)
        make_grades(judgment_list, query, {f"{query.external_id}-{place}": 2 for place in range(3)})
        make_ranking(run, query, [f"{query.external_id}-1", "X"])

    assert [queries_of(client, address(judgment_list, run, query)) for query in ("", measures)] == few
    assert max(few) <= 15


def test_a_run_of_other_document_ids_says_so(client, engineer, judgment_list):
    query_set = judgment_list.query_set
    query = make.make_query(query_set, "q1")
    make_grades(judgment_list, query, {"a": 3})
    other, same = make.make_run(query_set, name="staging"), make.make_run(query_set, name="production")
    make_ranking(other, query, ["staging:a"])
    make_ranking(same, query, ["b", "a"])

    words = (
        "None of its results up to rank 10 is judged. Do the run and the judgments use the same document IDs?"
    )

    assert words in text_of(client.get(address(judgment_list, other)))
    assert words not in text_of(client.get(address(judgment_list, same)))


def test_warnings_of_a_kind_are_one_entry_with_examples(client, engineer, judgment_list, run):
    report = Report()
    for line in range(1, 144):
        report.warn(line, "", f"equal scores for query q{line}", "others", kind="equal scores in a query")
    report.warn(7, "score", "x", "something else", kind="odd")
    Run.objects.update(report=report.to_json())

    html = text_of(client.get(address(judgment_list, run)))

    assert "144 warnings at upload" in html
    assert "143 × equal scores in a query, such as:" in html
    assert [f"equal scores for query q{line}." in html for line in (1, 2, 3, 4)] == [True, True, True, False]
    assert (
        "Line 7, column score: “x” should be something else." not in html
    )  # it came after the first hundred
    assert "1 × odd" in html
