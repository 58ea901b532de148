"""Answers as a host gets them: text for the model, data for the program; refusals as error results."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from memshelf.errors import MemshelfError
from memshelf.services.receipt import Receipt

_BROKEN = re.compile("[\ud800-\udfff]")


def tool(
    server: MCPServer[Any], title: str, *, reads: bool = False, destroys: bool = False, repeats: bool = False
) -> Callable[[Any], Any]:
    """Registers the function below it as a tool that says what it does to the store."""
    return server.tool(
        title=title,
        annotations=ToolAnnotations(
            title=title,
            read_only_hint=reads,
            destructive_hint=destroys,
            idempotent_hint=reads or repeats,
            open_world_hint=False,
        ),
    )


def failure(error: MemshelfError) -> CallToolResult:
    """An error result with the refusal's text."""
    return CallToolResult(content=[TextContent(type="text", text=_sendable(str(error)))], is_error=True)


def result(text: str, data: dict[str, Any]) -> CallToolResult:
    """Text for the model, data for the program."""
    return CallToolResult(content=[TextContent(type="text", text=_sendable(text))], structured_content=_sendable(data))


def _sendable(value: Any) -> Any:
    """The value with U+FFFD for each byte that was no UTF-8 in a file; JSON cannot hold it, and the SDK ends the server
    over an answer that it cannot write."""
    if isinstance(value, str):
        return value if value.isascii() else _BROKEN.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _sendable(part) for key, part in value.items()}
    return [_sendable(part) for part in value] if isinstance(value, list) else value


def receipt(done: Receipt) -> CallToolResult:
    """A receipt in one line and as data."""
    why = "; ".join(done.reasons)
    etag = f" [etag {done.etag_after}]" if done.etag_after else ""
    missed = f"\nnot reached: {'; '.join(done.unreached)}" if done.unreached else ""
    head = f"{done.op} {done.address or done.file} ({done.kind}, {done.drawer}){etag}"
    return result(f"{head}: {why}{missed}", done.plain())
