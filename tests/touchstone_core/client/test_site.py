"""Every method of the client, against a real server."""

from dataclasses import replace

import polars as pl
import pytest

from evaluation.runs.actions import run_jobs
from judgments.models import Rater
from tests import factories as make
from touchstone_core.client import (
    InvalidError,
    JobFailedError,
    NotFoundError,
    SiteError,
    UnavailableError,
)
from touchstone_core.notebook import score

QUERIES = b"query_id,query\nq1,red shoes\nq2,blue coat\n"
QRELS = b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1\n"
BASELINE = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
CANDIDATE = pl.DataFrame({"query": ["q1", "q1"], "document": ["a", "b"], "score": [2.5, 1.5]})


@pytest.fixture
def scene(site, worker):
    """A query set with queries, a list with three grades, and two runs; the second one doesn't answer q2."""
    query_set = site.create_query_set("Winter", description="Of the winter")
    site.wait(site.import_queries(query_set, QUERIES, file_name="q.csv"), progress=lambda _: worker())
    scale = next(one for one in site.scales(query_set) if one.maximum == 3)
    main = site.create_list(query_set, name="Main", scale=scale)
    job = site.import_judgments(main, QRELS, file_name="qrels.txt", create_missing=True)
    site.wait(job, progress=lambda _: worker())
    base = site.upload(query_set, BASELINE, name="base").run
    new = site.upload(query_set, CANDIDATE, name="new", tags=["nightly"], commit="4f2c1aa").run
    return query_set, main, base, new


def test_an_import_says_who_the_raters_are(site, worker, scene):
    _, main, _, _ = scene
    rows = b"query,document,rater,grade\nq1,c,ann,1\nq2,a,Ann,2\n"

    job = site.import_judgments(
        main, rows, file_name="j.csv", create_missing=True, raters=["Ann=same:ann", "ann=machine"]
    )
    done = site.wait(job, progress=lambda _: worker())

    assert done.state == "done"
    assert set(Rater.objects.filter(kind="machine").values_list("name", flat=True)) == {"ann"}


def test_scores_are_those_of_the_pages_and_of_a_notebook(site, scene):
    _, main, base, new = scene
    table = site.run_table(main, k=1, measures="AP")
    of_new = site.run_scores(main, new, k=1)
    queries = site.query_scores(main, new, k=1)

    here = score(
        pl.DataFrame({"query": ["q1", "q1", "q2"], "document": ["a", "b", "c"], "grade": [2, 0, 1]}),
        CANDIDATE,
        measures="nDCG@1 AP",
        max_grade=3,
    ).means
    means = dict(zip(here["measure"], here["mean"], strict=True))
    rows = table.table.filter(run="new")
    assert {text: rows.filter(measure=text)["value"].item() for text in means} == means
    assert rows["list"].unique().to_list() == ["Main"]
    assert rows["formula"].unique().to_list() == ["DCG@1"] == [table.formula]
    assert "cutoff 1" in table.words
    assert rows["list_state"].unique().to_list() == [table.grades["state"]]
    assert of_new.table.filter(measure="nDCG@1")["mean"].item() == means["nDCG@1"] == 0.5
    states = queries.table.filter(measure="nDCG@1").select("query", "value", "state").rows()
    assert states == [("q1", 1.0, "scored"), ("q2", 0.0, "no answer")]
    assert [row["run"] for row in table.rows] == ["base", "new"]
    assert site.fixes(main, base, k=1).table.select("query", "run").rows() == [("q1", "base")]


def test_a_comparison_has_the_sentences_of_the_page(site, scene):
    _, main, base, new = scene

    comparison = site.comparison(main, [base, new], on="AP", measures="AP", k=1)

    (row,) = comparison.table.rows(named=True)
    assert (row["run"], row["baseline"], row["measure"]) == ("new", "base", "AP")
    assert row["difference"] == pytest.approx(-0.25)
    assert row["sentence"] == comparison.verdicts[0].sentence
    assert row["sentence"].startswith("new and base: too few queries")
    assert comparison.recommendation
    assert comparison.up_to_date
    with pytest.raises(InvalidError, match="1 of 2 runs of this link was deleted") as refusal:
        site.comparison(main, [base, 10**6])
    assert refusal.value.errors[0].field == "runs"


def test_a_comparison_is_told_to_others_and_query_by_query(site, scene):
    query_set, main, base, new = scene
    query = next(site.queries(query_set, query_id="q1"))

    report = site.comparison_report(main, [base, new], k=2)
    two = site.compared_query(main, query, [base, new], run=new, k=2)

    assert report.text.startswith(f"### {report.recommendation}")
    assert report.verdicts == site.comparison(main, [base, new], k=2).verdicts
    assert [one["run"] for one in report.runs] == ["new"]
    assert "<h1>" in site.comparison_report(main, [base, new], format="html", k=2).text
    assert (two.baseline, two.run) == ("base", "new")
    rows = two.table.select("run", "rank", "document", "grade", "move").rows()
    assert rows == [
        ("base", 1, "b", 0.0, "down"),
        ("base", 2, "a", 2.0, "up"),
        ("new", 1, "a", 2.0, "up"),
        ("new", 2, "b", 0.0, "down"),
    ]
    assert two.table["formula"].unique().to_list() == report.table["formula"].unique().to_list()


def test_grades_raters_and_the_state_of_a_list_are_read(site, worker, scene):
    query_set, main, _, _ = scene
    rows = b"query,document,rater,grade\nq1,c,ann,1\nq1,c,bob,2\n"
    site.wait(site.import_judgments(main, rows, file_name="j.csv"), progress=lambda _: worker())
    query = next(site.queries(query_set, query_id="q1"))
    document = next(site.documents(query_set, document_id="c"))

    graded = {one.document_id: one.grade for one in site.query_pairs(query, list=main)}
    by_rater = site.agreement_by_rater(main)
    [pair] = site.agreement_by_rater_pair(main).items

    assert {name: graded[name] for name in "ab"} == {"a": 2, "b": 0}
    assert {one.query_id for one in site.document_pairs(document)} == {"q1", "q2"}
    assert {one["name"] for one in by_rater.raters} >= {"ann", "bob"}
    assert (pair["pairs"], pair["agreement"]) == (1, 0)
    ids = {one["name"]: one["id"] for one in pair["raters"]}
    two = site.agreement_by_rater_pair(main, rater=ids["bob"], other=ids["ann"])
    assert (two.listed, two.grades["sentence"]) == (1, "bob grades 1.00 higher on average.")
    assert site.agreement_by_rater_pair(main, without=ids["ann"]).listed == 0
    overview = site.list_overview(main)
    assert overview.progress["judgments"] == 5
    assert overview.agreement["figures"]["pairs"] == 1


def test_a_machine_is_compared_with_people(site, worker, scene):
    _, main, base, new = scene
    rows = b"query,document,rater,grade\nq1,a,gpt,1\nq1,b,gpt,0\n"
    how = {"file_name": "gpt.csv", "raters": ["gpt=machine"], "origin": "gpt-4o"}
    job = site.wait(site.import_judgments(main, rows, **how), progress=lambda _: worker())

    [machine] = site.agreement_of_machines(main).machines

    assert job.result["machines_left_out"] == 1
    assert (machine["machine"], machine["origin"], machine["compared"]) == ("gpt", "gpt-4o", 2)
    assert machine["higher_by"] == -0.5, "a has grade 2, b has 0"
    assert machine["counts"] == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    help_of_machines = site.machine_help(main, [base, new], k=2)
    (row,) = help_of_machines.table.rows(named=True)
    assert (row["machine"], row["run"], row["baseline"], row["measure"]) == (
        "gpt",
        "new",
        "base",
        "NDCG-max@2",
    )
    assert row["difference"] is None
    assert row["sentence"].startswith("It takes 30 queries")


def test_only_site_administrators_read_the_log_of_the_site(site, connect):
    site.create_query_set("Winter")
    with pytest.raises(NotFoundError):
        list(site.site_log())
    administrator = connect(make.make_user("root", is_superuser=True))
    [entry] = administrator.site_log(text="Winter", group="content")
    assert (entry["did"], entry["query_set"]) == ("created", "Winter")


def test_versions_exports_and_agreement(site, scene, tmp_path):
    _, main, _, new = scene

    version = site.freeze(main, note="For the build", after=0)
    site.export(main, tmp_path / "qrels.txt", version=version.number)

    assert (version.number, version.grades) == (1, 3)
    assert site.version(main, 1) == version == next(site.versions(main))
    assert sorted((tmp_path / "qrels.txt").read_bytes().splitlines()) == sorted(QRELS.splitlines())
    assert site.run_table(main, version=1).grades["version"] == "1"
    assert site.run_scores(main, new, version=1).table["list_version"].unique().to_list() == ["1"]
    assert isinstance(site.agreement(main).headline, dict)
    with pytest.raises(InvalidError, match="Unknown format “xls”"):
        site.export(main, tmp_path / "no", format="xls")
    with pytest.raises(SiteError, match=r"nowhere/x cannot be written: No such file or directory\."):
        site.export(main, tmp_path / "nowhere/x")
    assert [path.name for path in tmp_path.iterdir()] == ["qrels.txt"]


def test_a_run_is_written_into_a_file(site, scene, tmp_path):
    _, _, base, new = scene

    paths = [
        site.export_run(base, tmp_path / "base.trec"),
        site.export_run(new.id, tmp_path / "new.csv", format="csv"),
    ]

    assert [path.read_bytes().decode() for path in paths] == [
        "q1 Q0 b 1 2.0 base\nq1 Q0 a 2 1.0 base\nq2 Q0 c 1 1.0 base\n",
        "query,document,rank,score\r\nq1,a,1,2.5\r\nq1,b,2,1.5\r\n",
    ]
    with pytest.raises(InvalidError, match=r"Unknown format “xls”.*: csv, json, trec"):
        site.export_run(base, tmp_path / "no", format="xls")
    assert {path.name for path in tmp_path.iterdir()} == {"base.trec", "new.csv"}


def test_runs_are_stored_once_changed_and_deleted(site, scene, tmp_path):
    query_set, _, base, new = scene
    path = tmp_path / "third.trec"
    path.write_text("q1 Q0 a 1 2 third\nq2 Q0 c 1 1 third\n")

    first, again = (site.upload(query_set, path, link="https://ci.example/1") for _ in range(2))

    assert (first.already_stored, again.already_stored) == (False, True)
    assert first.run.name == "third"
    assert first.run == again.run == site.read_run(first.run.id)
    assert (first.run.file_name, first.run.documents, new.commit, new.tags) == (
        "third.trec",
        2,
        "4f2c1aa",
        ["nightly"],
    )
    assert site.change_run(base, is_baseline=True, tags=["release"]).is_baseline
    assert site.run_table(scene[1]).baseline == "base"
    site.delete_run(first.run)
    assert [run.name for run in site.runs(query_set)] == ["base", "new"]
    with pytest.raises(InvalidError, match=r"^Nothing was stored\. Line 1.*unknown"):
        site.upload(query_set, b"q9 Q0 a 1 2 other\n")


def test_query_sets_their_members_queries_and_documents(site, admin):
    query_set = site.create_query_set("Summer")
    assert site.change_query_set(query_set, description="Warm").description == "Warm"
    make.make_user(username="eve")
    eve = site.put_member(query_set, username="eve", role="engineer")
    assert {(one.username, one.role) for one in site.members(query_set)} == {
        ("ann", "admin"),
        ("eve", "engineer"),
    }
    site.remove_member(query_set, eve)
    query = site.add_query(query_set, query_id="q1", query="hat", weight=2.5, tags=["warm"])
    assert site.change_query(query, query="straw hat").query == "straw hat"
    assert site.query(query).weight == 2.5
    assert [one.query_id for one in site.queries(query_set)] == ["q1"]
    site.delete_query(query)
    hat = site.add_document(query_set, document_id="d1", title="Hat", fields={"size": "M"})
    assert site.change_document(hat, title="Straw hat").fields == {"size": "M"}
    assert site.document(hat.id).title == "Straw hat"
    assert len(list(site.documents(query_set))) == 1
    site.delete_document(hat)
    assert site.archive(query_set).archived
    assert [one.name for one in site.query_sets(archived=True)] == ["Summer"]
    assert not site.archive(query_set, archived=False).archived
    assert site.query_set(query_set).id == query_set.id
    assert {one.name for one in site.query_sets()} == {"Shop", "Summer"}
    assert (site.account().username, site.account().token.scope) == (admin.username, "admin")


def test_a_query_is_explained_by_its_ranks(site, scene):
    query_set, main, base, _ = scene
    (query,) = site.queries(query_set, query_id="q1")
    (document,) = site.documents(query_set, document_id="a")

    explanation = site.explain_query(main, base, query, k=1)

    rows = explanation.table.select("rank", "document", "grade", "contribution").rows()
    assert rows == [(1, "b", 0.0, 0.0), (2, "a", 2.0, 0.0)]
    assert explanation.table["query"].to_list() == ["q1", "q1"]
    assert (explanation.run, explanation.formula) == ("base", "DCG@1")
    assert (query.query, document.document_id) == ("red shoes", "a")
    assert list(site.queries(query_set, query_id="q9")) == []


def test_any_operation_is_called_by_its_name(site, scene):
    query_set, _, base, new = scene

    assert site.call("account")["username"] == "ann"
    impact = site.call("impact", query_set, runs=f"{base.id}-{new.id}")
    assert impact
    saved = site.call("save_intent", query_set, body={"name": "Shoes", "queries": ["q1"]})
    assert site.call("intent", saved["id"])["name"] == "Shoes"
    assert site.call("delete_intent", saved["id"]) is None
    for arguments, query, says in [
        (("nope",), {}, "no operation named “nope”"),
        (("account", 1), {}, "account takes 0 IDs, and there are 1"),
        (("members", query_set), {"name": 1}, "members has no parameter “name”. It has: after, limit"),
    ]:
        with pytest.raises(SiteError, match=says):
            site.call(*arguments, **query)


def test_rows_are_found_by_name(site, scene):
    query_set, main, base, _ = scene

    assert site.query_set_named(" winter").id == query_set.id
    assert site.list_named(query_set, "MAIN") == site.judgment_list(main) == main
    assert site.run_named(query_set, "Base").id == base.id
    with pytest.raises(NotFoundError, match=r"^“Winter” has no run named “dense”\. It has: .*base, .*new"):
        site.run_named(query_set, "dense")
    with pytest.raises(NotFoundError, match=r"^You have no query set named “Summer”\. You have: .*Winter\.$"):
        site.query_set_named("Summer")
    with pytest.raises(NotFoundError, match=r"^“{Winter}” has no judgment list named “{}”\. It has: "):
        site.list_named(replace(query_set, name="{Winter}"), "{}")


def test_a_list_is_paused_and_gets_the_pairs_of_runs(site, scene):
    _, main, base, new = scene

    assert site.pause(main, note="Lunch").paused
    assert not site.pause(main, paused=False).paused
    assert site.add_pairs(main, runs=[base, new], depth=5) == 0
    with pytest.raises(InvalidError, match="Choose two runs or more"):
        site.add_pairs(main, runs=[base], documents="differing")
    assert site.add_pairs(main, runs=[base, new], documents="deciding", judgments=5, formula="DCG@10") == 0
    with pytest.raises(InvalidError, match="Choose the two runs to decide between"):
        site.add_pairs(main, runs=[base], documents="deciding")
    assert site.add_pairs(main, runs=[new], documents="sample", judgments=5) == 0
    with pytest.raises(InvalidError, match="Choose the one run to sample"):
        site.add_pairs(main, runs=[base, new], documents="sample")


def test_a_preview_of_pairs_says_what_is_known_of_runs(site, scene):
    _, main, base, new = scene

    deciding = site.preview_pairs(main, runs=[base, new], documents="deciding")
    sample = site.preview_pairs(main, runs=[new], documents="sample", depth=5).sample

    assert deciding.new == 0
    assert deciding.deciding.judged > 0
    assert deciding.sample is None
    assert sample.level.low == sample.level.expected == sample.level.high  # all of these pages are judged
    assert (sample.certain, sample.draws, sample.waiting) == (sample.documents, 0, 0)


def test_a_job_fails_with_its_reason_and_can_be_canceled(site, scene, worker):
    query_set = scene[0]
    job = site.import_queries(query_set, pl.DataFrame({"query_id": ["q1", "q1"], "query": ["a", "b"]}))
    seen = []

    with pytest.raises(JobFailedError, match=r"."):
        site.wait(job, progress=lambda now: (seen.append(now.state), worker()))

    assert seen[0] == "waiting"
    late = site.import_documents(query_set, b"document_id,title\nd9,Hat\n", file_name="d.csv")
    with pytest.raises(
        UnavailableError, match=r"^The import of documents is waiting\. It wasn’t done within 0"
    ):
        site.wait(late, timeout=0)
    assert site.cancel_job(late).state == "failed"
    with pytest.raises(JobFailedError):
        site.wait(late)
    with pytest.raises(SiteError):
        site.retry_job(late)


def test_a_large_upload_waits_for_the_worker_that_stores_it(site, scene, worker, monkeypatch):
    """The worker has it done when the client has asked for the first time, or says why not."""
    query_set = scene[0]
    monkeypatch.setattr(run_jobs, "MOST_BYTES", 0)
    seen = []

    def work(job):
        seen.append((job.state, [one.state for one in site.jobs(query_set)]))
        worker()

    large = site.upload(query_set, CANDIDATE, name="large", progress=work)

    assert (large.run.name, large.already_stored) == ("large", False)
    assert seen == [("waiting", ["waiting"]), ("done", [])]
    assert [run.name for run in site.runs(query_set)] == ["base", "new", "large"]
    with pytest.raises(JobFailedError, match="already has a run named"):
        site.upload(query_set, BASELINE, name="large", progress=work)
