"""What is written in a format is read back in it as the same list, and nonsense is never more than refused."""

import datetime as dt
import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.delimiters import BLANKS
from touchstone_core.formats.file_format import detect_format
from touchstone_core.formats.judgments.judgment_files import READABLE, WRITABLE, open_judgment_text
from touchstone_core.formats.judgments.judgments import EARLIEST, LATEST, JudgmentRecord
from touchstone_core.formats.problems import FormatError
from touchstone_core.formats.writing import Description, number
from touchstone_core.words import is_visible

READ_AS = {"touchstone": "csv", "quepid": "csv"}
TELLING = [
    "a b",
    'say "hi"',
    "=1+1",
    "+2",
    "-3",
    "@x",
    "'=x",
    "''-y",
    "käse",
    "🥿👟",
    "a,b;c",
    "#1",
    "{x}",
    "[y",
    "\\",
    "x" * 512,
]
LETTERS = st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))
IDS = st.sampled_from(TELLING) | st.text(LETTERS, min_size=1, max_size=12).filter(
    lambda id: id == id.strip(BLANKS) and is_visible(id)
)
PLAIN_IDS = IDS.filter(lambda id: " " not in id and "#" not in id)
GRADE = st.integers(-3, 9).map(float) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(LETTERS | st.just("\n"), max_size=20).map(lambda text: text.strip(BLANKS))
AFTER_EARLIEST = st.timedeltas(dt.timedelta(0), LATEST - EARLIEST - dt.timedelta(microseconds=1))
TIMES = AFTER_EARLIEST.map(lambda after: EARLIEST + after) | st.none()
SELECTION = st.sampled_from(["", "for what they decide", "at random"])
ABOUT = Description(
    "My list", "Shop", rule="median", tie="lower", scale="0–3", levels=[(0, "no"), (1.5, "yes")]
)


def grades_of(ids):
    pairs = st.dictionaries(st.tuples(ids, ids), GRADE, min_size=1, max_size=6)
    return pairs.map(
        lambda records: [JudgmentRecord(1, *pair, "", grade) for pair, grade in sorted(records.items())]
    )


@st.composite
def judged(draw):
    keys = draw(st.lists(st.tuples(IDS, IDS, TEXTS), min_size=1, max_size=6, unique=True))
    records = []
    for query, document, rater in sorted(keys):
        if not draw(st.booleans()):
            grade = draw(st.none() | GRADE)
            reason = "language" if grade is None else ""
            more = (rater, reason, draw(TEXTS), draw(TIMES), draw(st.none() | st.floats(0, 1e6)))
            records.append(JudgmentRecord(1, query, document, "", grade, *more, selection=draw(SELECTION)))
        elif (query, document) not in [key[:2] for key in keys if key != (query, document, rater)]:
            records.append(JudgmentRecord(1, query, document, "", None, selection=draw(SELECTION)))
    return records


def text_in(format, records, about=ABOUT):
    return "".join(WRITABLE[format].write(records, about))


def read_back(format, content):
    text = text_of(content)
    assert detect_format(text, READABLE).name == READ_AS.get(format, format)
    judgments = open_judgment_text(text).read()
    assert judgments.report.ok, list(judgments.report.errors.sentences())
    return judgments.records


def bare(records, *names):
    return [tuple(getattr(one, name) for name in ("query", "document", "grade", *names)) for one in records]


@pytest.mark.parametrize("format", ["quepid", "opensearch", "rre"])
@given(records=grades_of(IDS))
@example(records=[JudgmentRecord(1, r"\u0000", "a", "", 1.0)])  # six characters, and not the escape of one
def test_grades_come_back(format, records):
    assert bare(read_back(format, text_in(format, records))) == bare(records)


@pytest.mark.parametrize("format", ["qrels", "letor"])
@given(records=grades_of(PLAIN_IDS))
def test_grades_of_ids_without_blanks_come_back(format, records):
    assert bare(read_back(format, text_in(format, records))) == bare(records)


@given(records=grades_of(IDS))
def test_whole_grades_come_back_from_rank_eval(records):
    whole = [JudgmentRecord(1, one.query, one.document, "", float(round(one.grade))) for one in records]

    assert bare(read_back("rank-eval", text_in("rank-eval", whole))) == bare(whole)


@pytest.mark.parametrize("format", ["touchstone", "jsonl"])
@given(records=judged().filter(bool))
def test_judgments_come_back_with_all_that_they_say(format, records):
    back = read_back(format, text_in(format, records)) if any(map(is_answer, records)) else records

    names = ("rater", "reason", "comment", "judged_at", "seconds", "selection")
    assert bare(back, *names) == bare(records, *names)


def is_answer(record):
    return not record.unjudged


@given(records=judged().filter(bool))
def test_a_book_comes_back_without_times(records):
    back = read_back("quepid-book", text_in("quepid-book", records))

    names = ("rater", "reason", "comment")
    assert bare(back, *names) == bare(records, *names)


def test_texts_of_queries_come_back_where_a_format_has_room_for_them():
    records = [JudgmentRecord(1, "q1", "d", "", 1.0, query_text="red  dress")]

    for format in ("letor", "jsonl"):
        back = read_back(format, text_in(format, records))
        assert (back[0].query, " ".join(back[0].query_text.split())) == ("q1", "red dress")
    for format in (one.name for one in WRITABLE.values() if one.by_text):
        assert read_back(format, text_in(format, records))[0].query == "red  dress"


@pytest.mark.parametrize("format", ["qrels", "letor"])
@pytest.mark.parametrize("pair", [("a b", "d"), ("q", "d\te"), ("#q", "d")])
def test_what_white_space_would_cut_is_refused(format, pair):
    with pytest.raises(FormatError, match=r"holds a blank|start a comment|begins a comment"):
        text_in(format, [JudgmentRecord(1, *pair, "", 1.0)])


@pytest.mark.parametrize(
    ("pair", "named"), [(("q#1", "d"), "query ID “q#1”"), (("q", "docid"), "document ID “docid”")]
)
def test_letor_names_the_id_that_it_cannot_hold(pair, named):
    with pytest.raises(FormatError, match=f"^LETOR can’t hold the {named}"):
        text_in("letor", [JudgmentRecord(1, *pair, "", 1.0)])


def test_elasticsearch_takes_fractions_only_rounded():
    records = [JudgmentRecord(1, "q", "d", "", 1.7)]

    with pytest.raises(FormatError, match=r"whole grades only, and “d” has 1\.7"):
        text_in("rank-eval", records)
    whole = Description("L", whole_numbers=True)
    assert read_back("rank-eval", text_in("rank-eval", records, whole))[0].grade == 2


def test_numbers_keep_every_digit_and_no_more():
    assert [number(value) for value in (3, -1.0, 0.1 + 0.2, 5e-324, 1e16)] == [
        "3",
        "-1",
        "0.30000000000000004",
        "5e-324",
        "1e+16",
    ]


def test_an_export_says_where_it_comes_from_or_that_a_file_beside_it_must():
    records = [JudgmentRecord(1, "q", "d", "", 1.0)]

    for format in WRITABLE.values():
        content = text_in(format.name, records)
        assert format.has_comment == content.startswith("# touchstone: {")
    description = json.loads(text_in("letor", records).splitlines()[0].removeprefix("# touchstone: "))
    assert (
        description["list"],
        description["version"],
        description["consensus_rule"],
        description["tie_rule"],
    ) == (
        "My list",
        "live",
        "median",
        "lower",
    )
    assert description["scale"] == {"name": "0–3", "grades": {"0": "no", "1.5": "yes"}}


PIECES = st.sampled_from(
    [
        *('"query"', '"ratings"', '"docId"', '"judgmentRatings"', '"queries"', '"placeholders"', '"$query"'),
        *(
            '"relevant_documents"',
            '"requests"',
            '"query_doc_pairs"',
            '"judgements"',
            '"rating"',
            '"hits"',
            '"q"',
        ),
        *(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\n",
            " ",
            "\t",
            "1",
            "-0.5",
            "1e999",
            "null",
            "true",
            "NaN",
            '"',
            "'",
        ),
        *(
            "query",
            "docid",
            "document",
            "grade",
            "rater",
            "qid:1",
            "#",
            "q1",
            "d1",
            "0",
            "=",
            "é",
            "\x00",
            "\ufeff",
        ),
    ]
)


@pytest.mark.parametrize("format", ["", *READABLE])
@given(content=st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60))
def test_nonsense_is_read_or_refused_in_words(format, content):
    try:
        judgments = open_judgment_text(text_of(content), format=format or None).read()
    except FormatError as error:
        assert error.message.endswith(".")  # noqa: PT017
        return
    assert judgments.records or not judgments.report.ok or format in ("", "csv", "tsv", "jsonl", "wide")
    assert all(problem.line for problem in judgments.report.errors.first)


KEYS = [
    "query",
    "ratings",
    "docId",
    "rating",
    "judgmentRatings",
    "queries",
    "placeholders",
    "$query",
    "topics",
    "relevant_documents",
    "requests",
    "_id",
    "id",
    "query_doc_pairs",
    "judgements",
    "doc_id",
    "query_text",
    "hits",
    "_source",
    "query_groups",
    "gain",
    "user_email",
    "unrateable",
    "explanation",
    "query_placeholder",
    "data",
    "annotations",
    "result",
    "type",
    "value",
]
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(-1e9, 1e9)
SHAPES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize(
    "format", ["opensearch", "rre", "rank-eval", "quepid-book", "quepid-case", "label-studio", "json"]
)
@given(document=SHAPES)
def test_documents_of_every_shape_are_read_or_refused_in_words(format, document):
    try:
        judgments = open_judgment_text(text_of(json.dumps(document) + " "), format=format).read()
    except FormatError as error:
        assert error.message.endswith(".")  # noqa: PT017
        return
    assert judgments.records or not judgments.report.ok
    assert all(problem.line for problem in judgments.report.errors.first)


@pytest.mark.parametrize(
    ("scale", "labels"), [([0, 1.5], {"0": "nothing"}), ([0, 1], {"0": "no", "1.5": "yes"})]
)
def test_a_book_keeps_its_scale_unless_the_grades_differ(scale, labels):
    head = {"name": "a book", "scale": scale, "scale_with_labels": {"0": "nothing"}}
    records = [JudgmentRecord(1, "q", "d", "", 1.5, query_text="red", information_need="a dress")]

    book = json.loads(text_in("quepid-book", records, replace(ABOUT, head=head)))

    assert (book["name"], book["scale"], book["scale_with_labels"]) == ("a book", [0, 1.5], labels)
    assert book["query_doc_pairs"][0]["information_need"] == "a dress"
