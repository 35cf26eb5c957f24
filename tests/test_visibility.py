"""`visible_to` of every model: nothing for strangers, everything of one's query set by role, nothing of another."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser

from evaluation.models import (
    ComparedRun,
    Comparing,
    Comparison,
    ComparisonLook,
    ComparisonResult,
    Contest,
    Evaluation,
    EvaluationTotals,
    IntendedQuery,
    Intent,
    MeasureEvaluation,
    MeasureScore,
    Ranking,
    Run,
    SavedFormula,
    SavedView,
    Score,
)
from judgments import models
from judgments.lists.actions.versions import freeze_version
from judgments.models import User
from tests import factories as make

pytestmark = pytest.mark.django_db

STAFF = {"engineer", "admin", "site"}
ADMINS = {"admin", "site"}
WHO_SEES = {
    models.QuerySet: STAFF | {"rater"},
    models.Membership: ADMINS,
    models.Query: STAFF,
    models.Document: STAFF,
    models.Scale: STAFF | {"rater"},
    models.Grade: STAFF | {"rater"},
    models.JudgmentList: STAFF,
    models.ListQuery: STAFF,
    models.Pair: STAFF,
    models.ConsensusGrade: STAFF,
    models.Rater: ADMINS,
    models.Slot: ADMINS,
    models.Judgment: ADMINS,
    models.CountingJudgment: ADMINS,
    models.JudgmentHistory: ADMINS,
    models.Batch: ADMINS,
    models.Skip: ADMINS,
    models.Handout: ADMINS,
    models.RaterQueue: ADMINS,
    models.Assignment: ADMINS,
    models.GoldPair: ADMINS,
    models.GoldDraw: ADMINS,
    models.RepeatDraw: ADMINS,
    models.RepeatAnswer: ADMINS,
    models.Version: STAFF,
    models.VersionGrades: STAFF,
    models.Adjudication: ADMINS,
    models.Exclusion: ADMINS,
    models.Act: ADMINS,
    models.Invitation: ADMINS,
    models.AgreementHeadline: STAFF,
    models.AgreementResult: ADMINS,
    models.ModelFit: ADMINS,
    models.ModelGrade: ADMINS,
    models.PasswordTries: set(),
    models.SignIn: {"engineer"},
    models.ApiToken: {"engineer"},
    models.ApiUse: set(),
    models.ApiAnswer: set(),
    models.Host: set(),
    models.SiteKey: set(),
    models.StoredFile: set(),
    models.StoredBlock: set(),
    models.KeptFields: ADMINS,
    models.Upload: {"engineer"},
    models.Draft: {"engineer"},
    models.Deletion: ADMINS,
    Run: STAFF,
    Ranking: STAFF,
    Evaluation: STAFF,
    EvaluationTotals: STAFF,
    Score: STAFF,
    MeasureEvaluation: STAFF,
    MeasureScore: STAFF,
    SavedFormula: STAFF,
    SavedView: STAFF,
    Intent: STAFF,
    IntendedQuery: STAFF,
    Contest: STAFF,
    Comparison: STAFF,
    ComparedRun: STAFF,
    ComparisonResult: STAFF,
    ComparisonLook: STAFF,
    Comparing: STAFF,
}


@pytest.fixture
def viewers():
    """A query set with one row of every model, and an account of every role; the rows belong to another rater."""
    query_set = make.make_query_set()
    viewers = {role: make.make_member(query_set, role) for role in ("rater", "engineer", "admin")}
    viewers |= {
        "site": make.make_user(is_superuser=True),
        "stranger": make.make_user(),
        "nobody": AnonymousUser(),
    }
    scale = query_set.scales.create(name="Own", maximum=1)
    scale.grades.create(value=1, label="Yes", gain=1, key="1")
    judgment_list = make.make_list(query_set, scale=scale)
    pair = make.make_pair(judgment_list, make.make_query(query_set), make.make_document(query_set))
    rater = make.make_rater(query_set, make.make_user())
    make.make_consensus(pair, 1)
    make.make_judgment(pair, rater, 1)
    common = {"query_set": query_set, "pair": pair, "rater": rater}
    models.Slot.objects.create(
        **common,
        judgment_list=judgment_list,
        query_position=1,
        ordinal=1,
        lease_until=make.NOW + timedelta(1),
    )
    models.JudgmentHistory.objects.create(
        **common, value=1, action="changed", answered_at=make.NOW, replaced_at=make.NOW
    )
    make.make_batch(judgment_list)
    models.Skip.objects.create(
        judgment_list=judgment_list, pair=pair, rater=rater, query=pair.query, at=make.NOW
    )
    models.Handout.objects.create(pair=pair, rater=rater)
    models.RaterQueue.objects.create(judgment_list=judgment_list, rater=rater, seed=1)
    models.Assignment.objects.create(judgment_list=judgment_list, user=rater.user)
    make.make_gold_pair(pair, 1)
    models.GoldDraw.objects.create(
        judgment_list=judgment_list, pair=pair, rater=rater, query_position=1, drawn_at=make.NOW
    )
    draw = models.RepeatDraw.objects.create(
        judgment_list=judgment_list, pair=pair, rater=rater, query_position=1, number=1, drawn_at=make.NOW
    )
    models.RepeatAnswer.objects.create(
        draw=draw, value=1, first_value=1, first_at=make.NOW, given_at=make.NOW, request_id=UUID(int=1)
    )
    models.Upload.objects.create(
        query_set=query_set, user=viewers["engineer"], purpose="run", name="a", size=1, sha256="", file="a"
    )
    make.make_token(viewers["engineer"])
    models.Draft.objects.create(user=viewers["engineer"], name="A draft")
    models.Deletion.objects.create(
        query_set=query_set, kind="list", keys=[1], subject="list A", requested_at=make.NOW
    )
    models.SignIn.objects.create(user=viewers["engineer"], session="a", since=make.NOW, seen_at=make.NOW)
    judgment_list.kept_fields.create(query_set=query_set, format="quepid-book", fields={})
    freeze_version(judgment_list=judgment_list)
    common = {"query_set": query_set, "judgment_list": judgment_list, "at": make.NOW}
    models.Adjudication.objects.create(**common, pair=pair, value=1, cause="slip")
    models.Exclusion.objects.create(**common, rater=make.make_rater(query_set))
    fit = models.ModelFit.objects.create(query_set=query_set, judgment_list=judgment_list, rule="ds-nominal")
    fit.grades.create(query_set=query_set, pair=pair, value=1, likeliest=1, certainty=1, labels=1)
    models.Act.objects.create(**common, verb="changed", subject="A list")
    models.Invitation.objects.create(
        query_set=query_set, role="rater", created_at=make.NOW, expires_at=make.NOW
    )
    models.AgreementHeadline.objects.create(
        query_set=query_set, judgment_list=judgment_list, judgments=1, computed_at=make.NOW
    )
    models.AgreementResult.objects.create(
        query_set=query_set, judgment_list=judgment_list, figures={}, computed_at=make.NOW
    )
    run = make.make_run(query_set)
    Ranking.objects.create(query_set=query_set, query=pair.query, run=run, size=0, documents=b"")
    evaluation = Evaluation.objects.create(
        query_set=query_set, run=run, judgment_list=judgment_list, formula="DCG@10"
    )
    sums = dict.fromkeys(("dcg", "ideal_local", "ideal_recall", "ideal_global", "ideal_max"), 0)
    Score.objects.create(
        query_set=query_set, evaluation=evaluation, query=pair.query, revision=1, shown=0, judged=0, **sums
    )
    make.make_totals(evaluation)
    measured = MeasureEvaluation.objects.create(
        query_set=query_set, run=run, judgment_list=judgment_list, measure="AP"
    )
    MeasureScore.objects.create(query_set=query_set, evaluation=measured, query=pair.query, revision=1)
    make.make_saved_formula(query_set)
    make.make_saved_view(query_set)
    make.make_intent(query_set, [pair.query])
    common = {"query_set": query_set, "judgment_list": judgment_list}
    comparison = Comparison.objects.create(**common, name="A", created_at=make.NOW, changed_at=make.NOW)
    ComparedRun.objects.create(comparison=comparison, run=run, name=run.name, position=0)
    ComparisonResult.objects.create(**common, seed=1, draws=1, figures={}, computed_at=make.NOW)
    second = make.make_run(query_set)
    ComparisonLook.objects.create(**common, first=run, second=second, at=make.NOW)
    Comparing.objects.create(query_set=query_set)
    make.make_contest(judgment_list, run, second)
    return viewers


def test_every_model_is_in_the_table():
    ours = {model for app in ("judgments", "evaluation") for model in apps.get_app_config(app).get_models()}

    assert ours - {User} == set(WHO_SEES), "say in WHO_SEES which roles see rows of the new model"


def seen_by(model, viewers):
    """The roles that see a row of `model` beyond the scales that come with the program."""
    presets = set()
    if model is models.Scale:
        presets = set(model.objects.filter(query_set=None))
    elif model is models.Grade:
        presets = set(model.objects.filter(scale__query_set=None))
    return {role for role, viewer in viewers.items() if set(model.objects.visible_to(viewer)) - presets}


def test_rows_are_seen_by_their_roles_only(viewers):
    assert {model: seen_by(model, viewers) for model in WHO_SEES} == WHO_SEES


def test_a_rater_sees_the_own_rows(viewers):
    owner = models.Judgment.objects.get().rater.user
    own = [
        models.Judgment,
        models.CountingJudgment,
        models.Slot,
        models.Skip,
        models.RaterQueue,
        models.JudgmentHistory,
    ]

    assert {model: model.objects.visible_to(owner).count() for model in own} == dict.fromkeys(own, 1)
