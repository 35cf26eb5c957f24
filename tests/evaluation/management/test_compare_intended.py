"""manage.py compare: intended queries beside all others, and pages that are shorter than the cutoff."""

import csv
import io
import json

import pytest
from django.core.management import CommandError

from tests.evaluation.management.test_compare import make_files


def intended(write, *ids):
    return ["--intended", write("intended.txt", "\ufeff" + "\r\n".join(ids) + "\n\n")]


def test_intended_and_other_queries_are_counted_apart(compare, write):
    files = make_files(write, queries=20, same=4)  # q0 to q3 stay the same, the others improve

    out, err = compare(*files, *intended(write, "q0", "q19", "q18", "q18", "nobody"))

    assert "1 intended query has no judgments and can’t be compared: “nobody”." in err
    assert "new: Of 3 intended queries, 2 changed, 2 improved and 0 got worse." in out
    assert "Of 17 other queries, 14 changed, 14 improved and 0 got worse." in out
    assert "2 of 16 (12.5 %)" in out
    assert "2 of 3 (66.7 %)" in out


def test_files_hold_what_was_intended(compare, write):
    files = [*make_files(write, queries=20, same=4), *intended(write, "q0", "q19", "nobody")]

    found = json.loads(compare(*files, "--format", "json").out)
    (row,) = csv.DictReader(io.StringIO(compare(*files, "--format", "csv").out))

    assert found["intended"] == {"queries": 3, "unknown": ["nobody"]}
    counts = found["runs"][0]["intent"]["nDCG@10"]
    assert (counts["precision"], counts["recall"]) == (1 / 16, 1 / 2)
    assert counts["others"] == {
        "queries": 18, "changed": 15, "improved": 15, "worse": 0, "same": 3, "undecided": 0
    }  # fmt: skip
    assert (row["intended: changed"], row["others: changed"]) == ("1", "15")
    assert float(row["recall of the intent"]) == 1 / 2


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("\n\n", "names no query"),
        ("x\ny\n", "None of the 2 intended queries is in qrels; the first is “x”."),
        (b"\xff\xfe", "isn’t in UTF-8"),
    ],
)
def test_a_file_of_intended_queries_that_says_nothing_is_refused(compare, write, tmp_path, content, problem):
    path = tmp_path / "intended.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(CommandError, match=problem) as caught:
        compare(*make_files(write), "--intended", path)
    assert caught.value.returncode == 2


def test_short_pages_are_told_of_every_run(compare, write):
    files = make_files(write, queries=20)

    out, _ = compare(*files, "--cutoff", 2)
    assert "show fewer than" not in out

    out, _ = compare(*files)
    assert "old: 20 of 20 pages show fewer than 10 documents. On these 20, mean NDCG-local is 0.6309" in out
    assert "new: 20 of 20 pages show fewer than 10 documents. On these 20, mean NDCG-local is 1.0000" in out
