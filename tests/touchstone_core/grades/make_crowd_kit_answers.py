"""Makes crowd_kit_answers.json anew: crowd-kit's Dawid-Skene on 300 pairs of `vuurens_crowd2011`.

crowd-kit needs transformers and pyarrow, so it is no requirement of ours. In an environment of its own:

    pip install crowd-kit==1.4.2
    python -m tests.touchstone_core.grades.make_crowd_kit_answers <folder of vuurens_crowd2011>
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
PAIRS = 300
ROUNDS = (5, 25, 100)


def first_labels(path: Path) -> list[tuple[str, str, int]]:
    """(pair, worker, label): the first label of each worker for each pair; a few came twice."""
    found: dict[tuple[str, str], int] = {}
    for line in path.read_text().splitlines():
        _, pair, worker, label = line.split()
        found.setdefault((pair, worker), int(label))
    return [(pair, worker, label) for (pair, worker), label in found.items()]


def of_first_pairs(labels: list[tuple[str, str, int]], count: int = PAIRS) -> list[tuple[str, str, int]]:
    chosen = set(sorted({pair for pair, _, _ in labels})[:count])
    return [label for label in labels if label[0] in chosen]


def main(folder: Path) -> None:
    import pandas
    from crowdkit.aggregation import DawidSkene

    labels = of_first_pairs(first_labels(folder / "votes"))
    frame = pandas.DataFrame(labels, columns=["task", "worker", "label"])
    answers = {}
    for rounds in ROUNDS:
        model = DawidSkene(n_iter=rounds, tol=float("-inf"))
        chances = model.fit_predict_proba(frame).sort_index()
        answers[str(rounds)] = [round(float(chance), 7) for chance in chances[1]]
    about = (
        f"crowd-kit {version('crowd-kit')}, DawidSkene, chance of label 1 for the first {PAIRS} pairs by id"
    )
    text = json.dumps({"about": about, "made": "2026-11-21", "rounds": answers})
    (HERE / "crowd_kit_answers.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
