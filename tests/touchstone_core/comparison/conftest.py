"""Runs in files, from pages that a test writes."""

import pytest


@pytest.fixture
def world(tmp_path):
    """Writes queries, each with its grades and a page of each run; returns the qrels and the runs, the baseline first."""

    def write(queries):
        qrels = tmp_path / "qrels"
        grades = [(place, one[0]) for place, one in enumerate(queries)]
        qrels.write_text("".join(f"q{at:03} 0 {name} {g}\n" for at, of in grades for name, g in of.items()))
        runs = []
        for run in range(1, len(queries[0])):
            runs.append(tmp_path / f"{['', 'old', 'new', *'cdefg'][run]}.trec")
            pages = [(place, one[run]) for place, one in enumerate(queries)]
            runs[-1].write_text(
                "".join(
                    f"q{at:03} Q0 {name} {rank} {-rank} {runs[-1].stem}\n"
                    for at, page in pages
                    for rank, name in enumerate(page, 1)
                )
            )
        return qrels, runs

    return write
