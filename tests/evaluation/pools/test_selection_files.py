"""Files of judgments say how pairs were selected: a copy of a list, and a command, say of them what the list's page says."""

import csv
import json
from io import StringIO
from urllib.parse import urlencode

import numpy as np
import pytest

from evaluation.pools.actions.deciding import add_deciding
from evaluation.pools.actions.pools import add_pool
from judgments.files.actions.imports import Source, import_judgments
from judgments.files.reports.exports import UNSAID_SELECTION, export
from judgments.files.reports.imports import OpenedFile
from judgments.lists.actions.versions import freeze_version
from judgments.lists.reports.removal import PairChoice, acts_that_added, chosen_pairs
from judgments.models import PAIR_KEYS, SELECTION, Act, Pair, Role
from tests import factories as make
from tests.api import Api
from tests.evaluation.pools.deciding import grade_of, make_deciding
from tests.evaluation.scored import make_rankings
from tests.evaluation.two_runs import comparison_address
from tests.html import html_of
from tests.touchstone_core.formats.texts import text_of
from touchstone_core.formats.judgments.judgment_files import WRITABLE, open_judgment_text
from touchstone_core.formats.judgments.judgments import RANDOM, TARGETED, JudgmentRecord
from touchstone_core.metrics.formula import Formula
from touchstone_core.offline.file_comparison import compare_files
from touchstone_core.offline.file_gate import gate_files
from touchstone_core.offline.gate_command import read_conditions
from touchstone_core.offline.other_judgments import read_other_grades

pytestmark = pytest.mark.django_db
FORMATS = ("touchstone", "jsonl")


@pytest.fixture
def world(client):
    """A list of which the first documents are a pool, and 25 more were added to decide between its runs; all are judged."""
    judgment_list, runs = make_deciding()
    client.force_login(make.make_member(judgment_list.query_set, Role.ADMIN))
    add_pool(judgment_list=judgment_list, runs=runs, depth=1)
    add_deciding(
        judgment_list=judgment_list,
        runs=runs,
        formula=Formula(cutoff=4),
        judgments=25,
        random=np.random.default_rng(1),
    )
    pairs = Pair.objects.select_related("query", "document").order_by("pk")
    names = [(pair.query.external_id, pair.document.external_id) for pair in pairs]
    bring(judgment_list, [JudgmentRecord(1, *name, "x", grade_of(name[1]), "ann") for name in names])
    return judgment_list, runs


def bring(judgment_list, records, *report, **more):
    import_judgments(judgment_list=judgment_list, file=OpenedFile(records, *report), at=make.NOW, **more)


def written(judgment_list, format="jsonl", version=None):
    file = export(judgment_list, WRITABLE[format], at=make.NOW, version=version)
    return b"".join(file.content).decode()


def copy_of(judgment_list, text):
    copy = make.make_list(judgment_list.query_set, scale=judgment_list.scale, name="Copy")
    stream = open_judgment_text(text_of(text))
    bring(copy, stream.records, stream.report, source=Source("list.jsonl"))
    return copy


def selections(judgment_list):
    lines = map(json.loads, written(judgment_list).splitlines())
    return {(one["query"], one["document"]): one.get("selection", "") for one in lines}


def write_files(world, folder):
    """The list's judgments and its runs as files."""
    judgment_list, runs = world
    judgments, files = folder / "list.jsonl", [folder / f"{run.name}.json" for run in runs]
    judgments.write_text(written(judgment_list))
    queries = list(judgment_list.query_set.queries.order_by("pk"))
    for run, file in zip(runs, files, strict=True):
        pages = {
            query.external_id: [f"{nth}-{run.name}-{rank}" for rank in range(4)]
            for nth, query in enumerate(queries)
        }
        file.write_text(json.dumps(pages))
    return judgments, *files


def verdict_on_page(client, judgment_list, runs, **more):
    context = client.get(comparison_address(judgment_list, *runs, k=4, **more)).context
    (row,) = context["comparison"].candidates
    return context["comparison"].figures["coverage"]["targeted"], row.beside.verdict


def test_files_say_how_pairs_were_selected(world):
    """Of 25 pairs 12 % are drawn."""
    judgment_list, _ = world

    found = list(selections(judgment_list).values())
    assert (len(found), found.count(TARGETED), found.count(RANDOM)) == (65, 22, 3)
    rows = list(csv.DictReader(StringIO(written(judgment_list, "touchstone").partition("\n")[2])))
    assert {(one["query"], one["document"]): one["selection"] for one in rows} == selections(judgment_list)


@pytest.mark.parametrize("format", FORMATS)
def test_a_copy_is_written_as_the_same_file(world, format):
    judgment_list, _ = world
    text = written(judgment_list, format)

    again = written(copy_of(judgment_list, text), format)

    assert again.replace('"list": "Copy"', '"list": "First pass"') == text


def test_the_log_of_a_copy_knows_the_pairs_of_each_selection(world):
    judgment_list, _ = world
    copy = copy_of(judgment_list, written(judgment_list))

    acts = Act.objects.filter(judgment_list=copy, after__has_key=SELECTION).order_by("pk")
    assert [(act.after[SELECTION], act.after["pairs"], act.after["file"]) for act in acts] == [
        (TARGETED, 22, "list.jsonl"),
        (RANDOM, 3, "list.jsonl"),
    ]
    expected = selections(judgment_list)
    for act in acts:
        keys = Pair.objects.filter(judgment_list=copy, pk__range=act.after[PAIR_KEYS])
        names = keys.values_list("query__external_id", "document__external_id")
        assert set(names) == {name for name, one in expected.items() if one == act.after[SELECTION]}


@pytest.mark.parametrize("on", ["max", "global"])
def test_a_copy_and_a_command_say_of_two_runs_what_the_page_says(client, world, tmp_path, on):
    judgment_list, runs = world
    copy = copy_of(judgment_list, written(judgment_list))
    judgments, *files = write_files(world, tmp_path)
    measure = Formula(cutoff=4).measure(on)

    targeted, verdict = verdict_on_page(client, judgment_list, runs, on=on)
    of_copy, verdict_of_copy = verdict_on_page(client, copy, runs, on=on)
    (of_files,) = compare_files(judgments, files, measures=measure, cutoff=4, max_grade=3).verdicts(measure)

    assert (targeted, of_copy) == ([True, True], [True, True])
    assert verdict.needs_judging
    assert "Documents were judged for what they decide" in verdict.details
    words = [(one.kind, one.headline, one.details) for one in (verdict, verdict_of_copy, of_files)]
    assert words[1:] == words[:1] * 2


def test_runs_that_show_no_such_pair_of_the_file_are_compared_as_ever(client, world):
    judgment_list, runs = world
    copy = copy_of(judgment_list, written(judgment_list))
    other = make.make_run(judgment_list.query_set, name="other")
    same = make.make_run(judgment_list.query_set, name="same")
    for run in (other, same):
        make_rankings(run, {query: ["x", "y"] for query in judgment_list.query_set.queries.all()})

    assert verdict_on_page(client, copy, (other, same))[0] == [False, False]
    assert verdict_on_page(client, copy, (other, runs[1]))[0] == [False, True]


def test_pairs_that_a_list_has_stay_as_they_were_selected(world):
    judgment_list, _ = world
    before = selections(judgment_list)

    records = [JudgmentRecord(1, *name, "x", 3.0, "bob", selection=TARGETED) for name in before]
    bring(judgment_list, records)

    assert selections(judgment_list) == before


def test_of_lines_that_differ_the_one_that_asks_for_more_care_counts(world):
    judgment_list, _ = world
    copy = make.make_list(judgment_list.query_set, scale=judgment_list.scale)
    (query, first), (_, second) = list(selections(judgment_list))[:2]
    rows = [(first, "ann", RANDOM), (first, "bob", ""), (second, "ann", RANDOM), (second, "bob", TARGETED)]

    bring(copy, [JudgmentRecord(1, query, name, "x", 3.0, rater, selection=one) for name, rater, one in rows])

    assert selections(copy) == {(query, first): RANDOM, (query, second): TARGETED}


def test_a_line_that_repeats_another_still_says_how_its_pair_was_selected(world):
    """Of two lines that say the same one counts. It was the first, and what only the second says was lost."""
    judgment_list, _ = world
    copy = make.make_list(judgment_list.query_set, scale=judgment_list.scale)
    (query, first), (_, second) = list(selections(judgment_list))[:2]
    lines = [(first, "", ""), (first, "", TARGETED), (second, "3", RANDOM), (second, "3", TARGETED)]
    text = "query,document,grade,selection\n" + "".join(
        f"{query},{name},{grade},{one}\n" for name, grade, one in lines
    )

    bring(copy, open_judgment_text(text_of(text)).records)

    assert selections(copy) == {(query, first): TARGETED, (query, second): TARGETED}
    assert read_other_grades(text_of(text)).targeted == {(query, second)}


def test_pairs_of_a_selection_can_be_taken_out_alone_or_with_the_import(world):
    judgment_list, _ = world
    records = [
        JudgmentRecord(1, *name, "", None, selection=one) for name, one in selections(judgment_list).items()
    ]
    copy = make.make_list(judgment_list.query_set, scale=judgment_list.scale)
    bring(copy, records, source=Source("pairs.csv"))

    counts = [chosen_pairs(copy, PairChoice(added=act.pk)).count() for act in acts_that_added(copy)]
    assert sorted(counts) == [3, 22, 65]


def test_other_formats_say_what_they_lose(client, world):
    judgment_list, _ = world
    frozen = freeze_version(judgment_list=judgment_list)
    fresh = make.make_list(judgment_list.query_set, scale=judgment_list.scale)
    url = f"/lists/{judgment_list.pk}/export/"

    warned = {
        name: UNSAID_SELECTION in export(judgment_list, one, at=make.NOW).warnings
        for name, one in WRITABLE.items()
    }
    assert {name for name, is_warned in warned.items() if not is_warned} == set(FORMATS)
    assert UNSAID_SELECTION in export(judgment_list, WRITABLE["qrels"], at=make.NOW, version=frozen).warnings
    assert export(fresh, WRITABLE["qrels"], at=make.NOW).warnings == []
    assert "were judged for what they decide between two runs" in html_of(client.get(url))
    assert "were judged for what they decide" not in html_of(client.get(f"/lists/{fresh.pk}/export/"))


def test_the_hash_of_a_version_is_that_of_its_grades_alone(world):
    judgment_list, _ = world
    copy = make.make_list(judgment_list.query_set, scale=judgment_list.scale)
    bring(
        copy, [JudgmentRecord(1, *name, "x", grade_of(name[1]), "ann") for name in selections(judgment_list)]
    )

    hashes = [freeze_version(judgment_list=one).sha256 for one in (judgment_list, copy)]
    assert hashes[0] == hashes[1]


def gate_of_site(judgment_list, content, **asked):
    api = Api(make.make_member(judgment_list.query_set, Role.ENGINEER))
    return api.post(f"lists/{judgment_list.pk}/gate?{urlencode(asked)}", content).json()


@pytest.mark.parametrize("is_copy", [False, True])
def test_a_gate_of_the_site_says_what_a_gate_of_the_files_says(world, tmp_path, is_copy):
    """Zeros prove nothing beside what was judged for what it decides: the condition isn't met, and nobody knows by how much."""
    judgment_list, (baseline, _) = world
    judgments, of_baseline, of_run = write_files(world, tmp_path)
    asked = copy_of(judgment_list, written(judgment_list)) if is_copy else judgment_list
    conditions = "--measure nDCG@4 --max-drop .02 --significant"
    demands = read_conditions(conditions)

    found = gate_of_site(
        asked, of_run.read_bytes(), conditions=conditions, baseline=baseline.pk, file_name=of_run.name
    )
    expected, _ = gate_files(judgments, of_run, of_baseline, demands, max_grade=3)

    assert any("judged for what they decide" in one for one in found["warnings"])
    (of_site,), (of_files,) = (
        found["report"]["measures"],
        json.loads(json.dumps(expected.as_json))["measures"],
    )
    assert [one["untold"] for one in of_site["conditions"]] == [True]
    assert of_site == of_files


def test_a_gate_of_runs_that_show_no_such_pair_is_as_ever(world):
    """Both show the documents of the pool alone."""
    judgment_list, _ = world
    other = make.make_run(judgment_list.query_set, name="other")
    queries = list(judgment_list.query_set.queries.order_by("pk"))
    pool = {query: [f"{nth}-old-0"] for nth, query in enumerate(queries)}
    make_rankings(other, pool)
    content = json.dumps({query.external_id: names for query, names in pool.items()}).encode()

    found = gate_of_site(
        judgment_list, content, baseline=other.pk, conditions="--measure nDCG@4 --max-drop .02 --significant"
    )

    (measure,) = found["report"]["measures"]
    assert [(one["passed"], one["untold"]) for one in measure["conditions"]] == [(True, False)]
    assert "Documents were judged for what they decide" not in found["table"]
