"""Comparisons that are kept by name."""

import re

import pytest
from django.urls import reverse

from evaluation.comparisons.actions.comparing import Question, compare_runs
from evaluation.comparisons.actions.comparisons import renew_comparison
from evaluation.models import Comparison, ComparisonResult
from evaluation.runs.actions.runs import delete_run
from judgments.content.actions.query_sets import archive_query_set
from judgments.lists.actions.versions import freeze_version
from judgments.models import Act, ConsensusGrade, Role
from tests import factories as make
from tests.evaluation.scored import change_grade, text_of
from tests.evaluation.two_runs import comparison_address, make_two_runs
from touchstone_core.metrics.formula import Formula

pytestmark = pytest.mark.django_db


@pytest.fixture
def engineer(client, judgment_list):
    user = make.make_member(judgment_list.query_set, Role.ENGINEER, username="ada")
    client.force_login(user)
    return user


@pytest.fixture
def runs(judgment_list):
    return make_two_runs(judgment_list)


@pytest.fixture
def saved(client, engineer, judgment_list, runs):
    """As somebody saves it from the page."""
    address = comparison_address(judgment_list, *runs, page="comparison-save")
    response = client.post(address, {"name": "New ranker", "notes": "With synonyms."})
    assert response.status_code == 302
    return Comparison.objects.get()


def listed(client, judgment_list):
    return text_of(client.get(reverse("comparisons", args=[judgment_list.query_set_id])))


def test_a_comparison_is_saved_with_what_it_was_of(client, engineer, judgment_list, runs):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    address = comparison_address(
        judgment_list, *runs, page="comparison-save", measures="RR P@1", on="P@1", k=5, version=1
    )

    client.post(address, {"name": "New ranker"})

    kept = Comparison.objects.get()
    assert (kept.formula, kept.measure, kept.measures) == ("DCG@5", "P@1", "RR P@1")
    assert (kept.version.number, kept.created_by) == (1, engineer)
    assert [one.name for one in kept.compared.all()] == ["old", "new"]
    assert Act.objects.get(subject="comparison New ranker").after["runs"] == ["old", "new"]


def test_its_link_leads_to_the_page_with_name_and_notes(client, saved, judgment_list):
    page = client.get(reverse("saved-comparison", args=[saved.pk]), follow=True)

    assert page.status_code == 200
    assert page.redirect_chain[-1][0].startswith(reverse("comparison", args=[judgment_list.pk]))
    assert "New ranker <small>saved" in text_of(page)
    assert "With synonyms." in text_of(page)
    assert "Grades have changed" not in text_of(page)
    assert "is not what was saved" not in text_of(page)


def test_every_part_of_what_was_asked_comes_back(client, engineer, judgment_list, runs):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    asked = {"measures": "RR P@1", "on": "dcg", "gain": "exp", "version": 1}
    client.post(comparison_address(judgment_list, *runs, page="comparison-save", **asked), {"name": "A"})

    page = client.get(reverse("saved-comparison", args=[Comparison.objects.get().pk]), follow=True)

    assert "is not what was saved" not in text_of(page)
    assert "DCG@10: run minus baseline" in text_of(page)


@pytest.mark.parametrize("others", [{"on": "max"}, {"k": 5}, {"measures": "RR"}, {"confirm": 1}])
def test_another_choice_says_that_it_is_not_what_was_saved(client, saved, judgment_list, runs, others):
    page = client.get(comparison_address(judgment_list, *runs, saved=saved.pk, **others), follow=True)

    assert "is not what was saved" in text_of(page)


@pytest.mark.parametrize("key", ["999", "x", "9" * 30])
def test_an_address_with_a_name_that_is_gone_shows_the_comparison_alone(
    client, saved, judgment_list, runs, key
):
    page = client.get(comparison_address(judgment_list, *runs, saved=key))

    assert page.status_code == 200
    assert "With synonyms." not in text_of(page)


def test_all_are_listed_with_what_they_said(client, saved, judgment_list):
    page = listed(client, judgment_list)

    assert "<b>new</b>: <strong>Better</strong>" in page
    assert "NDCG-global@10, which is nDCG@10, beside old, under First pass, live." in page
    assert "by ada" in page


def test_what_was_said_stays_when_the_grades_move_and_a_warning_comes(client, saved, judgment_list):
    query = judgment_list.query_set.queries.earliest("pk")
    change_grade(judgment_list, query, "0-bad", 3)

    opened = text_of(client.get(reverse("saved-comparison", args=[saved.pk]), follow=True))

    assert "Grades have changed since it was saved" in listed(client, judgment_list)
    assert "Grades have changed since it was saved" in opened
    assert "When it was saved: new: Better." in opened


def test_a_comparison_whose_grades_moved_can_be_renewed_and_keeps_what_it_said(client, saved, judgment_list):
    for place, query in enumerate(judgment_list.query_set.queries.order_by("pk")):
        change_grade(judgment_list, query, f"{place}-bad", 3)
    page = text_of(client.get(reverse("saved-comparison", args=[saved.pk]), follow=True))

    renewed = text_of(client.post(reverse("saved-comparison-renew", args=[saved.pk]), follow=True))

    same = "No difference"
    assert f"When it was saved: new: Better. Today: new: {same}." in page
    assert "Renew with the grades as they are now" in page
    assert "Grades have changed since" not in renewed
    assert re.search("Before it was renewed, [^:]+:[0-9]+: new: Better.", renewed)
    assert f"<b>new</b>: <strong>{same}</strong>" in listed(client, judgment_list)
    act = Act.objects.get(subject="comparison New ranker", verb="changed")
    assert (act.before["new"], act.after["new"]) == ("Better", same)
    assert act.before["state"] != act.after["state"]


def test_each_renewal_is_kept(client, saved, judgment_list):
    query = judgment_list.query_set.queries.earliest("pk")
    for grade in (1, 2):
        change_grade(judgment_list, query, "0-bad", grade)
        client.post(reverse("saved-comparison-renew", args=[saved.pk]))

    page = text_of(client.get(reverse("saved-comparison", args=[saved.pk]), follow=True))

    assert page.count("Before it was renewed") == 2


def hold_out(judgment_list, count, tag="aside"):
    for query in judgment_list.query_set.queries.order_by("pk")[:count]:
        query.tags = [tag]
        query.save(update_fields=["tags"])


@pytest.mark.parametrize("version", ["", 1])
def test_other_held_out_queries_are_told_and_it_can_be_renewed_over_the_rest(
    client, engineer, judgment_list, runs, version
):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    client.post(
        comparison_address(judgment_list, *runs, page="comparison-save", version=version), {"name": "A"}
    )
    saved = Comparison.objects.get().pk
    kept = reverse("saved-comparison", args=[saved])
    make.make_comparing(judgment_list.query_set, held_out="aside")
    hold_out(judgment_list, 10)
    before, warned = text_of(client.get(kept, follow=True)), listed(client, judgment_list)

    client.post(reverse("saved-comparison-renew", args=[saved]))

    same = "Too few changed queries"
    assert "Other queries are held out than when it was saved" in warned
    assert f"When it was saved: new: Better. Today: new: {same}." in before
    assert "Renew with the queries that count now" in before
    after = text_of(client.get(kept, follow=True))
    assert "Other queries are held out" not in after
    assert f"<b>new</b>: <strong>{same}</strong>" in listed(client, judgment_list)


def test_another_tag_of_a_query_that_is_not_held_out_changes_nothing(client, saved, judgment_list):
    make.make_comparing(judgment_list.query_set, held_out="")
    hold_out(judgment_list, 10)

    assert "Other queries are held out" not in listed(client, judgment_list)


def test_what_an_earlier_release_kept_is_not_said_to_be_of_other_queries(client, saved, judgment_list):
    kept = ComparisonResult.objects.get(key=f"saved-{saved.pk}")
    del kept.figures["held_out"]
    kept.save(update_fields=["figures"])
    make.make_comparing(judgment_list.query_set, held_out="aside")
    hold_out(judgment_list, 10)

    assert "Other queries are held out" not in listed(client, judgment_list)


def test_what_held_out_queries_say_is_not_saved(client, engineer, judgment_list, runs):
    make.make_comparing(judgment_list.query_set, held_out="aside")
    hold_out(judgment_list, 10)
    chosen = {"confirm": 1}
    client.post(comparison_address(judgment_list, *runs, page="comparison-open", **chosen))

    page = client.post(
        comparison_address(judgment_list, *runs, page="comparison-save", **chosen), {"name": "A"}, follow=True
    )

    assert "is not kept by name" in text_of(page)
    assert not Comparison.objects.exists()


def test_of_two_renewals_at_once_one_is_kept(client, saved, judgment_list, runs):
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)
    question = Question(
        judgment_list=judgment_list, version=None, runs=tuple(runs), formula=Formula(), on="global"
    )
    answer = compare_runs(question=question, user=None, at=make.NOW)

    for _ in range(2):  # both were asked for before either was done
        renew_comparison(saved=saved, question=question, answer=answer, at=make.NOW)

    kept = ComparisonResult.objects.get(key=f"saved-{saved.pk}")
    assert len(kept.figures["earlier"]) == 1
    assert Act.objects.filter(subject="comparison New ranker", verb="changed").count() == 1


def test_what_has_not_moved_or_can_no_longer_be_compared_is_not_renewed(client, saved, judgment_list, runs):
    address = reverse("saved-comparison-renew", args=[saved.pk])

    still = text_of(client.post(address, follow=True))
    query = judgment_list.query_set.queries.earliest("pk")
    change_grade(judgment_list, query, "0-bad", 3)
    ConsensusGrade.objects.filter(judgment_list=judgment_list).update(value=None)
    judgment_list.list_queries.update(revision=9)
    nothing = text_of(client.post(address, follow=True))
    delete_run(run=runs[1])
    gone = text_of(client.post(address, follow=True))

    assert "there is nothing to renew" in still
    assert "Not renewed. No query has a value in every run" in nothing
    assert "there is nothing to renew" in gone
    assert not Act.objects.filter(subject="comparison New ranker", verb="changed").exists()


def test_a_version_never_moves(client, engineer, judgment_list, runs):
    freeze_version(judgment_list=judgment_list, at=make.NOW)
    client.post(comparison_address(judgment_list, *runs, page="comparison-save", version=1), {"name": "A"})
    change_grade(judgment_list, judgment_list.query_set.queries.earliest("pk"), "0-bad", 3)

    page = listed(client, judgment_list)

    assert "version 1" in page
    assert "Grades have changed" not in page


def test_a_run_that_is_gone_is_named(client, saved, judgment_list, runs):
    delete_run(run=runs[1])

    opened = client.get(reverse("saved-comparison", args=[saved.pk]), follow=True)

    assert "Deleted since: new. Too few runs are left to compare." in text_of(opened)
    assert "Deleted since: new." in listed(client, judgment_list)


def test_name_and_notes_are_changed_by_anybody_of_the_staff(client, saved, judgment_list):
    other = make.make_member(judgment_list.query_set, Role.ADMIN)
    client.force_login(other)
    address = reverse("saved-comparison-edit", args=[saved.pk])

    shown = client.get(address)
    client.post(address, {"name": "Ranker 2", "notes": "Released."})

    saved.refresh_from_db()
    assert "With synonyms." in text_of(shown)
    assert (saved.name, saved.notes) == ("Ranker 2", "Released.")
    assert Act.objects.get(subject="comparison Ranker 2").before["name"] == "New ranker"


def test_a_list_has_a_limited_number_of_saved_comparisons(client, saved, judgment_list, runs, monkeypatch):
    monkeypatch.setattr("evaluation.comparisons.actions.comparisons.MOST_COMPARISONS", 1)

    again = client.post(
        comparison_address(judgment_list, *runs, page="comparison-save"), {"name": "One more"}
    )

    assert again.status_code == 422
    assert "already has 1 saved comparisons" in text_of(again)
    assert Comparison.objects.count() == 1


def test_a_name_is_given_once(client, saved, judgment_list, runs):
    other = make.make_comparison(judgment_list, runs, name="Other")
    again = client.post(
        comparison_address(judgment_list, *runs, page="comparison-save"), {"name": "new RANKER"}
    )
    renamed = client.post(reverse("saved-comparison-edit", args=[other.pk]), {"name": "New ranker"})
    empty = client.post(comparison_address(judgment_list, *runs, page="comparison-save"), {"name": " "})

    assert (again.status_code, renamed.status_code, empty.status_code) == (422, 422, 422)
    assert "is taken already" in text_of(again)
    assert Comparison.objects.count() == 2


def test_a_deleted_comparison_leaves_a_line_in_the_log(client, saved, judgment_list):
    response = client.post(reverse("saved-comparison-delete", args=[saved.pk]))

    assert response.status_code == 302
    assert not Comparison.objects.exists()
    assert not ComparisonResult.objects.filter(key__startswith="saved-").exists()
    assert Act.objects.filter(verb="deleted", subject="comparison New ranker").exists()


def test_what_cannot_be_compared_is_not_saved(client, engineer, judgment_list, runs):
    empty = make.make_list(judgment_list.query_set)
    refused = [
        comparison_address(empty, *runs, page="comparison-save"),
        comparison_address(judgment_list, runs[0], page="comparison-save"),
        comparison_address(judgment_list, *runs, page="comparison-save", k=0),
    ]

    responses = [client.post(address, {"name": "A"}) for address in refused]

    assert {response.status_code for response in responses} == {302}
    assert not Comparison.objects.exists()


def test_the_form_says_what_is_saved(client, engineer, judgment_list, runs):
    page = text_of(client.get(comparison_address(judgment_list, *runs, page="comparison-save")))

    assert "old as the baseline of new, on NDCG-global@10, under First pass" in page


def test_the_latest_stand_on_the_home_page(client, saved, judgment_list):
    page = text_of(client.get(reverse("home")))

    assert "Latest comparisons" in page
    assert reverse("saved-comparison", args=[saved.pk]) in page


def test_a_query_set_without_lists_says_what_is_missing(client, engineer):
    query_set = make.make_query_set()
    client.force_login(make.make_member(query_set, Role.ADMIN))

    page = text_of(client.get(reverse("comparisons", args=[query_set.pk])))

    assert "Runs are compared under a judgment list" in page


def test_old_results_are_forgotten_and_what_was_saved_is_not(client, saved, judgment_list, runs):
    old = [
        ComparisonResult(
            query_set=saved.query_set,
            judgment_list=judgment_list,
            key=f"{nth}",
            seed=1,
            draws=1,
            figures={},
            computed_at=make.NOW,
        )
        for nth in range(205)
    ]
    ComparisonResult.objects.bulk_create(old)

    client.get(comparison_address(judgment_list, *runs, on="max"))

    assert ComparisonResult.objects.filter(key__startswith="saved-").count() == 1
    assert ComparisonResult.objects.count() == 201


def test_in_an_archive_comparisons_are_read_and_not_changed(client, saved, judgment_list, runs):
    archive_query_set(query_set=judgment_list.query_set, user=None, at=make.NOW)

    refused = [
        client.post(comparison_address(judgment_list, *runs, page="comparison-save"), {"name": "B"}),
        client.post(reverse("saved-comparison-edit", args=[saved.pk]), {"name": "B"}),
        client.post(reverse("saved-comparison-delete", args=[saved.pk])),
    ]
    opened = text_of(client.get(reverse("saved-comparison", args=[saved.pk]), follow=True))

    assert [response.status_code for response in refused] == [409, 409, 409]
    assert Comparison.objects.get().name == "New ranker"
    assert "With synonyms." in opened
    assert "Save this comparison" not in opened
    assert "Change" not in listed(client, judgment_list).split("New ranker")[1]
