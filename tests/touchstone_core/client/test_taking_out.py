"""What was added by mistake is taken out by the client: imports are undone, pairs removed, queries and documents deleted."""

import pytest

from tests.touchstone_core.client.test_site import scene
from touchstone_core.client import ConflictError, InvalidError
from touchstone_core.client.records import Batch

__all__ = ["scene"]


def test_an_import_is_undone(site, scene):
    _, main, _, _ = scene

    (batch,) = site.batches(main)
    effect = site.preview_undo(main, batch)
    done = site.undo(main, batch)

    assert (batch.file, batch.judgments, batch.being_undone, batch.undone_at) == ("qrels.txt", 3, False, None)
    assert (effect.withdrawn, effect.restored, effect.kept) == (3, 0, 0)
    assert done == effect
    assert site.read_batch(main, batch).undone == 3
    with pytest.raises(ConflictError, match="nothing of this import is left"):
        site.undo(main, batch)


def test_a_large_import_is_undone_by_a_worker(site, scene, monkeypatch):
    monkeypatch.setattr("judgments.files.actions.undoing.MOST_JUDGMENTS", 2)
    _, main, _, _ = scene
    (batch,) = site.batches(main)

    asked = site.undo(main, batch)

    assert isinstance(asked, Batch)
    assert asked.being_undone


def test_what_was_added_by_mistake_is_taken_out(site, scene):
    query_set, main, _, _ = scene
    extra = site.add_query(query_set, query_id="q3", query="hat")
    wrong = site.upload(query_set, {"q1": {"x": 2.0, "y": 1.0}, "q3": {"a": 1.0, "z": 0.5}}, name="wrong").run
    assert site.add_pairs(main, runs=[wrong]) == 4

    latest = site.additions(main)[0]
    preview = site.preview_removal(main, added=latest)
    (third,) = [pair.pair_id for pair in site.query_pairs(extra) if pair.document_id == "z"]
    first = site.remove_pairs(main, pairs=[third])
    rest = site.remove_pairs(main, added=latest)

    assert (latest.by, latest.source) == ("ann", "wrong")
    assert (preview.removed, preview.left, preview.kept) == (4, 0, {})
    assert (first.removed, rest.removed, rest.left) == (1, 3, 0)
    assert site.preview_removal(main, text="shoes").kept == {"judged": 2}
    assert site.remove_pairs(main, all=True).kept == {"judged": 3}
    with pytest.raises(InvalidError, match="Say which pairs"):
        site.remove_pairs(main)

    site.delete_run(wrong)
    query_plan = site.preview_query_deletion(query_set, list(site.queries(query_set)))
    document_plan = site.preview_document_deletion(query_set, list(site.documents(query_set)))
    assert (query_plan.deleted, query_plan.kept) == (1, 2)
    assert query_plan.reasons == {"in a judgment list": 2, "in a pair": 2, "in a run": 2}
    assert (document_plan.deleted, document_plan.kept, document_plan.reasons) == (3, 3, {"in a pair": 3})
    assert len(list(site.queries(query_set))) == 3

    queries = site.delete_queries(query_set, list(site.queries(query_set)))
    documents = site.delete_documents(query_set, list(site.documents(query_set)))
    assert (queries.deleted, queries.kept, queries.reasons) == (1, 2, query_plan.reasons)
    assert (documents.deleted, documents.kept, documents.reasons) == (3, 3, {"in a pair": 3})
    assert [one.query_id for one in site.queries(query_set)] == ["q1", "q2"]
    assert [one.document_id for one in site.documents(query_set)] == ["a", "b", "c"]
