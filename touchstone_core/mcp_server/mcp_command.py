"""`touchstone mcp`: serves an assistant over standard input and output."""

import argparse
from typing import Final, TextIO

from touchstone_core import TOKEN
from touchstone_core.client.site import Site
from touchstone_core.offline.command_line import InputError

HELP: Final = (
    "Serves an assistant that speaks the Model Context Protocol over standard input and output. It reads figures of a site with the "
    f"token in the variable {TOKEN}, which needs to read only, and changes nothing."
)
MISSING: Final = "This needs one more package. Install it with: pip install 'touchstone-relevance[mcp]'"
PATIENCE: Final = 20.0
"""Seconds that an assistant waits for a site that isn't there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--site", required=True, metavar="URL", help="the address of the site")


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """Until the assistant closes the connection. Raises InputError if the site doesn't know the token."""
    try:
        from touchstone_core.mcp_server.server import make_server
    except ModuleNotFoundError as error:
        raise InputError(MISSING) from error
    with Site(options.site, patience=PATIENCE) as site:
        account = site.account()
        err.write(f"Serving {site.url} for {account.username}, with the token {account.token.name}.\n")
        err.flush()
        make_server(site).run("stdio")
    return 0
