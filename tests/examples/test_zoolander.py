"""The zoolander files hold the worked example whose numbers everybody can check by hand."""

import csv
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "zoolander"


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_judged_documents_exist_and_their_grades_lie_between_zero_and_one():
    judged = {row["document"]: float(row["grade"]) for row in rows("judgments.csv")}

    assert judged == {"movie": 1.0, "sequel": 0.9, "photo": 0.7, "helicopter": 0.1, "dog": 0.1}
    assert judged.keys() == {row["document_id"] for row in rows("documents.csv")}
    assert {row["query"] for row in rows("judgments.csv")} == {row["query_id"] for row in rows("queries.csv")}


def test_the_run_gives_the_four_ndcgs_of_the_readme():
    grade = {row["document"]: float(row["grade"]) for row in rows("judgments.csv")}
    lines = (FOLDER / "runs" / "example.trec").read_text(encoding="utf-8").splitlines()
    gains = [grade[line.split()[2]] for line in lines]

    def dcg(values: list[float]) -> float:
        return sum(value / rank for rank, value in enumerate(values[:2], start=1))

    best = [
        sorted(gains[:2], reverse=True),
        sorted(gains, reverse=True),
        sorted(grade.values(), reverse=True),
        [1.0, 1.0],
    ]
    assert [f"{dcg(gains) / dcg(ideal):.6f}" for ideal in best] == [
        "0.571429",
        "0.444444",
        "0.413793",
        "0.400000",
    ]
