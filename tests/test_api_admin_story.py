"""An admin runs a judgment list by API: settings, raters, gold pairs, decisions, and what can be taken back."""

import pytest
from django.db import connection

from judgments.content.actions import deletion_jobs
from judgments.files.actions import undoing
from judgments.files.actions.undoing import NothingToUndoError
from judgments.lists.actions.pairs import settle
from judgments.models import (
    ApiAnswer,
    ConsensusGrade,
    Deletion,
    Exclusion,
    GoldPair,
    Invitation,
    JudgmentList,
    QuerySet,
    Scale,
    Slot,
    Upload,
)
from tests import factories as make
from tests.api import Api, problem_of
from tests.meanwhile import Before

pytestmark = pytest.mark.django_db


@pytest.fixture
def query_set():
    return make.make_query_set(name="Shop")


@pytest.fixture
def api(query_set):
    return Api(make.make_member(query_set, "admin", username="ann"))


@pytest.fixture
def main(query_set):
    """A list with one pair, which needs one judgment."""
    judgment_list = make.make_list(query_set, name="Main")
    query, document = make.make_query(query_set, "q1"), make.make_document(query_set, "d1")
    make.make_pair(judgment_list, query, document)
    settle(judgment_list, at=make.NOW)
    return judgment_list


@pytest.fixture
def disputed(main, query_set):
    """Two raters differ about its pair: 0 and 3."""
    [pair] = main.pairs.all()
    raters = [make.make_rater(query_set) for _ in range(2)]
    for rater, value in zip(raters, (0, 3), strict=True):
        make.make_judgment(pair, rater, value)
    make.make_consensus(pair, 0, spread=3, answers=2, judgments=2)
    main.list_queries.update(graded_count=1, judgment_count=2)
    return main, pair, raters


def test_settings_change_one_by_one(api, main):
    path = f"lists/{main.pk}"
    assert api.get(f"{path}/overlap-preview?overlap=3").json() == {"added": 2, "removed": 0, "held": 0}
    assert Slot.objects.count() == 1  # a preview changes nothing

    changed = api.patch(path, {"overlap": 3, "adaptive_step": 2, "overlap_most": 5})
    assert changed.status_code == 200, changed.content
    assert Slot.objects.count() == 3
    assert api.patch(path, {"guidelines": "Read it."}).json() == changed.json() | {"guidelines": "Read it."}

    kept = api.patch(path, {"adaptive_step": None, "overlap_most": None}).json()
    assert (kept["overlap"], kept["adaptive_step"], kept["guidelines"]) == (3, None, "Read it.")

    assert [one["field"] for one in api.patch(path, {"overlap": 99}).json()["errors"]] == ["overlap"]
    assert "between 1 and 30" in problem_of(api.patch(path, {"overlap": 99}))


def test_a_change_of_a_query_set_reverts_nothing_that_somebody_saves_meanwhile(api, query_set):
    """Another admin writes a description after this call has read the query set, and before it writes."""

    def describe():
        QuerySet.objects.filter(pk=query_set.pk).update(description="by somebody else")

    with connection.execute_wrapper(Before(describe, "judgments_queryset", "FOR NO KEY UPDATE")):
        refused = api.patch(f"query-sets/{query_set.pk}", {"name": "Store"})

    assert (refused.status_code, "Somebody changed this query set" in problem_of(refused)) == (409, True)
    assert QuerySet.objects.get(pk=query_set.pk).name == "Shop"


def test_the_scale_of_a_list_with_judgments_is_fixed(api, disputed, query_set):
    main, _, _ = disputed
    other = Scale.objects.usable_in(query_set).exclude(pk=main.scale_id).first()

    assert "is fixed" in problem_of(api.patch(f"lists/{main.pk}", {"scale": other.pk}))


def test_a_list_is_deleted_by_its_name_only(api, main):
    refused = api.delete(f"lists/{main.pk}?name=Other")
    assert (refused.status_code, refused.json()["detail"][:19]) == (422, "Nothing was deleted")
    assert api.delete(f"lists/{main.pk}").status_code == 422

    assert api.delete(f"lists/{main.pk}?name=Main").status_code == 204
    assert not JudgmentList.objects.exists()
    assert api.delete(f"lists/{main.pk}?name=Main").status_code == 404


def test_a_query_set_is_copied_and_deleted_even_from_the_archive(api, query_set, main):
    path = f"query-sets/{query_set.pk}"
    assert api.call("put", f"{path}/archived", {"archived": True}).status_code == 200
    copy = api.post(f"{path}/copy", {"name": "Copy", "lists": False})
    assert (copy.status_code, copy.json()["lists"], copy.json()["queries"]) == (201, 0, 1)
    assert api.delete(f"{path}?name=shop").status_code == 422
    assert api.delete(f"{path}?name=Shop").status_code == 204
    assert list(QuerySet.objects.values_list("name", flat=True)) == ["Copy"]


def test_own_scales(api, query_set):
    grades = [{"value": 0, "label": "No", "key": "0"}, {"value": 2, "label": "Yes", "key": "2"}]
    refused = api.post(f"query-sets/{query_set.pk}/scales", {"name": "Mine", "grades": grades[:1]})
    assert problem_of(refused) == "A scale needs at least two grades."
    bad = [grades[0], {"value": 1, "label": "Yes", "key": "u"}]
    refused = api.post(f"query-sets/{query_set.pk}/scales", {"name": "Mine", "grades": bad})
    assert [one["field"] for one in refused.json()["errors"]] == ["grades.1.key"]

    created = api.post(f"query-sets/{query_set.pk}/scales", {"name": "Mine", "grades": grades})
    assert created.status_code == 201, created.content
    assert [grade["gain"] for grade in created.json()["grades"]] == [0, 2]
    path = f"scales/{created.json()['id']}"
    assert api.patch(path, {"threshold": 2}).json() == created.json() | {"threshold": 2}
    assert api.get(path).json()["threshold"] == 2


def test_tags_of_queries(api, query_set):
    keys = [make.make_query(query_set, f"q{n}").pk for n in range(3)]
    path = f"query-sets/{query_set.pk}/queries/tags"
    assert api.post(path, {"tag": "new", "queries": keys[:2]}).json() == {"changed": 2}
    assert api.post(path, {"tag": "new", "queries": keys, "remove": True}).json() == {"changed": 2}
    foreign = make.make_query(make.make_query_set(), "q9").pk
    assert api.post(path, {"tag": "new", "queries": [foreign]}).status_code == 422


def test_a_disagreement_is_decided_and_the_decision_withdrawn(api, disputed):
    main, pair, _ = disputed
    [row] = api.get(f"lists/{main.pk}/disagreements").json()["items"]
    assert (row["pair_id"], row["apart"], row["decision"]) == (pair.pk, "3 apart", None)
    assert [(one["rater"], one["value"]) for one in row["answers"]] == [("Rater A", 0), ("Rater B", 3)]

    path = f"lists/{main.pk}/decisions/{pair.pk}"
    assert api.call("put", path, {"value": 1.5, "cause": "slip"}).status_code == 422
    decided = api.call("put", path, {"value": 2, "cause": "slip", "seen": 0})
    assert decided.status_code == 200, decided.content
    assert ConsensusGrade.objects.get(pair=pair).value == 2
    assert api.get(f"lists/{main.pk}/disagreements").json()["items"] == []
    again = api.call("put", path, {"value": 3, "cause": "slip", "seen": 0})
    assert (again.status_code, "decided this pair" in problem_of(again)) == (409, True)

    assert api.delete(path).status_code == 204
    assert ConsensusGrade.objects.get(pair=pair).value == 0
    assert api.get(f"lists/{main.pk}/disagreements/{pair.pk}?names=shown").json()["decision"] is None


def test_another_rater_is_asked_and_not_asked_any_more(api, disputed):
    main, pair, _ = disputed
    of_pair = f"lists/{main.pk}/disagreements/{pair.pk}"
    path = f"{of_pair}/another-rater"
    main.slots.all().delete()
    refused = api.post(path, {})
    assert (refused.status_code, problem_of(refused)) == (
        422,
        "Everybody else who can judge this list has judged it or is left out.",
    )
    make.make_member(main.query_set, "rater")

    assert api.post(path, {}).json() == {"judgments": 2, "waiting": 1}
    assert problem_of(api.post(path, {})) == "It waits for 1 rater already."
    assert api.get(of_pair).json()["waiting"] == 1
    assert api.delete(path).status_code == 204
    assert api.get(of_pair).json()["waiting"] == 0
    assert api.delete(path).status_code == 204


def test_a_rater_is_left_out_and_counts_again(api, disputed):
    main, pair, raters = disputed
    path = f"lists/{main.pk}/raters/{raters[0].pk}"
    preview = api.get(f"{path}/exclusion-preview").json()
    assert (preview["excluded"], preview["pairs"], preview["changed"]) == (False, 1, 1)
    assert not Exclusion.objects.exists()

    assert api.call("put", f"{path}/excluded", {"excluded": True}).json() == {"excluded": True, "changed": 1}
    assert ConsensusGrade.objects.get(pair=pair).value == 3
    assert api.call("put", f"{path}/excluded", {"excluded": True}).json()["changed"] == 0
    assert api.call("put", f"{path}/excluded", {"excluded": False}).json() == {
        "excluded": False,
        "changed": 1,
    }
    assert ConsensusGrade.objects.get(pair=pair).value == 0


def test_gold_pairs(api, disputed):
    main, pair, _ = disputed
    found = api.get(f"lists/{main.pk}/gold/candidates?q=d1").json()["candidates"]
    assert [one["pair_id"] for one in found] == [pair.pk]

    path = f"lists/{main.pk}/gold"
    assert api.call("put", f"{path}/{pair.pk}", {"value": 7}).status_code == 422
    marked = api.call("put", f"{path}/{pair.pk}", {"value": 3, "also": [2]})
    assert (marked.json()["also"], marked.json()["answers"], marked.json()["correct"]) == ([2], 2, 1)
    assert [one["pair_id"] for one in api.get(path).json()["items"]] == [pair.pk]
    assert api.delete(f"{path}/{pair.pk}").status_code == 204
    assert not GoldPair.objects.in_use().exists()

    assert api.post(f"{path}/import?file_name=gold.txt", b"q1 0 d1 2\n").json() == {"marked": 1}
    assert GoldPair.objects.in_use().get().value == 2
    refused = api.post(f"{path}/import?file_name=gold.txt", b"q1 0 d9 2\n")
    assert problem_of(refused).startswith("No pairs were marked. ")


def test_raters_are_assigned_with_a_quota(api, main, query_set):
    make.make_member(query_set, "rater", username="bob")
    path = f"lists/{main.pk}/assignments"
    assert api.call("put", path, {"username": "nobody"}).status_code == 422
    first = api.call("put", path, {"username": "bob", "quota": 5}).json()
    again = api.call("put", path, {"username": "bob", "quota": 9}).json()
    assert again == first | {"quota": 9}
    assert api.get(path).json() == {"assignments": [again]}
    assert api.delete(f"{path}/{first['id']}").status_code == 204
    assert api.get(path).json() == {"assignments": []}
    assert api.get(f"lists/{main.pk}/raters").json() == {"raters": []}


def test_a_link_of_an_invitation_is_never_stored_but_the_same_call_gets_it_again(api, query_set):
    path, body = f"query-sets/{query_set.pk}/invitations", {"role": "rater"}
    first, second = (api.post(path, body, Idempotency_Key="1") for _ in range(2))

    assert first.status_code == second.status_code == 201
    assert first.json()["link"] == second.json()["link"]
    assert Invitation.objects.count() == 1
    assert not ApiAnswer.objects.exists()
    assert api.post(path, body).json()["link"] != first.json()["link"]
    assert [one["role"] for one in api.get(path).json()["items"]] == ["rater", "rater"]
    assert api.delete(f"invitations/{first.json()['id']}").status_code == 204
    assert len(api.get(path).json()["items"]) == 1


def test_another_rule_is_previewed_and_then_applied(api, disputed):
    main, pair, _ = disputed
    preview = api.get(f"lists/{main.pk}/rule-preview?rule=mean&tie=lower").json()
    assert preview["grades"] == {"added": 0, "changed": 1, "removed": 0, "queries": 1}
    assert ConsensusGrade.objects.get(pair=pair).value == 0

    for address in ("rule-preview?rule=mean&tie=lower&k=0", "rater-effect?k=0"):
        refused = api.get(f"lists/{main.pk}/{address}")
        assert refused.status_code == 422, "not by another formula"
        assert "0 is too small" in refused.json()["detail"]

    changed = api.call("put", f"lists/{main.pk}/rule", {"rule": "mean", "tie": "lower"}).json()
    assert (changed["rule"], changed["changed"]) == ("mean", 1)
    assert ConsensusGrade.objects.get(pair=pair).value == 1.5
    assert api.call("put", f"lists/{main.pk}/rule", {"rule": "ds-ordinal", "tie": "lower"}).status_code == 422
    assert api.post(f"lists/{main.pk}/model", {"rule": "ds-ordinal"}).status_code == 422
    assert api.get(f"lists/{main.pk}/model?rule=ds-ordinal").json()["state"] == "none"


def test_the_plan_and_the_log_speak_as_the_pages_do(api, main):
    plan = api.get(f"lists/{main.pk}/plan?raters=2&hours=1&documents=0").json()
    assert plan["missing"] == 1
    assert plan["answer"].startswith("2 raters finish 1 judgment ")
    assert api.get(f"lists/{main.pk}/plan?raters=0").status_code == 422
    assert api.get(f"lists/{main.pk}/progress").json()["missing"] == 1

    api.patch(f"lists/{main.pk}", {"name": "Second"})
    entries = api.get(f"lists/{main.pk}/log").json()["items"]
    assert (entries[0]["who"], entries[0]["before"], entries[0]["after"]) == (
        "ann",
        {"name": "Main"},
        {"name": "Second"},
    )


def test_a_version_is_checked_and_compared(api, disputed):
    main, pair, _ = disputed
    assert api.post(f"lists/{main.pk}/versions", {}).status_code == 201
    again = api.post(f"lists/{main.pk}/versions", {"after": 0})
    assert (again.status_code, bool(problem_of(again))) == (409, True)
    path = f"lists/{main.pk}/versions/1"
    assert api.get(f"{path}/check").json() == {"problems": []}

    api.call("put", f"lists/{main.pk}/decisions/{pair.pk}", {"value": 2, "cause": "slip"})
    difference = api.get(f"{path}/difference").json()
    assert difference["grades"] == {"added": 0, "changed": 1, "removed": 0, "queries": 1}
    assert [(one["before"], one["after"]) for one in difference["differences"]] == [(0, 2)]


def test_an_import_says_beforehand_what_it_would_do(api, query_set, main):
    path = f"query-sets/{query_set.pk}/imports/queries/preview?file_name=queries.csv"
    preview = api.post(path, b"query_id,query\nq1,red shoes\nq2,blue coat\n")
    assert preview.status_code == 200, preview.content
    assert (preview.json()["result"]["new"], preview.json()["result"]["changed"]) == (1, 1)
    assert (preview.json()["format"], preview.json()["can_be_imported"]) == ("csv", True)
    assert (query_set.queries.count(), Upload.objects.count()) == (1, 0)

    bad = api.post(path, b"query_id,query,weight\nq2,blue coat,many\n").json()
    assert (len(bad["problems"]), bad["can_be_imported"]) == (1, False)
    judged = api.post(f"lists/{main.pk}/imports/preview?file_name=qrels.txt", b"q1 0 d1 2\n").json()
    assert (judged["format"], judged["result"]["new"]) == ("qrels", 1)
    assert api.post(path, b"\x00\x01").status_code == 422
    two = b"query_id,query\nold,old\nquery_id,query\nq3,boots\n"
    assert api.post(path, two).json()["result"]["new"] == 3
    assert api.post(f"{path}&header_line=3", two).json()["result"]["new"] == 1
    assert api.post(f"{path}&header_line=-1", two).status_code == 422


def test_an_import_is_found_again_and_undone_once(api, disputed):
    main, _, _ = disputed
    batch = make.make_batch(main, main.judgments.all())
    path = f"lists/{main.pk}/batches"

    (listed,) = api.get(path).json()["items"]
    assert listed == api.get(f"{path}/{batch.pk}").json()
    assert (listed["id"], listed["file"], listed["judgments"]) == (batch.pk, "grades.csv", 2)
    effect = {"withdrawn": 2, "restored": 0, "kept": 0}
    assert api.get(f"{path}/{batch.pk}/undo-preview").json() == effect
    assert main.judgments.count() == 2

    assert api.post(f"{path}/{batch.pk}/undo").json() == effect
    assert not main.judgments.exists()
    again = api.post(f"{path}/{batch.pk}/undo")
    assert (again.status_code, problem_of(again)) == (409, str(NothingToUndoError()))
    assert api.get(f"{path}/{batch.pk}").json()["undone"] == 2


def test_a_large_import_is_undone_by_a_worker(api, disputed, monkeypatch):
    main, _, _ = disputed
    batch = make.make_batch(main, main.judgments.all())
    monkeypatch.setattr(undoing, "MOST_JUDGMENTS", 1)

    answer = api.post(f"lists/{main.pk}/batches/{batch.pk}/undo")

    assert (answer.status_code, answer.json()["being_undone"]) == (202, True)
    assert api.get(answer["Location"]).json() == answer.json()
    assert main.judgments.count() == 2
    (job,) = api.get(f"query-sets/{main.query_set_id}/jobs").json()["jobs"]
    assert (job["what"], job["about"], job["state"]) == (
        "Undo of an import into Main",
        "grades.csv",
        "waiting",
    )


def test_an_import_takes_who_the_raters_of_a_file_are(api, query_set, main):
    rows = b"query,document,rater,grade\nq1,d1,ann=1,1\nq1,d1,Ann=1,2\n"
    path = f"lists/{main.pk}/imports/preview?create_missing=true&good_lines=true"

    unclear = api.post(path, rows).json()
    clear = api.post(f"{path}&raters=ann%3D1%3Dmachine&raters=Ann%3D1%3Dexternal", rows).json()

    assert (unclear["can_be_imported"], len(unclear["problems"])) == (False, 1)
    assert (clear["can_be_imported"], clear["result"]["new"]) == (True, 2)
    assert "NAME=machine" in problem_of(api.post(f"{path}&raters=nobody", rows))


def test_queries_are_exported(api, query_set):
    make.make_query(query_set, "q7", text="tent")
    path = f"query-sets/{query_set.pk}/export"
    assert b"q7,tent" in b"".join(api.get(path).streaming_content)
    assert problem_of(api.get(f"{path}?format=none")).startswith("Unknown format “none”. Choose one of: ")
    assert api.get(f"{path}?format=beir&list=8999999").status_code == 404


def test_a_large_list_is_deleted_by_a_worker(api, main, monkeypatch):
    monkeypatch.setattr(deletion_jobs, "MOST_ROWS", 0)
    answer = api.delete(f"lists/{main.pk}?name=Main")
    assert answer.status_code == 202, answer.content
    assert api.get(f"lists/{main.pk}").status_code == 404
    job = api.get(answer["Location"]).json()
    assert (job["what"], job["state"]) == ("deletion of list Main", "waiting")
    [listed] = api.get(f"query-sets/{main.query_set_id}/jobs").json()["jobs"]
    assert (listed["id"], listed["state"], listed["can_retry"]) == (job["id"], "waiting", False)

    Deletion.objects.update(failure="The disk was full.")
    assert api.get(answer["Location"]).json()["state"] == "failed"
    assert api.post(f"jobs/{job['id']}/retry").json()["state"] == "waiting"
    assert api.post(f"jobs/{job['id']}/cancel").status_code == 409
