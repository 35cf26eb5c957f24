"""Scores of files, as the command keeps them."""

from touchstone_core.offline.file_scores import as_json, score_files

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\nq3 0 d4 1\n"
RUN = "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\nq2 Q0 d9 1 2.0 t\nq2 Q0 d3 2 1.0 t\n"
MEASURES = "nDCG(ideal='local')@2 nDCG(missing='skip')@10 AP"


def test_a_run_says_the_same_once_its_hits_are_gone(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(QRELS)
    run.write_text(RUN)

    kept, gone = (
        score_files(qrels, [run], measures=MEASURES, keep_hits=keep_hits) for keep_hits in (True, False)
    )

    assert as_json(gone, per_query=True) == as_json(kept, per_query=True)
    assert gone.scores[0].short_pages[10].short == 2
    assert len(kept.scores[0].run.run.hit_rank) == 3
    assert len(gone.scores[0].run.run.hit_rank) == 0
