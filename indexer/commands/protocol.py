"""``mcp``: the documents for other programs, by the Model Context Protocol."""

from __future__ import annotations

import typer

from ..errors import SettingsInvalid
from ..library import Indexer
from .common import DONE, WorkspaceOption, run, tell

app = typer.Typer()


@app.command()
def mcp(
    http: bool = typer.Option(False, "--http", help="Streamable HTTP at /mcp, with MCP_TOKEN; default: stdio."),
    host: str = typer.Option("127.0.0.1", "--host", help="Where to listen; 0.0.0.0 for other machines, behind TLS."),
    port: int = typer.Option(8770, "--port", min=1, max=65535),
    workspace: str = WorkspaceOption,
) -> None:
    """Offer search_documents and list_documents to MCP clients: what everybody in the workspace may read."""

    async def work(indexer: Indexer) -> int:
        from ..mcp_server import PATH, serve_http, serve_stdio  # it takes a second to load

        if not http:
            await serve_stdio(indexer, workspace)
            return DONE
        token = indexer.settings.mcp_token
        if token is None:
            raise SettingsInvalid("MCP_TOKEN is missing: set it to a long random text, and give it to your clients.")
        tell(f"Serving http://{host}:{port}{PATH}. Stop with Ctrl-C.")
        await serve_http(indexer, workspace, token=token.get_secret_value(), host=host, port=port)
        return DONE

    run(work)
