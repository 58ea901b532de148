"""The tools that read: search, the catalog, the past. They write nothing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from memshelf.memory import Memory
from memshelf.search.envelope import fenced, inline
from memshelf.search.scan import Query
from memshelf.server.answers import result, tool
from memshelf.server.arguments import AsOf, Project, ValidAt
from memshelf.server.results import Catalog, Found, Past
from memshelf.services.record import described


def register(server: MCPServer[Any], memory: Memory) -> None:
    """Offer the reading tools of one memory."""
    recall = memory.recall

    @tool(server, "Search memory", reads=True)
    def search_memory(
        query: Annotated[str, Field(description="Words to look for, an id or a path")],
        also: Annotated[
            list[str],
            Field(description="4-6 other words that the stored note might use: synonyms, names, error words"),
        ] = [],  # noqa: B006 the schema's default; never changed
        project: Project = "",
        kinds: Annotated[list[str], Field(description="Only these kinds")] = [],  # noqa: B006 the schema's default; never changed
        limit: Annotated[int, Field(description="Most hits, 1 to 100")] = 10,
        include: Annotated[
            list[Literal["staging", "archived", "superseded", "rejected"]],
            Field(description="What is hidden otherwise"),
        ] = [],  # noqa: B006 the schema's default; never changed
        tags: Annotated[list[str], Field(description="Only entries with all of these tags")] = [],  # noqa: B006 the schema's default; never changed
        applies: Annotated[
            str, Field(description="Only entries for this domain (github.com), and those for none")
        ] = "",
        as_of: AsOf = "",
        valid_at: ValidAt = "",
    ) -> Annotated[CallToolResult, Found]:
        """Find what is remembered, best first, as data. Always pass 'also': notes may use other words than yours."""
        asked = Query(query, tuple(also), tuple(kinds), tuple(tags), applies, tuple(include), limit)
        found = recall.search(asked, project, as_of, valid_at)
        head = f"{found['outcome']}: {len(found['hits'])} shown, {found['dropped']} more" + (
            f"; {found['note']}" if found["note"] else ""
        )
        return result(f"{head}\n{fenced(described(found['hits']))}" if found["hits"] else head, found)

    @tool(server, "List memories", reads=True)
    def get_project_memories(
        project: Project = "",
        kind: Annotated[str, Field(description="Only files of this kind")] = "",
        file: Annotated[str, Field(description="One file, with entries, etag and content")] = "",
    ) -> Annotated[CallToolResult, Catalog]:
        """What there is: files with one-liners, or one file whole with the etag for revise_memory."""
        if file:
            whole = recall.file(file, project)
            size = len(whole["entries"])
            head = f"{inline(whole['file'])} (kind {whole['kind']}, etag {whole['etag']}, {size} entries)"
            return result(f"{head}\n{fenced([(head, whole['content'])])}", whole)
        listing = recall.files(project, kind)
        rows = "\n".join(f"{r['file']} ({r['kind']}, {r['entries']}): {r['one_liner']}" for r in listing["files"])
        return result(
            f"{len(listing['files'])} files\n{fenced([('catalog', rows)])}" if rows else "no files yet", listing
        )

    @tool(server, "Look back", reads=True)
    def memory_history(
        since: Annotated[str, Field(description="ISO 8601: everything that changed since")] = "",
        id: Annotated[str, Field(description="What it replaced and what replaced it")] = "",
        as_of: AsOf = "",
        valid_at: ValidAt = "",
        query: Annotated[str, Field(description="With as_of or valid_at: only what matches")] = "",
        project: Project = "",
    ) -> Annotated[CallToolResult, Past]:
        """The past: changes since a time, one entry's lineage, or what was believed (as_of) about a time (valid_at)."""
        memory.look(project)
        past = recall.history(project, since, id, as_of, valid_at, query)
        if "hits" in past:
            head = f"{len(past['hits'])} shown, {past['dropped']} more"
            return result(f"{head}\n{fenced(described(past['hits']))}", past)
        rows = past.get("changes", past.get("lineage", []))
        notes = [(_line(row), str(row.get("text", ""))) for row in rows]
        return result(f"{len(rows)} rows, oldest first\n{fenced(notes)}" if rows else "nothing", past)


def _line(row: dict[str, Any]) -> str:
    """A change or a version without its text."""
    return " · ".join(f"{key} {value}" for key, value in row.items() if key != "text" and value)
