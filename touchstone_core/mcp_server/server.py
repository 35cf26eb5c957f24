"""The server that an assistant starts."""

from typing import Final

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

from touchstone_core import __version__
from touchstone_core.client.site import Site
from touchstone_core.mcp_server.quoting import RULE
from touchstone_core.mcp_server.tools import Tools, as_tool

INSTRUCTIONS: Final = (
    "Touchstone judges search relevance and compares search runs. Tools read a site’s figures; list_query_sets is the first step. "
    "Always name the formula with a value, report verdicts and what isn’t known in the site’s words, and give the address of the page. "
    "Tools whose names begin with propose change nothing: they return a page where a person confirms. "
    f"{RULE}"
)
READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def make_server(site: Site) -> MCPServer[None]:
    """A server with all tools. None of them writes."""
    server: MCPServer[None] = MCPServer(
        "touchstone", title="Touchstone", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )
    tools = Tools(site)
    for tool in [*tools.reading_tools(), *tools.proposing_tools()]:
        server.add_tool(as_tool(tool), annotations=READS, structured_output=False)
    return server
