"""A query set with rows in every table that there is, for what copies or deletes whole query sets."""

from datetime import timedelta

from django.apps import apps
from django.core.files.base import ContentFile

from evaluation.models import (
    ComparedRun,
    Comparing,
    Comparison,
    ComparisonLook,
    ComparisonResult,
    Evaluation,
    MeasureEvaluation,
    MeasureScore,
    Ranking,
    Score,
)
from judgments import models
from judgments.content.sql.deleting import scope_of
from judgments.lists.actions.versions import freeze_version
from tests import factories as make

NOW = make.NOW


class WholeSet:
    """`list` has a frozen version, `second` has none; both are judged by an account and by an external rater."""

    def __init__(self, name="Shop"):
        self.query_set = make.make_query_set(name=name)
        self.admin = make.make_member(self.query_set, "admin")
        self.scale = self.query_set.scales.create(name="Own", maximum=1)
        for value in (0, 1):
            self.scale.grades.create(value=value, label=str(value), gain=value, key=str(value))
        self.queries = [make.make_query(self.query_set) for _ in range(2)]
        self.documents = [make.make_document(self.query_set) for _ in range(2)]
        self.raters = [make.make_rater(self.query_set), make.make_rater(self.query_set, make.make_user())]
        self.list = self._list("First", scale=self.scale)
        self.second = self._list("Second", scale=make.preset())
        self.version = freeze_version(judgment_list=self.list)
        make.make_invitation(self.query_set)
        self._runs()

    def _list(self, name, scale):
        judgment_list = make.make_list(self.query_set, name=name, scale=scale, overlap=3)
        for query, document in zip(self.queries, self.documents, strict=True):
            self._pair(make.make_pair(judgment_list, query, document))
        models.Assignment.objects.create(judgment_list=judgment_list, user=self.raters[1].user)
        models.RaterQueue.objects.create(
            judgment_list=judgment_list, rater=self.raters[1], seed=1, query_position=2, judgment_count=2
        )
        models.Exclusion.objects.create(
            query_set=self.query_set,
            judgment_list=judgment_list,
            rater=self.raters[0],
            at=NOW,
            lifted_at=NOW,
        )
        models.AgreementHeadline.objects.create(
            query_set=self.query_set, judgment_list=judgment_list, judgments=4, computed_at=NOW
        )
        fit = models.ModelFit.objects.create(
            query_set=self.query_set, judgment_list=judgment_list, rule="ds-nominal"
        )
        models.ModelGrade.objects.create(
            query_set=self.query_set,
            fit=fit,
            pair=judgment_list.pairs.first(),
            value=1,
            likeliest=1,
            certainty=1,
            labels=2,
        )
        models.Upload.objects.create(
            query_set=self.query_set,
            judgment_list=judgment_list,
            user=self.admin,
            purpose="judgments",
            name="a.csv",
            size=1,
            sha256="0" * 64,
            file=ContentFile(b"a", name="a.csv"),
        )
        return judgment_list

    def _pair(self, pair):
        common = {"query_set": self.query_set, "pair": pair, "rater": self.raters[1]}
        for number, rater in enumerate(self.raters):
            make.make_judgment(pair, rater, number)
        make.make_consensus(pair, 1, spread=1, answers=2)
        models.Slot.objects.create(
            **common,
            judgment_list=pair.judgment_list,
            query_position=1,
            ordinal=1,
            lease_until=NOW + timedelta(1),
        )
        models.JudgmentHistory.objects.create(
            **common, value=1, action="changed", answered_at=NOW, replaced_at=NOW
        )
        mine = {"judgment_list": pair.judgment_list, "pair": pair, "rater": self.raters[1]}
        models.Skip.objects.create(**mine, query=pair.query, at=NOW)
        models.Handout.objects.create(pair=pair, rater=self.raters[1])
        models.GoldDraw.objects.create(**mine, query_position=1, drawn_at=NOW)
        models.Adjudication.objects.create(
            query_set=self.query_set,
            judgment_list=pair.judgment_list,
            pair=pair,
            value=1,
            cause="slip",
            at=NOW,
        )
        if pair.query == self.queries[0]:
            make.make_gold_pair(pair, 1)

    def _runs(self):
        query_set, judgment_list = self.query_set, self.second
        self.runs = [make.make_run(query_set, query_count=1) for _ in range(2)]
        sums = dict.fromkeys(("dcg", "ideal_local", "ideal_recall", "ideal_global", "ideal_max"), 0)
        for run in self.runs:
            Ranking.objects.create(
                query_set=query_set,
                query=self.queries[0],
                run=run,
                size=1,
                documents=b"packed",
                hit_ranks=[1],
                hit_documents=[self.documents[0].pk],
                pairs_revision=7,
            )
            for version in (None, self.version):
                scored = {"query_set": query_set, "run": run, "version": version}
                scored["judgment_list"] = self.list if version else judgment_list
                evaluation = Evaluation.objects.create(**scored, formula="DCG@10")
                of_query = {"query_set": query_set, "query": self.queries[0], "revision": 1}
                Score.objects.create(**of_query, evaluation=evaluation, shown=0, judged=0, **sums)
                make.make_totals(evaluation)
                measured = MeasureEvaluation.objects.create(**scored, measure="AP")
                MeasureScore.objects.create(**of_query, evaluation=measured)
        make.make_saved_formula(query_set)
        make.make_intent(query_set, self.queries[:2])
        common = {"query_set": query_set, "judgment_list": judgment_list}
        comparison = Comparison.objects.create(**common, name="A", created_at=NOW, changed_at=NOW)
        ComparedRun.objects.create(comparison=comparison, run=self.runs[0], name="a", position=0)
        ComparisonResult.objects.create(**common, seed=1, draws=1, figures={}, computed_at=NOW)
        ComparisonLook.objects.create(**common, first=self.runs[0], second=self.runs[1], at=NOW)
        Comparing.objects.create(query_set=query_set)


def counts():
    """The rows of every table of ours but accounts, how they signed in, what their tokens called, hosts, and the log."""
    ours = [model for app in ("judgments", "evaluation") for model in apps.get_app_config(app).get_models()]
    others = (
        models.User,
        models.PasswordTries,
        models.SignIn,
        models.ApiUse,
        models.ApiAnswer,
        models.Act,
        models.Host,
        models.SiteKey,
        models.CountingJudgment,
    )  # the last one is a view
    return {model: model.objects.count() for model in ours if model not in others}


def of_query_set():
    return set(scope_of(models.QuerySet))
