"""The example data loads whole and tells the story that its README promises."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from evaluation.models import Evaluation, Run
from judgments.models import ConsensusGrade, Judgment, JudgmentList, Pair, QuerySet, Slot, User
from judgments.overview.reports.outlook import outlook

pytestmark = pytest.mark.django_db


def test_the_example_loads_once_with_every_kind_of_thing(capsys):
    call_command("load_example", "--if-empty")
    call_command("load_example", "--if-empty")

    assert list(QuerySet.objects.values_list("name", flat=True)) == ["Outdoor shop", "Zoolander"]
    shop = JudgmentList.objects.get(name="First pass")
    assert shop.guidelines == shop.guidelines.strip()  # else saving the settings would make a new version
    assert Pair.objects.filter(judgment_list=shop).count() == 275
    assert Judgment.objects.filter(judgment_list=shop).count() == 701
    assert Run.objects.filter(query_set=shop.query_set).count() == 4
    assert Slot.objects.filter(judgment_list=shop).count() == 275 * 3 - 701
    assert ConsensusGrade.objects.filter(judgment_list=shop, judgments=3).exists()
    assert capsys.readouterr().out.count("loaded") == 1


def test_the_shop_was_judged_until_yesterday_so_that_its_pace_says_something():
    call_command("load_example")

    shop = JudgmentList.objects.get(name="First pass")
    at = timezone.now()
    assert Judgment.objects.filter(judgment_list=shop).latest(
        "created_at"
    ).created_at.date() == at.date() - timedelta(days=1)
    report = outlook(shop, pairs=275, at=at)
    assert report.pace == (701 - 106) / 6  # the first of seven days, with 106, is a week ago
    assert report.burn_down.finish is not None


def test_the_runs_were_uploaded_on_four_days_until_yesterday_so_that_their_trend_says_something():
    call_command("load_example")

    runs = Run.objects.filter(query_set__name="Outdoor shop").order_by("created_at")
    today = timezone.now().date()
    assert [run.name for run in runs] == ["bm25", "keyword-popularity", "postgres-fts", "title-trigram"]
    assert [(today - run.created_at.date()).days for run in runs] == [4, 3, 2, 1]


def test_the_other_runs_of_the_shop_are_shown_against_bm25():
    call_command("load_example")

    assert list(Run.objects.filter(is_baseline=True).values_list("query_set__name", "name")) == [
        ("Outdoor shop", "bm25")
    ]


def test_every_run_is_scored_so_that_the_first_page_has_its_value():
    call_command("load_example")

    scored = Evaluation.objects.filter(ndcg_global__isnull=False)
    assert set(scored.values_list("run__name", flat=True)) == set(Run.objects.values_list("name", flat=True))


def test_demo_accounts_have_no_password():
    call_command("load_example")

    assert not any(user.has_usable_password() for user in User.objects.all())


def test_an_account_that_is_there_is_kept_as_it_is():
    User.objects.create_user("noor", password="of her own", first_name="Noor")
    User.objects.create_user("admin", password="of her own")

    call_command("load_example")

    assert User.objects.get(username="noor").check_password("of her own")
    assert User.objects.get(username="admin").check_password("of her own")


def test_loading_twice_is_refused_and_changes_nothing():
    call_command("load_example")

    with pytest.raises(CommandError, match="here already"):
        call_command("load_example")
    assert QuerySet.objects.count() == 2
