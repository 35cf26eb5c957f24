"""Every page costs the same number of SQL statements for two of everything and for a dozen, and at most fifteen."""

import re
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from evaluation.models import Intent, Run
from evaluation.runs.actions.runs import store_run
from judgments.files.actions.imports import import_judgments
from judgments.files.reports.imports import OpenedFile
from judgments.grades.actions.consensus import change_rule
from judgments.grades.actions.model_fits import ask_for_fit, fit_now
from judgments.lists.actions.versions import freeze_version
from judgments.models import Batch, Deletion, Document, JudgmentList, Query, Rater, Upload
from tests import factories as make
from tests.sweeps import SHARES, draw_addresses
from tests.touchstone_core.formats.texts import read_run
from touchstone_core.formats.judgments.judgments import JudgmentRecord
from touchstone_core.formats.text import decode

pytestmark = pytest.mark.django_db

MOST = 15


class World:
    """A query set in which there are `size` of everything: it can grow, and keeps its first rows."""

    def __init__(self) -> None:
        self.query_set = make.make_query_set(name="Shop")
        self.admin = make.make_member(self.query_set, "admin", username="admin")
        self.rater = make.make_member(self.query_set, "rater", username="rater")
        self.site = make.make_user("site", is_superuser=True)
        self.size = 0

    def grow(self, size: int) -> None:
        for number in range(self.size, size):
            make.make_query(self.query_set, f"q{number}")
            make.make_document(self.query_set, f"d{number}", body="<p>Some <b>text</b>.</p>")
            make.make_member(self.query_set, "engineer", username=f"engineer{number}")
            make.make_list(self.query_set, name=f"List {number}", overlap=3)
            own = self.query_set.scales.create(name=f"Scale {number}", maximum=1)
            own.grades.create(value=1, label="Yes", gain=1, key="1")
            make.make_saved_formula(self.query_set, name=f"Formula {number}")
            make.make_saved_view(self.query_set, name=f"View {number}")
            make.make_invitation(self.query_set, created_by=self.admin)
            self._jobs(number)
            make.make_intent(self.query_set, self.query_set.queries.all())
        self.size = size
        self.intent = Intent.objects.filter(query_set=self.query_set).earliest("pk")
        for judgment_list in JudgmentList.objects.filter(query_set=self.query_set).order_by("pk")[:2]:
            self._judge(judgment_list)
            freeze_version(judgment_list=judgment_list)
        self._model()
        self._upload()

    def _jobs(self, number: int) -> None:
        first_list = self.query_set.judgment_lists.earliest("pk")
        ask_for_fit(judgment_list=first_list, rule="ds-ordinal", at_once=True)
        common = {"query_set": self.query_set, "user": self.admin}
        Deletion.objects.create(
            **common, kind="runs", keys=[number], subject=f"run {number}", requested_at=make.NOW
        )
        Upload.objects.create(
            **common, purpose="run", name=f"{number}.trec", size=1, sha256="", file="a", requested_at=make.NOW
        )

    def _judge(self, judgment_list: JudgmentList) -> None:
        records = [
            JudgmentRecord(
                line, f"q{query}", f"d{document}", "2", 2.0, rater="admin" if document % 2 else "other"
            )
            for line, (query, document) in enumerate(self._crossed())
        ]
        records += [
            JudgmentRecord(line, f"q{query}", f"d{document}", "0", 0.0, rater="third")
            for line, (query, document) in enumerate(self._crossed(), start=len(records))
        ]
        import_judgments(judgment_list=judgment_list, file=OpenedFile(records), at=make.NOW)

    def _model(self) -> None:
        """The second list has a fitted model's rule."""
        self.modelled = JudgmentList.objects.filter(query_set=self.query_set).order_by("pk")[1]
        with patch("touchstone_core.grades.dawid_skene.ENOUGH_PER_RATER", 1):
            fit_now(judgment_list=self.modelled, rule="ds-ordinal")
        change_rule(judgment_list=self.modelled, rule="ds-ordinal", tie="lower")

    def _crossed(self) -> list[tuple[int, int]]:
        """All documents for the first query, two for each other one."""
        few = [(query, document) for query in range(1, self.size) for document in range(2)]
        return [(0, document) for document in range(self.size)] + few

    def _upload(self) -> None:
        rows = [f"q{query} Q0 d{document} 1 {document} x" for query, document in self._crossed()]
        for number in range(self.query_set.runs.count(), self.size):
            text = decode("\n".join(rows).encode(), name="run.trec", limit=10**6)
            store_run(query_set=self.query_set, parsed=read_run(text), name=f"run {number}", user=self.admin)
        self.query_set.runs.update(tags=["nightly"])
        runs = list(self.query_set.runs.order_by("pk"))
        Run.objects.filter(pk=runs[0].pk).update(is_baseline=True)
        for number in range(self.query_set.comparisons.count(), self.size):
            lists = self.query_set.judgment_lists.order_by("pk")
            make.make_comparison(lists[number % len(lists)], runs, created_by=self.admin)

    def pages(self) -> Iterator[tuple[str, str]]:
        """Who opens which page."""
        query_set, first_list = self.query_set.pk, self.query_set.judgment_lists.order_by("pk").first()
        assert first_list is not None
        run = self.query_set.runs.order_by("pk").first()
        assert run is not None
        query = Query.objects.get(query_set=query_set, external_id="q0")
        document = Document.objects.get(query_set=query_set, external_id="d0")
        scale = self.query_set.scales.order_by("pk").first()
        assert scale is not None
        for name, arguments in (
            ("home", []),
            ("go-to", []),
            ("account", []),
            ("new-evaluation", []),
            ("query-sets", []),
            ("query-set-new", []),
            ("query-set", [query_set]),
            ("jobs", []),
            ("query-set-jobs", [query_set]),
            ("query-set-edit", [query_set]),
            ("query-set-queries", [query_set]),
            ("query-set-documents", [query_set]),
            ("query-set-lists", [query_set]),
            ("query-set-members", [query_set]),
            ("query-set-copy", [query_set]),
            ("query-set-delete", [query_set]),
            ("list-delete", [first_list.pk]),
            ("query-set-runs", [query_set]),
            ("query", [query.pk]),
            ("document", [document.pk]),
            ("query-new", [query_set]),
            ("query-edit", [query.pk]),
            ("document-new", [query_set]),
            ("document-edit", [document.pk]),
            ("import-queries", [query_set]),
            ("import-documents", [query_set]),
            ("import-judgments", [first_list.pk]),
            ("batch", [first_list.pk, Batch.objects.filter(judgment_list=first_list).earliest("pk").pk]),
            ("scales", []),
            ("scale", [scale.pk]),
            ("scale-new", []),
            ("scale-edit", [scale.pk]),
            ("list", [first_list.pk]),
            ("list-agreement", [first_list.pk]),
            ("rater-effect", [first_list.pk]),
            ("list-new", [query_set]),
            ("list-edit", [first_list.pk]),
            ("list-raters", [first_list.pk]),
            ("list-disagreements", [first_list.pk]),
            ("list-gold", [first_list.pk]),
            ("list-pairs", [first_list.pk]),
            ("list-candidates", [first_list.pk]),
            ("list-plan", [first_list.pk]),
            ("list-versions", [first_list.pk]),
            ("list-version", [first_list.pk, 1]),
            ("version-difference", [first_list.pk, 1]),
            ("list-export", [first_list.pk]),
            ("list-log", [first_list.pk]),
            ("query-set-log", [query_set]),
            ("own-judgments", []),
            ("run-upload", [query_set]),
            ("run-edit", [run.pk]),
            ("run-table", [first_list.pk]),
            ("run-trend", [first_list.pk]),
            ("run", [first_list.pk, run.pk]),
            ("reconcile", [first_list.pk, run.pk]),
            ("formulas", []),
            ("saved-formulas", [query_set]),
            ("intents", [query_set]),
            ("intent", [self.intent.pk]),
            ("comparisons", [query_set]),
            ("saved-comparison-edit", [self.query_set.comparisons.earliest("pk").pk]),
            ("run-query", [first_list.pk, run.pk, query.pk]),
            ("judge-done", [first_list.pk]),
            ("judge-review", [first_list.pk, query.pk]),
        ):
            yield "admin", reverse(name, args=arguments)
        pair = first_list.pairs.order_by("pk").first()
        assert pair is not None
        for name in ("query-set-queries", "query-set-documents"):
            yield (
                "admin",
                reverse(name, args=[query_set]) + f"?q=te&list={first_list.pk}&unjudged=1&sort=text",
            )
        yield "admin", reverse("list-gold", args=[first_list.pk]) + f"?q=q&agreed=1&pair={pair.pk}"
        rater = Rater.objects.filter(query_set=self.query_set).earliest("pk").pk
        yield (
            "admin",
            reverse("list-disagreements", args=[first_list.pk]) + f"?state=any&rater={rater}&q=q&least=0",
        )
        yield "admin", reverse("disagreement", args=[first_list.pk, pair.pk]) + f"?state=any&rater={rater}"
        yield "admin", reverse("rater-exclusion", args=[first_list.pk, rater])
        yield "admin", reverse("judge-done", args=[first_list.pk]) + "?q=text&grade=2"
        yield "admin", reverse("list-rule", args=[first_list.pk]) + "?rule=mean&tie=lower"
        yield "admin", reverse("list-rule", args=[self.modelled.pk]) + "?rule=ds-ordinal&tie=lower"
        yield "admin", reverse("reconcile", args=[first_list.pk, run.pk]) + "?number=.645"
        for name, arguments in (
            ("run", [first_list.pk, run.pk]),
            ("run-query", [first_list.pk, run.pk, query.pk]),
        ):
            for version in ("", "&version=1"):
                yield "admin", reverse(name, args=arguments) + f"?zero=skip&measures=RR+AP+P%405{version}"
        yield "admin", reverse("version-difference", args=[first_list.pk, 1]) + "?to=1"
        yield from self._previews(first_list)
        runs = "-".join(str(one.pk) for one in Run.objects.filter(query_set=query_set).order_by("pk")[:20])
        many = "&".join(f"run={one}" for one in runs.split("-"))
        for name in ("runs-tag", "runs-delete", "runs-export"):
            yield "admin", reverse(name, args=[query_set]) + f"?{many}"
        yield "admin", reverse("impact", args=[query_set])
        yield "admin", reverse("impact", args=[query_set]) + f"?runs={runs}&cutoff=5&intent={self.intent.pk}"
        intent = f"&intent={self.intent.pk}&among=others"
        for more in ("", f"&version=1&measures=RR+AP&on=RR{intent}"):
            yield "admin", reverse("comparison", args=[first_list.pk]) + f"?runs={runs}{more}"
        for more in ("", f"&version=1&measures=RR+AP&on=RR&q=q&tag=t&show=tied{intent}"):
            for name, arguments in (
                ("compared-queries", [first_list.pk]),
                ("compared-query", [first_list.pk, query.pk]),
            ):
                yield "admin", reverse(name, args=arguments) + f"?runs={runs}{more}"
        saved = first_list.comparisons.earliest("pk").pk
        for name in (
            *("comparison", "comparison-report", "comparison-machines"),
            *("comparison-save", "comparison-settings"),
        ):
            yield "admin", reverse(name, args=[first_list.pk]) + f"?runs={runs}&saved={saved}{intent}"
        yield "admin", reverse("run-table", args=[first_list.pk]) + "?measures=AP+RR%4010&average=median"
        yield (
            "admin",
            reverse("run-table", args=[first_list.pk])
            + "?measures=AP&q=run&tag=nightly&sort=-change-AP&columns=global+change-AP+tags+by+uploaded",
        )
        yield "admin", reverse("run-table", args=[first_list.pk]) + "?measures=AP&group=day&columns=by"
        trend = reverse("run-trend", args=[first_list.pk]) + "?measures=RR&on=RR&tag=nightly"
        yield from (("admin", trend), ("admin", f"{trend}&version=1"))
        yield (
            "admin",
            reverse("formulas") + f"?list={first_list.pk}&query={query.pk}&run={run.pk}",
        )
        yield "site", reverse("site-log")
        yield "rater", reverse("home")
        yield "rater", reverse("judge", args=[first_list.pk])
        yield "rater", reverse("judge-shell", args=[first_list.pk])

    def _previews(self, judgment_list: JudgmentList) -> Iterator[tuple[str, str]]:
        """Of all pairs that can be added from runs."""
        runs = [f"run={one.pk}" for one in self.query_set.runs.order_by("pk")[:2]]
        for documents, of in (("every", runs), ("deciding", runs), ("sample", runs[:1])):
            asked = f"?{'&'.join(of)}&depth=5&documents={documents}&judgments=3&formula=DCG%405"
            yield "admin", reverse("list-pairs", args=[judgment_list.pk]) + asked


def cost(client, world: World, places: list[int]) -> dict[tuple[str, str], int]:
    """SQL statements of the pages at these places, at the second visit: the first one may bring stored scores up to date."""
    found = {}
    pages = list(world.pages())
    for who, address in (pages[place] for place in places):
        client.force_login(getattr(world, who))
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address)
        assert response.status_code == 200, address
        found[who, re.sub(r"(runs=[\d-]+|(&?run=\d+)+)", "runs=some", address)] = len(queries)
    return found


@SHARES
def test_no_page_costs_more_when_there_is_more(client, share):
    world = World()
    world.grow(3)  # of two runs, the pages that choose some show what they would choose
    places = draw_addresses(range(len(list(world.pages()))), share)
    few = cost(client, world, places)
    world.grow(12)

    many = cost(client, world, places)

    assert few.keys() == many.keys()
    assert {page: count for page, count in many.items() if count > MOST} == {}
    assert {page: (few[page], many[page]) for page in few if few[page] < many[page]} == {}
