"""The baseline of a start: the smallest server that the same SDK makes."""

from mcp.server import MCPServer

server: MCPServer = MCPServer("bare", log_level="WARNING")


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


server.run()
