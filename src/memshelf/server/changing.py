"""The tools that change something: each ends in the one gateway, whatever its arguments say."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from memshelf.memory import Memory
from memshelf.server.answers import receipt, tool
from memshelf.server.arguments import Allow, Base, EntryId, Evidence, Project, Reason, Source
from memshelf.server.results import Done
from memshelf.services.draft import Draft


def register(server: MCPServer[Any], memory: Memory) -> None:
    """Offer the changing tools of one memory."""

    @tool(server, "Remember")
    def add_memory(
        text: Annotated[str, Field(description="One statement that a reader understands without this session")],
        kind: Annotated[
            str,
            Field(
                description="fact, preference, avoid, lesson, source, note, concept, entity, decision, task, plan..."
            ),
        ] = "",
        name: Annotated[str, Field(description="Topic: the file it belongs to, e.g. 'sqlite'")] = "",
        project: Project = "",
        collection: Annotated[
            str,
            Field(description="kind note: its folder, e.g. 'programming'; proposed, implemented, rejected: the class"),
        ] = "",
        source: Source = "",
        evidence: Evidence = "",
        confidence: Annotated[float, Field(description="0 to 1; below 1 for what you inferred")] = 1.0,
        tags: list[str] = [],  # noqa: B006 the schema's default; never changed
        aliases: Annotated[list[str], Field(description="Other words it may be looked for by")] = [],  # noqa: B006 the schema's default; never changed
        applies: Annotated[str, Field(description="Domain it holds for, e.g. github.com")] = "",
        valid_from: Annotated[str, Field(description="ISO 8601")] = "",
        valid_to: Annotated[str, Field(description="ISO 8601")] = "",
        expires_at: Annotated[str, Field(description="ISO 8601; not recalled after it")] = "",
        supersedes: Annotated[str, Field(description="Id of the entry that this one replaces")] = "",
        store: Annotated[
            Literal["", "user", "project"], Field(description="Which store, for kinds that live in both")
        ] = "",
        allow: Allow = [],  # noqa: B006 the schema's default; never changed
    ) -> Annotated[CallToolResult, Done]:
        """Remember one durable statement. A refusal writes nothing and says what to call instead."""
        return receipt(
            memory.add(
                Draft(
                    text,
                    kind,
                    name,
                    project,
                    collection,
                    source,
                    evidence,
                    confidence,
                    tuple(tags),
                    tuple(aliases),
                    applies,
                    valid_from,
                    valid_to,
                    expires_at,
                    supersedes,
                    store,
                    tuple(allow),
                )
            )
        )

    @tool(server, "Revise memory", destroys=True)
    def revise_memory(
        id: Annotated[str, Field(description="With 'text': the entry to reword")] = "",
        text: Annotated[str, Field(description="What the entry shall say")] = "",
        file: Annotated[
            str, Field(description="With 'content' or 'insert': a file as get_project_memories lists it")
        ] = "",
        content: Annotated[
            str, Field(description="The whole file; needs 'base'; keep the m: comments, they are the ids")
        ] = "",
        insert: Annotated[str, Field(description="One more entry for the file")] = "",
        base: Base = "",
        project: Project = "",
        source: Source = "",
        evidence: Evidence = "",
        reason: Reason = "",
        allow: Allow = [],  # noqa: B006 the schema's default; never changed
    ) -> Annotated[CallToolResult, Done]:
        """Change what stands: id+text, or file+content+base, or file+insert. Ids stay; old text is archived."""
        return receipt(
            memory.revise(
                entry_id=id,
                text=text,
                file=file,
                content=content,
                insert=insert,
                base=base,
                project=project,
                source=source,
                evidence=evidence,
                reason=reason,
                allow=allow,
            )
        )

    @tool(server, "Delete memory", destroys=True)
    def delete_memory(
        id: EntryId,
        mode: Annotated[
            Literal["retract", "forget"],
            Field(description="retract: no longer recalled, kept in the archive; forget: every copy purged for good"),
        ] = "retract",
        reason: Reason = "",
        project: Project = "",
    ) -> Annotated[CallToolResult, Done]:
        """Take one entry, and nothing else, out of what is recalled. An id that is gone is NOT_FOUND."""
        end = memory.forget if mode == "forget" else memory.retract
        return receipt(end(id, reason, project))

    @tool(server, "Register project", repeats=True)
    def register_project(
        slug: Annotated[str, Field(description="Short name, lower case, e.g. 'heron'")],
        path: Annotated[str, Field(description="Its folder on this machine, absolute")],
        role: Annotated[str, Field(description="What it is, e.g. 'api'")] = "",
        stack: Annotated[str, Field(description="e.g. 'python, postgres'")] = "",
        status: Annotated[str, Field(description="e.g. 'active'")] = "",
    ) -> Annotated[CallToolResult, Done]:
        """Make another project known by a slug; the one of the working directory needs no registering."""
        return receipt(memory.register(slug, path, role, stack, status))
