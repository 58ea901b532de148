"""The shapes of what tools answer, as pydantic models: the output schemas that hosts read."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class Record(BaseModel):
    """An entry; `text` is its own text, `line` counts from 1, `created_at` is UTC or empty."""

    id: str
    address: str
    kind: str
    name: str
    store: Literal["user", "project"]
    project: str
    file: str
    line: int
    text: str
    trust: str
    state: str
    source: str
    created_at: str
    confidence: float
    age_days: int
    labels: list[str]


class Hit(Record):
    """A record that answered a search; `file_id` names the whole file where that is an entry too."""

    score: float
    arms: list[str]
    file_id: str = ""


class Found(BaseModel):
    outcome: Literal["hits", "no_match", "store_missing", "unreadable"]
    hits: list[Hit]
    dropped: int
    note: str


class FileRow(BaseModel):
    file: str
    kind: str
    name: str
    one_liner: str
    entries: int
    updated: str


class Catalog(BaseModel):
    """The files in scope, or one file with its entries, etag and content."""

    project: str = ""
    files: list[FileRow] = []
    file: str = ""
    etag: str = ""
    kind: str = ""
    entries: list[Record] = []
    content: str = ""
    note: str = ""


class Done(BaseModel):
    """A receipt; an etag is empty where there was or is no file."""

    op: str
    id: str
    address: str
    kind: str
    drawer: str
    file: str
    etag_before: str
    etag_after: str
    reasons: list[str]
    unreached: list[str]


class Past(BaseModel):
    """One of the three, as asked."""

    changes: list[dict[str, Any]] = []
    lineage: list[dict[str, Any]] = []
    hits: list[Record] = []
    note: str = ""
    dropped: int = 0


def flat(schema: dict[str, Any], brief: bool = False) -> dict[str, Any]:
    """A JSON schema without references, which some hosts cannot read, and without titles and empty defaults.

    `brief`: for answers, whose rows abi/MCP.md describes: without what is required and without the fields of rows, so
    that the list of tools stays short.
    """
    definitions = schema.get("$defs", {})

    def walk(node: Any, depth: int = 0) -> Any:
        if isinstance(node, list):
            return [walk(item, depth) for item in node]
        if not isinstance(node, dict):
            return node
        if reference := node.get("$ref"):
            return {"type": "object"} if brief and depth else walk(definitions[reference.rpartition("/")[2]], depth)
        out: dict[str, Any] = {}
        for key, part in node.items():
            if key == "properties":
                out[key] = {name: walk(value, depth + 1) for name, value in part.items()}
            elif brief and key in ("required", "default", "description", "additionalProperties"):
                continue
            elif key not in ("$defs", "title") and not (key == "default" and part in ("", [])):
                out[key] = walk(part, depth)
        return out

    return walk(schema)
