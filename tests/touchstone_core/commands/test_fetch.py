"""`touchstone fetch`: an engine that answers over HTTP, queries of files and of a site."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evaluation.base.sql import unpack_documents
from evaluation.models import Run
from tests import factories as make
from touchstone_core.command import main
from touchstone_core.commands import fetch as fetch_command
from touchstone_core.offline.command_line import run_command

SHOP = {
    "red shoes": ["d2", "d1", "d 3"],
    "blue shoes": ["d1"],
    "hats": [],
}


@pytest.fixture
def engine():
    """Finds what SHOP says, as Elasticsearch answers, for who is let in; `asked` are the bodies."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            if self.headers["Authorization"] != "ApiKey abc":
                self.answer(401, {"error": "security_exception"})
            else:
                found = SHOP[body["query"]["match"]["title"]][: body.get("size", 10)]
                self.answer(200, {"hits": {"hits": [{"_id": one, "_score": 1.0} for one in found]}})

        def answer(self, status, content):
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = asked
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def fetch(engine, tmp_path, capsys):
    body = {"size": "{depth}", "query": {"match": {"title": "{query}"}}}
    (tmp_path / "body.json").write_text(json.dumps(body))
    (tmp_path / "headers").write_text("Authorization: ApiKey abc\n")
    (tmp_path / "queries.csv").write_text("query_id,query\nq1,red shoes\nq2,blue shoes\nq3,hats\n")

    def run(*arguments, queries=("--queries", tmp_path / "queries.csv"), header=f"@{tmp_path / 'headers'}"):
        engine_options = ["--url", f"http://127.0.0.1:{engine.server_port}/shop/_search", "--header", header]
        engine_options += ["--body", tmp_path / "body.json"]
        given = [*engine_options, *queries, *arguments]
        status = run_command(fetch_command, "touchstone fetch", list(map(str, given)))
        return status, *capsys.readouterr()

    return run


def test_the_run_is_printed_in_the_engines_order(fetch, engine):
    status, out, err = fetch("--depth", "2")

    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == [
        {"query": "q1", "results": ["d2", "d1"]},
        {"query": "q2", "results": ["d1"]},
        {"query": "q3", "results": []},
    ]
    assert err == "3 queries, 3 results, 1 without results.\n"
    assert {body["size"] for body in engine.asked} == {2}


def test_a_file_of_the_run_is_whole_or_not_there(fetch, tmp_path):
    run = tmp_path / "run.jsonl"

    assert fetch("--output", run, header="Authorization: ApiKey other")[0] == 2
    assert not run.exists()
    assert fetch("--output", run)[:2] == (0, "")
    assert json.loads(run.read_text().splitlines()[0])["results"] == ["d2", "d1", "d 3"]
    status, out, err = fetch("--output", tmp_path / "nowhere" / "run.jsonl")
    assert (status, out) == (2, "")
    assert f"run.jsonl cannot be written: there is no folder {tmp_path / 'nowhere'}." in err
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "body.json",
        "headers",
        "queries.csv",
        "run.jsonl",
    ]


def test_an_engine_that_refuses_says_so_and_the_secret_is_not_repeated(fetch):
    status, out, err = fetch(header="Authorization: ApiKey wrong")

    assert (status, out) == (2, "")
    assert "answered 401 Unauthorized" in err
    assert "security_exception" in err
    assert "wrong" not in err


def test_a_run_can_be_scored_and_gated(fetch, tmp_path, capsys):
    fetch("--output", tmp_path / "run.jsonl")
    (tmp_path / "qrels").write_text("q1 0 d2 3\nq2 0 d1 1\nq3 0 d9 2\n")

    files = ["--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run.jsonl")]
    status = main(["gate", *files, "--measure", "nDCG@10", "--min", ".6"])

    assert status == 0
    assert "0.6667" in capsys.readouterr().out  # two queries of three


def test_queries_without_ids_go_by_their_text(fetch, tmp_path):
    (tmp_path / "texts.txt").write_text("red shoes\nhats\n")

    _, out, _ = fetch(queries=("--queries", tmp_path / "texts.txt"))

    assert [json.loads(line)["query"] for line in out.splitlines()] == ["red shoes", "hats"]


def test_who_does_not_say_how_many_is_told(fetch, tmp_path):
    (tmp_path / "body.json").write_text('{"query": {"match": {"title": "{query}"}}}')

    _, _, err = fetch("--depth", "50")

    assert "no query has more than 3 results, and --depth is 50." in err
    assert "write {depth}" in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("query_id,query\nq1,a\nq1,b\n", r"query_id.*q1.*has 1 problem. Nothing was asked."),
        ("", "queries.csv"),
        ("query_id,query\n", "queries"),
    ],
)
def test_a_bad_file_of_queries_is_refused_before_anything_is_asked(fetch, engine, tmp_path, content, says):
    (tmp_path / "queries.csv").write_text(content)

    status, out, err = fetch()

    assert (status, out, engine.asked) == (2, "", [])
    assert re.search(says, " ".join(err.split()))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--depth", "0"), "--depth is 0"),
        (("--at-once", "99"), "--at-once is 99"),
        (("--name", "new"), "need --site"),
        (("--body", "/nowhere"), "/nowhere cannot be read: No such file or directory"),
        (("--header", "@/nowhere"), "/nowhere cannot be read"),
    ],
)
def test_bad_options_are_refused(fetch, arguments, says):
    status, _, err = fetch(*arguments)

    assert status == 2
    assert says in err


class TestSite:
    @pytest.fixture
    def of_site(self, fetch, site, admin, monkeypatch):
        self.query_set = admin.memberships.get().query_set
        for number, text in enumerate(SHOP, start=1):
            make.make_query(self.query_set, f"q{number}", text=text)
        monkeypatch.setenv("TOUCHSTONE_TOKEN", make.make_token(admin, "engineer"))
        return lambda *more: fetch(*more, queries=("--site", site.url, "--query-set", "Shop"))

    def test_the_queries_of_a_site_are_asked_and_the_run_is_stored_there(self, of_site, site):
        status, out, err = of_site("--name", "nightly", "--tag", "main", "--commit", "4f2c1aa")

        assert (status, out) == (0, ""), err
        run = Run.objects.get()
        assert (run.name, run.tags, run.commit) == ("nightly", ["main"], "4f2c1aa")
        rankings = run.rankings.values_list("query__external_id", "documents")
        assert {query: unpack_documents(block) for query, block in rankings} == {
            "q1": ["d2", "d1", "d 3"],
            "q2": ["d1"],
            "q3": [],
        }
        assert f"Stored as run “nightly” of “Shop”: {site.url}/query-sets/{self.query_set.pk}/runs/" in err

    def test_the_same_again_is_stored_once(self, of_site):
        of_site("--name", "nightly")

        assert "Already stored as run “nightly”" in of_site("--name", "nightly")[2]
        assert Run.objects.count() == 1

    def test_without_a_name_nothing_is_stored(self, of_site):
        status, out, _ = of_site()

        assert (status, len(out.splitlines())) == (0, 3)
        assert not Run.objects.exists()

    def test_a_site_needs_its_query_set_and_tags_need_a_name(self, fetch, site):
        assert "--site needs --query-set" in fetch(queries=("--site", site.url))[2]
        assert "need --name" in fetch("--tag", "x", queries=("--site", site.url, "--query-set", "Shop"))[2]
