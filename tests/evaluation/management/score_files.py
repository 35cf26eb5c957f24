"""The files that tests of `manage.py score` start from."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\nq3 0 d3 1\n"
# One query more than the judgments have, which is said.
RUN = "q1 Q0 d2 1 2.0 t\nq1 Q0 d1 2 1.0 t\nq2 Q0 d1 1 1 t\nq8 Q0 d1 1 1 t\n"
NOT_JUDGED = "Warning: {}: 1 query of the run is not in the qrels and is left out.\n"
