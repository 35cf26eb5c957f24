"""The page that adds pairs says what is known of two runs, what decides, and when enough is judged."""

import numpy as np
import pytest
from django.urls import reverse

from evaluation.models import Comparing
from evaluation.pools.actions.deciding import add_deciding
from evaluation.pools.actions.pools import add_pool
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, ConsensusGrade, Pair, Role, Scale
from tests import factories as make
from tests.api import Api
from tests.evaluation.pools.deciding import deciding_form, judge_all
from tests.evaluation.scored import make_scale
from tests.evaluation.two_runs import comparison_address
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db


def shown(client, judgment_list, **parameters):
    page = client.get(reverse("list-pairs", args=[judgment_list.pk]), parameters)
    return page, " ".join(page.content.decode().split())


def judged_by_batches(judgment_list, runs):
    formula, random = Formula(cutoff=4), np.random.default_rng(1)
    while add_deciding(judgment_list=judgment_list, runs=runs, formula=formula, judgments=25, random=random):
        judge_all(judgment_list)


def test_before_anything_is_judged_nothing_is_known(client, world):
    judgment_list, runs = world
    page, html = shown(client, judgment_list, **deciding_form(runs))

    assert page.status_code == 200
    assert "Nothing on the pages of old and new is judged yet" in html
    assert "This batch has 22 pairs that decide most, and 3 drawn at random" in html
    assert "Add 25 pairs" in html
    assert not Pair.objects.exists()


def test_the_post_of_the_preview_adds_the_batch(client, world):
    judgment_list, runs = world
    _, html = shown(client, judgment_list, **deciding_form(runs))
    assert 'name="judgments" value="25"' in html
    assert 'name="formula" value="DCG@4"' in html

    client.post(
        reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, formula="DCG@4", queries="every")
    )

    assert Pair.objects.count() == 25
    assert Act.objects.filter(after__has_key="selection").count() == 2


def test_a_double_click_adds_one_batch(client, world):
    judgment_list, runs = world
    _, html = shown(client, judgment_list, **deciding_form(runs))
    assert 'name="pair_count" value="0"' in html
    sent = deciding_form(runs, formula="DCG@4", queries="every", pair_count="0")

    first, second = (client.post(reverse("list-pairs", args=[judgment_list.pk]), sent) for _ in range(2))

    assert (first.status_code, second.status_code) == (302, 200)
    assert "have changed since your preview, perhaps by a first click" in second.content.decode()
    assert 'name="pair_count" value="25"' in second.content.decode()
    assert Pair.objects.count() == 25


def test_what_is_known_is_said_in_plain_words(client, world):
    judgment_list, runs = world
    client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, judgments=16))
    judge_all(judgment_list)

    page, html = shown(client, judgment_list, **deciding_form(runs))

    assert not page.context["preview"].deciding.decided
    assert "So far new is ahead of old: 16 of the 160 documents on their pages are judged." in html


def test_pairs_that_wait_are_named(client, world):
    judgment_list, runs = world
    client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs))

    assert (
        "25 pairs that can decide wait for raters. The next batch is chosen better once these are judged."
        in shown(client, judgment_list, **deciding_form(runs))[1]
    )


def test_once_decided_nothing_more_is_offered(client, world):
    judgment_list, runs = world
    judged_by_batches(judgment_list, runs)
    before = Pair.objects.count()

    html = shown(client, judgment_list, **deciding_form(runs))[1]
    posted = client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs), follow=True)

    assert (
        "<strong>Decided:</strong> no more judgments are needed. new is better than old on these queries"
        in html
    )
    assert "Add " not in html[html.index("Preview") : html.index("What a pool is")]
    assert "Nothing was added" in posted.content.decode()
    assert Pair.objects.count() == before


def test_runs_that_are_the_same_are_even(client, world):
    judgment_list, runs = world
    same = make.make_run(judgment_list.query_set, name="same")
    for ranking in runs[0].rankings.all():
        ranking.pk = (ranking.query_set_id, ranking.query_id, same.pk)
        ranking.run = same
        ranking.save(force_insert=True)

    html = shown(client, judgment_list, **deciding_form([runs[0], same]))[1]

    assert "old and same are even by NDCG-max@4, whatever grades are missing" in html


@pytest.mark.parametrize(
    ("others", "field", "words"),
    [
        ({"queries": "graded"}, "queries", "among all queries of the runs"),
        ({"depth": 101}, "depth", "down to rank 100"),
        ({"judgments": 0}, "judgments", "1"),
        ({"judgments": 10_001}, "judgments", "10,000"),
        ({"formula": "nonsense"}, "formula", "nonsense"),
    ],
)
def test_what_cannot_be_worked_out_is_refused(client, world, others, field, words):
    judgment_list, runs = world

    page, _ = shown(client, judgment_list, **deciding_form(runs, **others))

    assert page.status_code == 422
    assert words in page.context["form"].errors[field][0]


def test_a_formula_that_the_scale_does_not_allow_is_refused(client, world):
    judgment_list, runs = world
    judgment_list.scale = Scale.objects.create(name="Continuous", continuous=True, minimum=0, maximum=3)
    judgment_list.save()

    page, _ = shown(client, judgment_list, **deciding_form(runs, formula="DCG(gain='table')@4"))

    assert page.status_code == 422
    assert "formula" in page.context["form"].errors


def test_a_scale_on_which_nothing_gains_decides_nothing(client, world):
    judgment_list, runs = world
    judgment_list.scale = make_scale(0, 1, gains=[0, 0])
    judgment_list.save()

    page, _ = shown(client, judgment_list, **deciding_form(runs, formula="DCG(gain='table')@4"))

    assert page.status_code == 422
    assert "gains anything" in page.context["form"].errors["documents"][0]


@pytest.mark.parametrize("count", [1, 3])
def test_it_takes_two_runs(client, world, count):
    judgment_list, runs = world
    third = make.make_run(judgment_list.query_set, name="third")

    page, _ = shown(client, judgment_list, **deciding_form([*runs, third][:count]))

    assert page.status_code == 422
    assert "Choose the two runs to decide between." in page.context["form"].errors["documents"][0]


@pytest.mark.parametrize("decide", [True, False])
def test_the_comparison_says_how_many_more_decide_and_leads_here(client, world, decide):
    judgment_list, runs = world
    client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, judgments=16))
    judge_all(judgment_list, is_even=decide)

    page = client.get(comparison_address(judgment_list, *runs, k=4))
    html = " ".join(page.content.decode().split())

    (row,) = page.context["forest"]["rows"]
    assert (row["verdict"].kind, bool(row["outlook"]["left"])) == ("open", decide)
    assert ("decide new against old on these queries, by NDCG-max." in html) == decide
    assert ("One more batch of judgments confirms it, or shows that it was luck." in html) == (not decide)
    beside_verdict = f'?{row["outlook"]["parameters"]}">About'.replace("&", "&amp;")
    assert (f"/lists/{judgment_list.pk}/pairs/{beside_verdict}" in html) == decide
    verdict = html[html.index("compare-verdict") : html.index('id="causes"')]
    assert ("Request missing judgments" in verdict) == (not decide)  # one link, not two
    link = f"?run={runs[0].pk}&amp;run={runs[1].pk}&amp;depth=4&amp;documents=deciding&amp;formula=DCG%404"
    assert link in html
    assert ">Judge what decides</a>" in html

    outlook = row["outlook"]
    expected = (
        f"So far {outlook['ahead']} is ahead by NDCG-max."
        if decide
        else f"{outlook['ahead']} is better than {outlook['behind']} on these queries by NDCG-max. One more batch"
    )
    assert expected in html

    client.force_login(make.make_member(judgment_list.query_set, Role.ENGINEER))
    of_engineer = " ".join(client.get(comparison_address(judgment_list, *runs, k=4)).content.decode().split())
    assert (link in of_engineer, ">Judge what decides</a>" in of_engineer) == (True, True)

    report = client.get(comparison_address(judgment_list, *runs, k=4, page="comparison-report"))
    said = " ".join(report.content.decode().split())
    assert expected in said
    assert ">Judge what decides</a>" not in said  # whoever gets the report may not come here


def test_the_comparison_does_not_rest_on_what_was_chosen_for_what_it_decides(client, world):
    judgment_list, runs = world
    judged_by_batches(judgment_list, runs)

    context = client.get(comparison_address(judgment_list, *runs, k=4)).context

    (row,) = context["comparison"].candidates
    assert row.beside.verdict.headline in ("Better", "Probably better once everything is judged")
    assert [one["decided"] for one in context["outlooks"]] in ([True], [])


def test_a_version_that_was_frozen_before_is_compared_as_before(client, world):
    """What happens to the live list changes no published figure."""
    judgment_list, runs = world
    add_pool(judgment_list=judgment_list, runs=runs, depth=1)
    judge_all(judgment_list)
    freeze_version(judgment_list=judgment_list)
    client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, judgments=16))
    judge_all(judgment_list)
    freeze_version(judgment_list=judgment_list)

    targeted = []
    for version in (1, 2):
        context = client.get(comparison_address(judgment_list, *runs, k=4, version=version)).context
        targeted.append(context["comparison"].figures["coverage"]["targeted"])

    assert targeted == [[False, False], [True, True]]


def test_a_gate_of_the_site_warns_of_it(client, world):
    judgment_list, runs = world
    api = Api(make.make_member(judgment_list.query_set, Role.ENGINEER))
    query = judgment_list.query_set.queries.earliest("pk").external_id
    call = f"lists/{judgment_list.pk}/gate?conditions=--measure RR --min 0"
    add_pool(judgment_list=judgment_list, runs=runs, depth=1)
    judge_all(judgment_list)
    warnings = []
    for _ in range(2):
        warnings.append(api.post(call, f"{query} Q0 d1 1 2 t\n".encode()).json()["warnings"])
        client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, judgments=16))

    assert [any("judged for what they decide" in one for one in found) for found in warnings] == [False, True]


def test_no_value_with_zeros_stands_beside_a_verdict_on_what_was_chosen(client, world):
    judgment_list, runs = world
    client.post(reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, judgments=16))
    judge_all(judgment_list)

    context = client.get(comparison_address(judgment_list, *runs, k=4)).context

    (row,) = context["comparison"].candidates
    assert context["comparison"].figures["coverage"]["targeted"] == [True, True]
    assert row.beside.verdict.needs_judging
    assert (row.beside.verdict.rule.p, row.beside.difference.sign) == (None, 0)
    assert "If everything were judged" in row.beside.verdict.details


def test_other_pairs_say_nothing_of_targeted_judgments(client, world):
    judgment_list, runs = world
    client.post(
        reverse("list-pairs", args=[judgment_list.pk]), deciding_form(runs, documents="every", depth=2)
    )
    judge_all(judgment_list)

    context = client.get(comparison_address(judgment_list, *runs, k=4)).context

    assert context["comparison"].figures["coverage"]["targeted"] == [False, False]


def test_runs_of_which_every_query_is_held_out_have_nothing_to_decide(client, world):
    judgment_list, runs = world
    judgment_list.query_set.queries.update(tags=["kept"])
    Comparing.objects.create(query_set=judgment_list.query_set, held_out="kept")

    page, html = shown(client, judgment_list, **deciding_form(runs))

    assert page.status_code == 200
    assert "Nothing to decide: these runs return nothing, or only for queries that are held out." in html


def test_a_run_that_is_gone_when_the_form_is_sent_is_refused(client, world):
    judgment_list, runs = world
    shown(client, judgment_list, **deciding_form(runs))
    chosen = deciding_form(runs)
    runs[1].delete()

    page = client.post(reverse("list-pairs", args=[judgment_list.pk]), chosen)

    assert page.status_code == 422
    assert "One of the runs is not there any more." in page.content.decode()
    assert not Pair.objects.exists()


def grade_above_the_scale(judgment_list, runs):
    """As only somebody who changes rows by hand makes one."""
    judged_by_batches(judgment_list, runs)
    ConsensusGrade.objects.update(value=9)


def test_a_grade_above_the_scale_is_said_in_a_sentence(client, world):
    """The run table says the same."""
    judgment_list, runs = world
    grade_above_the_scale(judgment_list, runs)
    sentence = "The grade 9 lies above the top of the scale, 3."
    pairs = Pair.objects.count()

    page, html = shown(client, judgment_list, **deciding_form(runs))
    address = reverse("list-pairs", args=[judgment_list.pk])
    sent = [client.post(address, deciding_form(runs, **others)) for others in ({}, {"until_decided": "1"})]

    assert page.status_code == 422
    assert sentence in html
    assert [one.status_code for one in sent] == [422, 422]
    assert Pair.objects.count() == pairs


def test_programs_get_the_sentence_too(world):
    judgment_list, runs = world
    grade_above_the_scale(judgment_list, runs)
    admin = make.make_member(judgment_list.query_set, Role.ADMIN)

    keys = "-".join(str(run.pk) for run in runs)
    call = f"lists/{judgment_list.pk}/pairs/preview?runs={keys}&depth=4&documents=deciding"
    answer = Api(admin).get(call)

    assert answer.status_code == 422
    assert "The grade 9 lies above the top of the scale, 3." in answer.json()["detail"]
