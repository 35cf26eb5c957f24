"""What stands beside a verdict follows it: on the page, in the report, in the API and in what assistants read (issue 11 A)."""

import csv
import re

import pytest
from django.urls import reverse

from evaluation.models import ComparisonResult
from judgments.models import Role
from tests import factories as make
from tests.api import Api
from tests.evaluation.scored import make_grades, make_ranking
from tests.evaluation.two_runs import comparison_address as address
from tests.evaluation.two_runs import make_two_runs
from touchstone_core.comparison.values import signed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("admin")]


def make_runs(judgment_list, queries):
    """Two runs from queries, each with its grades and a page of each run, all tagged."""
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("old", "new")]
    for grades, *pages in queries:
        query = make.make_query(judgment_list.query_set, tags=["all"])
        make_grades(judgment_list, query, grades)
        for run, page in zip(runs, pages, strict=True):
            make_ranking(run, query, page)
    return runs


def less_judged(judgment_list, count=20):
    """“new” finds the good document, “old” one that nobody judged."""
    return make_runs(judgment_list, [({"g": 3, "z": 0}, ["u", "z"], ["g", "z"])] * count)


def below_the_cutoff(judgment_list):
    """One result each, all judged; an unjudged document at rank 2 raises the ideal."""
    grades = {"g": 1, "z": 0}
    up, down = (grades, ["z", "u"], ["g", "u"]), (grades, ["g", "u"], ["z", "u"])
    return make_runs(judgment_list, [up] * 20 + [down] * 8)


def signs(table):
    """Of all cells of the table that have one."""
    return {
        cell.value.sign
        for row in table.rows
        for cell in row.cells
        if getattr(cell.value, "sign", None) is not None
    }


def test_nothing_beside_what_cannot_be_told_claims_a_direction(client, judgment_list):
    context = client.get(address(judgment_list, *less_judged(judgment_list))).context

    (row,) = context["comparison"].candidates
    assert row.beside.verdict.headline == "Can’t tell until more is judged"
    (by_zeros,) = ComparisonResult.objects.get().figures["comparisons"]
    assert by_zeros["difference"]["interval"]["low"] > 0  # which would be green
    assert by_zeros["adjusted"] < 0.05
    assert (row.beside.verdict.rule.p, row.beside.difference.low, row.beside.difference.sign) == (
        None,
        "–",
        0,
    )
    assert {row.beside.record[name] for name in ("adjusted", "posterior", "detectable")} == {None}
    assert signs(context["tables"]["steps"]) == {0}
    assert signs(context["segments"][0]["differences"]) == {0}
    (of_run,) = context["forest"]["rows"]
    assert (of_run["marks"].detectable, of_run["marks"].interval) == (None, None)
    assert not context["steps"]["rows"][0]["is_backed"]


def test_no_query_got_worse_beside_what_cannot_be_told(client, judgment_list):
    runs = less_judged(judgment_list)
    page = client.get(address(judgment_list, *runs))
    report = client.get(address(judgment_list, *runs, page="comparison-report"))
    markdown = client.get(address(judgment_list, *runs, page="comparison-report", format="md"))

    (row,) = page.context["fixes"]
    assert row["better"]
    assert not any(one["is_backed"] for one in [*row["worse"], *row["better"]])
    for text in (page.content.decode(), report.content.decode(), markdown.getvalue().decode()):
        assert not re.search("Got (worse|better)|delta-(up|down)|; (wins|loses) ", text)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ({"k": 200}, "38.7 % of the baseline’s. Unjudged documents count as 0"),
        ({"unjudged": "condensed"}, "78.0 % of the baseline’s. Unjudged documents are left out"),
        ({"k": 200, "measures": "AP", "on": "AP"}, "38.7 % of the baseline’s. Unjudged documents count as 0"),
    ],
)
def test_formulas_without_bounds_know_what_is_judged(client, judgment_list, formula, words):
    """Of two ranks, 1 / log2(3) / (1 + 1 / log2(3)) is judged; of ten, all but 1 / 4.5436."""
    context = client.get(address(judgment_list, *less_judged(judgment_list), **formula)).context

    (row,) = context["comparison"].candidates
    assert row.beside.verdict.headline == "Can’t tell until more is judged"
    assert words in row.beside.verdict.details


def test_a_direction_that_is_known_is_shown(client, judgment_list):
    runs = make_two_runs(judgment_list)
    judgment_list.query_set.queries.update(tags=["all"])

    context = client.get(address(judgment_list, *runs)).context

    assert context["comparison"].candidates[0].beside.difference.sign == 1
    assert 1 in signs(context["tables"]["steps"])
    assert signs(context["segments"][0]["differences"]) == {1}
    assert context["steps"]["rows"][0]["is_backed"]


def test_a_part_that_is_judged_less_has_no_arrow(client, judgment_list):
    """“new” is better in both parts, but in one of them by a document that stands for an unjudged one; whatever its grade."""
    runs = make_two_runs(judgment_list, queries=60)
    queries = list(judgment_list.query_set.queries.order_by("pk"))
    for at, query in enumerate(queries):
        query.tags = ["less" if at < 20 else "whole"]
        query.save()
    for at, query in enumerate(queries[:20]):
        runs[0].rankings.filter(query=query).delete()
        make_ranking(runs[0], query, ["u", f"{at}-bad"])

    context = client.get(address(judgment_list, *runs, on="max")).context

    (one,) = context["segments"]
    (row,) = context["comparison"].candidates
    assert row.beside.verdict.headline == "Better"
    assert [line.cells[2].value.sign for line in one["differences"].rows] == [0, 1]


def test_pairs_that_differ_by_judging_are_not_bold(client, judgment_list):
    old, new = less_judged(judgment_list, 60)
    third = make.make_run(judgment_list.query_set, name="third")
    for query in judgment_list.query_set.queries.all():
        make_ranking(third, query, ["z", "g"])

    table = client.get(address(judgment_list, old, new, third)).context["tables"]["pairs"]

    bold = {
        (row.row.run.name, place)
        for row in table.rows
        for place, cell in enumerate(row.cells[1:])
        if cell.value and cell.value["significant"]
    }
    assert bold == {("new", 2), ("third", 1)}


def test_what_documents_below_the_cutoff_could_change_is_not_called_nothing(client, judgment_list):
    runs = below_the_cutoff(judgment_list)

    page = client.get(address(judgment_list, *runs, k=1))
    report = client.get(address(judgment_list, *runs, page="comparison-report", k=1))

    (sentence,) = report.context["unknown"]
    assert sentence.startswith(
        "new: pages are judged, but documents below the cutoff could change the difference: −0.0"
    )
    (row,) = page.context["forest"]["rows"]
    assert row["verdict"].kind == "open"
    link = f"{reverse('list-pairs', args=[judgment_list.pk])}?{row['pool'].replace('&', '&amp;')}"
    assert link in page.content.decode()
    assert "depth=3&" in row["pool"]


def test_where_nothing_can_change_nothing_is_unknown(client, judgment_list):
    report = client.get(address(judgment_list, *make_two_runs(judgment_list), page="comparison-report"))

    assert report.context["unknown"] == [
        "Nothing that matters: every document that these runs retrieved is judged."
    ]


@pytest.mark.parametrize(
    "formula", [{"k": 200}, {"unjudged": "condensed"}, {"measures": "nDCG@5", "on": "nDCG@5"}]
)
def test_where_everything_is_judged_no_formula_and_no_measure_says_that_something_is_unknown(
    client, judgment_list, formula
):
    runs = make_two_runs(judgment_list)

    page = client.get(address(judgment_list, *runs, **formula))
    report = client.get(address(judgment_list, *runs, page="comparison-report", **formula))

    (row,) = page.context["forest"]["rows"]
    assert (row["verdict"].kind, row["missing"]) == ("better", 0)
    assert report.context["unknown"] == [
        "Nothing that matters: every document that these runs retrieved is judged."
    ]
    for answer in (page, report):
        text = " ".join(answer.content.decode().split())
        assert not [
            words
            for words in ("isn’t known", "is not known", "is known for", "Nothing is known")
            if words in text
        ]


def test_where_only_pages_are_judged_a_further_measure_is_unknown(client, judgment_list):
    runs = below_the_cutoff(judgment_list)

    page = client.get(address(judgment_list, *runs, k=1, measures="AP@1", on="AP@1"))
    report = client.get(
        address(judgment_list, *runs, page="comparison-report", k=1, measures="AP@1", on="AP@1")
    )

    (sentence,) = report.context["unknown"]
    assert "What documents below rank 1 could change isn’t known for this measure." in sentence
    assert page.context["forest"]["rows"][0]["verdict"].kind == "open"


@pytest.fixture
def looked_again(client, judgment_list):
    """Two runs that were compared before a query was added."""
    runs = make_two_runs(judgment_list, queries=15)
    client.get(address(judgment_list, *runs))
    query = make.make_query(judgment_list.query_set)
    make_grades(judgment_list, query, {"good": 3, "bad": 0})
    for run, page in zip(runs, (["bad", "good"], ["good", "bad"]), strict=True):
        make_ranking(run, query, page)
    judgment_list.query_set.queries.update(tags=["all"])
    return runs


def test_an_always_valid_verdict_stands_beside_its_own_figures_only(client, judgment_list, looked_again):
    context = client.get(address(judgment_list, *looked_again)).context

    (row,) = context["forest"]["rows"]
    assert row["verdict"].sentence == "new and old are too close to call."
    assert row["verdict"].reasons == ["Queries were added between looks, which takes a stricter test."]
    assert signs(context["tables"]["steps"]) | signs(context["segments"][0]["differences"]) == {0}


def test_programs_get_the_p_value_that_decides(judgment_list, looked_again):
    api = Api(make.make_member(judgment_list.query_set, Role.ENGINEER))
    runs = "-".join(str(run.pk) for run in looked_again)

    answer = api.get(f"lists/{judgment_list.pk}/comparison?runs={runs}").json()

    (verdict,) = answer["verdicts"]
    (figures,) = answer["comparison"]["figures"]["comparisons"]
    assert verdict["always_valid"]
    assert figures["always_valid"]
    assert {figures["robust"][name] for name in ("median_interval", "trimmed_interval")} == {None}
    assert verdict["p"] == figures["sequential"]["p"] > 0.05
    ends = figures["sequential"]["interval"]
    assert (verdict["interval_low"], verdict["interval_high"]) == (ends["low"], ends["high"])


@pytest.fixture
def looked_at_three(client, judgment_list):
    """Three runs with differences, tags and weights of all kinds, compared before queries were added."""
    runs = [make.make_run(judgment_list.query_set, name=name) for name in ("old", "new", "third")]
    pages = (["z", "y", "g"], ["g", "z", "y"], ["z", "g", "y"]), (["z", "g"], ["g", "z"], ["g", "z"])
    for count in (40, 5):
        for place in range(count):
            query = make.make_query(judgment_list.query_set, tags=["all"], weight=1 + place % 7)
            make_grades(judgment_list, query, {"g": 3 - place % 3, "y": 0, "z": 0})
            for run, page in zip(runs, pages[place % 2], strict=True):
                make_ranking(run, query, page)
        client.get(address(judgment_list, *runs))
    return runs


def of_a_single_look(figures):
    """The numbers that hold for a single look only, but for those that values of queries can have, too."""
    for one in figures["comparisons"]:
        intervals = [one["difference"]["interval"], one["weighted"]["interval"]]
        yield from (one["posterior"]["better"], one["detectable"], one["risk"]["trisk"])
        yield from (number for ends in intervals for name, number in ends.items() if name != "level")
    parts = [one for split in figures["splits"] for one in split]
    parts += [run for one in figures["segments"] for run in one["runs"]]
    for part in parts:
        yield from (part["interval"][end] for end in ("low", "high") if part["interval"])


def texts_of(client, judgment_list, runs):
    """What every page, file and answer says of a comparison."""
    yield "page", client.get(address(judgment_list, *runs))
    for kind in ("report", "html", "md", "csv", "json"):
        others = {} if kind == "report" else {"format": kind}
        yield kind, client.get(address(judgment_list, *runs, page="comparison-report", **others))
    chosen = "-".join(str(run.pk) for run in runs)
    api = Api(make.make_member(judgment_list.query_set, Role.ENGINEER))
    yield "api", api.get(f"lists/{judgment_list.pk}/comparison?runs={chosen}")


def test_no_figure_of_a_single_look_stands_beside_an_always_valid_verdict(
    client, judgment_list, looked_at_three
):
    for kind, answer in texts_of(client, judgment_list, looked_at_three):
        text = b"".join(answer.streaming_content if answer.streaming else [answer.content]).decode()

        figures = ComparisonResult.objects.latest("pk").figures
        numbers = {number for number in of_a_single_look(figures) if number not in (0, 1)}
        shown = {repr(number) for number in numbers}
        if kind not in ("csv", "json", "api"):
            own = {signed(one["mean"]) for part in figures["splits"] for one in part}
            shown |= {signed(number) for number in numbers} - own
        assert len(numbers) > 20
        assert not [number for number in shown if number in text], kind
        always_valid = [one["sequential"]["interval"]["low"] for one in figures["comparisons"]]
        assert all(repr(low) in text or signed(low) in text for low in always_valid), kind


def test_files_say_the_verdict_beside_the_figures(client, judgment_list, looked_again):
    answer = client.get(address(judgment_list, *looked_again, page="comparison-report", format="csv"))

    rows = list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))
    assert [row["verdict"] for row in rows] == ["", "Too close to call"]
    of_one_look = ("interval low", "interval high", "p", "p (adjusted)", "P(better)", "can show", "TRisk")
    assert {rows[1][name] for name in of_one_look} == {""}
    assert float(rows[1]["always-valid p"]) > 0.05


def test_the_page_names_the_rule_that_decides(client, judgment_list, looked_again):
    page = " ".join(client.get(address(judgment_list, *looked_again)).content.decode().split())

    assert "an always-valid p-value with its interval decides" in page
    assert "use the same sign flips" not in page
