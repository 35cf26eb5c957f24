"""`touchstone fetch`: asks a search engine the queries of a file or of a site, and writes or uploads the run."""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from touchstone_core import TOKEN
from touchstone_core.engines import AT_ONCE, MOST_AT_ONCE, MOST_DEPTH
from touchstone_core.formats.content.query_files import read_query_text
from touchstone_core.formats.text import decode
from touchstone_core.offline.command_line import InputError, bad_input_refused, warn, write_files
from touchstone_core.offline.files import UNPACKED_LIMIT
from touchstone_core.words import counted

if TYPE_CHECKING:
    from touchstone_core.client.records import QuerySet
    from touchstone_core.client.site import Site
    from touchstone_core.engines.fetching import Engine, FetchResult

HELP: Final = (
    "Asks a search engine each query of a file, or of a query set of a site, and writes what it finds as a run, or uploads it. "
    "--url and --body have {query} where the query goes, and {depth} for the number of results."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--url", required=True, help="of the search, such as http://localhost:9200/products/_search"
    )
    parser.add_argument(
        "--body", type=Path, metavar="FILE", help="JSON that is sent by POST; default: a GET without a body"
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        dest="headers",
        metavar="LINE",
        help="such as “Authorization: ApiKey …”; @FILE reads lines from a file, which others don’t see in the list of processes",
    )
    parser.add_argument(
        "--hits",
        default="",
        metavar="PATH",
        help="where answers have the results; default: as most engines have it",
    )
    parser.add_argument(
        "--id",
        default="",
        metavar="PATH",
        help="where a result has the ID of its document; default: likewise",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--queries", type=Path, metavar="FILE", help="the queries, in any format that a site imports"
    )
    source.add_argument(
        "--site", metavar="URL", help=f"takes the queries from a site, with the token in the variable {TOKEN}"
    )
    parser.add_argument("--query-set", metavar="NAME", help="of the site")
    parser.add_argument("--depth", type=int, default=100, help="results for each query; default: %(default)s")
    parser.add_argument(
        "--at-once",
        type=int,
        default=AT_ONCE,
        metavar="N",
        help="so many queries are asked at once; default: %(default)s",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="the run as JSON lines; default: printed, unless it is uploaded",
    )
    parser.add_argument("--name", help="with --site: uploads the run under this name")
    parser.add_argument(
        "--tag", action="append", default=[], dest="tags", metavar="TAG", help="of the uploaded run"
    )
    parser.add_argument("--commit", default="", help="of the uploaded run")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Writes the run to a file, to a site or to `out`, and what there is to know to `err`. All of it, or raises InputError."""
    _check(options)
    with ExitStack() as opened:
        if options.site:
            from touchstone_core.commands.site_lists import site_of

            site = opened.enter_context(site_of(options))
            query_set = site.query_set_named(options.query_set)
            queries = {one.query_id: one.query for one in site.queries(query_set)}
        else:
            site, query_set, queries = None, None, _queries_of_file(options.queries)
        fetched = _fetch(options, queries, err)
        if options.output:
            write_files([(options.output, fetched.lines)])
        if site and query_set and options.name:
            _upload(site, query_set, fetched.lines, options, err)
        elif not options.output:
            out.write(fetched.lines)
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.site and not options.query_set:
        raise InputError("--site needs --query-set. It names the queries on the site.")
    if not options.site and (options.query_set or options.name or options.tags or options.commit):
        raise InputError(
            "--query-set, --name, --tag and --commit need --site, because they belong to a site."
        )
    if not options.name and (options.tags or options.commit):
        raise InputError("--tag and --commit need --name. Without it, nothing is uploaded.")
    if options.output and not options.output.parent.is_dir():
        raise InputError(f"{options.output} cannot be written: there is no folder {options.output.parent}.")
    if not 1 <= options.depth <= MOST_DEPTH:
        raise InputError(f"--depth is {options.depth}. It must be 1 to {MOST_DEPTH:,}.")
    if not 1 <= options.at_once <= MOST_AT_ONCE:
        raise InputError(f"--at-once is {options.at_once}. It must be 1 to {MOST_AT_ONCE}.")


def _queries_of_file(path: Path) -> dict[str, str]:
    """Texts by ID, or by themselves where the file has no IDs."""
    with bad_input_refused():
        found = read_query_text(decode(path.read_bytes(), name=path.name, limit=UNPACKED_LIMIT))
    if not found.report.ok:
        problems = counted(found.report.errors.total, "problem")
        raise InputError(
            "\n".join([*found.report.errors.sentences(), f"{path.name} has {problems}. Nothing was asked."])
        )
    return {one.query if one.by_text else one.query_id: one.query for one in found.records}


def _fetch(options: argparse.Namespace, queries: dict[str, str], err: TextIO) -> "FetchResult":
    from touchstone_core.engines.fetching import fetch

    if not queries:
        raise InputError("There are no queries to ask.")
    engine = _engine(options)
    fetched = fetch(engine, queries, depth=options.depth, at_once=options.at_once)
    most = max(map(len, fetched.rankings.values()))
    if fetched.doubles:
        err.write(
            f"Warning: {counted(fetched.doubles, 'result')} came twice for a query. The first of each is kept.\n"
        )
    if most < options.depth and not engine.template.says_how_many:
        err.write(
            f"Warning: no query has more than {counted(most, 'result')}, and --depth is {options.depth}. "
            "Tell the engine how many you want: write {depth} into --url or --body.\n"
        )
    said = f"{len(queries):,} queries" if len(queries) > 1 else "1 query"
    without = f", {fetched.empty:,} without results" if fetched.empty else ""
    err.write(f"{said}, {counted(fetched.results, 'result')}{without}.\n")
    return fetched


def _engine(options: argparse.Namespace) -> "Engine":
    from touchstone_core.engines.fetching import Engine
    from touchstone_core.engines.request import Template, read_body, read_headers

    with bad_input_refused():
        body = (
            read_body(options.body.read_text(encoding="utf-8-sig"), options.body.name)
            if options.body
            else None
        )
        lines = [text for one in options.headers for text in _header_lines(one)]
    return Engine(Template(options.url, body, read_headers(lines)), options.hits, options.id)


def _header_lines(text: str) -> list[str]:
    if not text.startswith("@"):
        return [text]
    return [line for line in Path(text[1:]).read_text(encoding="utf-8-sig").splitlines() if line.strip()]


def _upload(
    site: "Site", query_set: "QuerySet", lines: str, options: argparse.Namespace, err: TextIO
) -> None:
    stored = site.upload(
        query_set,
        lines.encode(),
        name=options.name,
        file_name=f"{options.name}.jsonl",
        format="jsonl",
        queries="id",
        tags=options.tags,
        commit=options.commit,
    )
    warn(stored.warnings, err)
    known = "Already stored" if stored.already_stored else "Stored"
    page = f"{site.url}/query-sets/{query_set.id}/runs/"
    err.write(f"{known} as run “{stored.run.name}” of “{query_set.name}”: {page}\n")
