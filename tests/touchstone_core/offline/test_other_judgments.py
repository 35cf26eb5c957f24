"""`--qrels` takes every format of judgments that a site imports."""

import pytest

from touchstone_core.formats.judgments.judgment_files import READABLE
from touchstone_core.formats.problems import FormatError
from touchstone_core.offline import file_scores, files
from touchstone_core.offline.file_scores import score_files
from touchstone_core.offline.files import FileRefusedError, read_judged_file

EXAMPLES = {
    "jsonl": {"q1": {"d1": 2}},
    "opensearch": {"red shoes": {"d1": 2}},
    "quepid-book": {"red shoes": {"d1": 2}},
    "rank-eval": {"q1": {"d1": 2}},
    "rre": {"red shoes": {"d1": 2}},
    "quepid-case": {"red shoes": {"d1": 2}},
    "label-studio": {"q1": {"d1": 2}},
    "json": {"q1": {"d1": 2, "d2": 0}},
    "letor": {"q1": {"d1": 2}},
    "qrels": {"q1": {"d1": 2}},
    "wide": {"red shoes": {"d1": 2}},
    "decisions": {"q1": {"d1": 2}},
    "tsv": {"q1": {"d1": 2}},
    "csv": {"q1": {"d1": 2}},
}
"""What the examples say, which pages show people."""


@pytest.fixture(params=["small", "large"])
def size(request, monkeypatch):
    monkeypatch.setattr(files, "SMALL", 1 << 60 if request.param == "small" else 0)
    return request.param


def test_a_file_that_cannot_be_read_is_named(size, tmp_path):
    """A command takes several files, and “the file needs a column” said nothing of which."""
    judgments, run = tmp_path / "grades.csv", tmp_path / "run.csv"
    judgments.write_text("Frage;Ware;Note\nq1;d1;2\n")
    run.write_text("query_id;Ware\nq1;d1\n")
    with pytest.raises(FormatError) as of_judgments:
        score_files(judgments, [run], measures="RR")
    judgments.write_text("query_id,document_id,grade\nq1,d1,2\n")
    with pytest.raises(FormatError) as of_run:
        score_files(judgments, [run], measures="RR")

    assert of_judgments.value.message.startswith(
        "grades.csv: The file needs a column for query and document;"
    )
    assert of_run.value.message.startswith("run.csv: The file needs a column for document;")


@pytest.fixture
def scored(tmp_path):
    """Scores a run that shows one document, x, for a query, by judgments of this text."""

    def score(text, query="q1", document="d1", name="judgments.file"):
        (tmp_path / name).write_text(text)
        (tmp_path / "run.json").write_text(f'{{"{query}": ["x", "{document}"]}}')
        return score_files(tmp_path / name, [tmp_path / "run.json"], measures="RR DCG@2")

    return score


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("name", READABLE)
def test_every_format_is_scored(scored, name):
    """The document is second: 1/2. Of the wide table, d1 has the grades 2 and 3, whose lower middle one counts."""
    grades = EXAMPLES[name]
    ((query, of_query),) = grades.items()

    found = scored(READABLE[name].example, query)

    assert found.judged.judgments == len(of_query)
    assert found.judged.scale.top_grade == max(of_query.values())
    assert found.scores[0].means()["RR"] == 0.5


@pytest.mark.usefixtures("size")
def test_letor_of_whole_numbers_is_no_qrels(scored):
    assert scored("2 qid:7 # 17\n0 qid:7 # 18\n", "7", "17").scores[0].means()["RR"] == 0.5


def test_raters_who_differ_are_one_grade_and_a_warning(scored):
    """The median of 0, 2 and 3 is 2; of 1 and 3 the lower is 1, as in a new list. Twice the same by one rater counts once."""
    rows = "q1,d1,0,a|q1,d1,3,b|q1,d1,2,c|q1,d2,3,a|q1,d2,1,b|q1,d3,1,a|q1,d3,1,a|q1,d4,1,a|q1,d4,1,b"

    found = scored("query,document,grade,rater\n" + rows.replace("|", "\n"))

    assert found.judged.grades == {"q1": {"d1": 2, "d2": 1, "d3": 1, "d4": 1}}
    assert found.warnings == [
        "judgments.file: Line 3, column document: “d1” should be given one grade (its raters differ: the median counts, of two in "
        "the middle the lower). So in 2 more rows.",
        "judgments.file: Line 8, column document: “d3” should be listed once for a query (line 7 says the same; counted once).",
    ]


def test_what_has_no_grade_is_left_out(scored):
    text = "query,document,grade,rater,reason\nq1,d1,2,a,\nq1,d2,,a,spam\nq1,d3,,,\n"

    found = scored(text)

    assert found.judged.grades == {"q1": {"d1": 2}}
    assert found.warnings == [
        "judgments.file: Line 3, column reason: “spam” should be a grade (“cannot judge”; left out)."
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("query,document,grade\nq1,d1,Exact\n", "Line 2, column grade: “Exact” should be a number with a decimal point (only a site’s"),
        ("query,document,Ann,Bob\n" + 1_000 * "q1,d1,1,1\n" + "q1,d2,1,E\n", "Line 1002, column Bob: “E” should be a number"),
        ("query,document,grade\nq1,d1,1\nq1,d1,2\n", "Line 3, column document: “d1” should be listed once for a query (line 2 gives"),
        ("q1 0 d1\n", "Line 1: 3 columns. There should be query, 0, document and grade."),
        ("q1\t0\nq1\t0\td1\t2\n", "Line 1: 2 columns. There should be query, 0, document and grade."),
        ("what is this\n", "Line 1: 3 columns. There should be query, 0, document and grade."),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("size")
def test_errors_name_line_and_value(scored, text, says):
    with pytest.raises(FileRefusedError) as refusal:
        scored(text)

    assert refusal.value.sentences[0].startswith(says)


@pytest.mark.usefixtures("size")
def test_pairs_without_any_grade_are_no_judgments(scored):
    with pytest.raises(FormatError, match="holds no grades"):
        scored("query,document\nq1,d1\n", name="pairs.csv")


def test_plain_qrels_never_ask_for_a_format(tmp_path, monkeypatch):
    """The short way of small clean files stays short."""
    monkeypatch.setattr(file_scores, "read_judged_file", None)
    path = tmp_path / "qrels"
    path.write_text("q1 0 d1 2\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 t\n")

    assert score_files(path, [tmp_path / "run"], measures="RR").scores[0].means() == {"RR": 1}


def test_packed_judgments_are_unpacked_first(tmp_path):
    import gzip

    path = tmp_path / "judgments.csv.gz"
    path.write_bytes(gzip.compress(READABLE["csv"].example.encode()))

    for small in (True, False):
        assert read_judged_file(path, small=small).grades == {"q1": {"d1": 2}}
