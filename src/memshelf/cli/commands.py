"""The everyday commands: serve, add, search, show, revise, delete, projects, doctor, version."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from memshelf import __version__
from memshelf.cli import show
from memshelf.cli.app import Json, ProjectName, answered, app, opened
from memshelf.search.scan import Query
from memshelf.services.draft import Draft


@app.command()
def serve(
    project: Annotated[str, typer.Option(help="Bind to this folder's project; no call can leave it.")] = "",
    all_projects: Annotated[bool, typer.Option("--all-projects", help="Allow project='*' in searches.")] = False,
) -> None:
    """Serve memory to one host over stdio (MCP). Hosts start this; you need not."""
    given = [*(["--project", project] if project else []), *(["--all-projects"] if all_projects else [])]
    os.execv(sys.executable, [sys.executable, "-m", "memshelf", "serve", *given])  # the entry point spares this detour


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="One statement; '-' reads standard input.")],
    kind: Annotated[str, typer.Option("--kind", "-k", help="What it is: fact, preference, note, decision...")],
    name: Annotated[str, typer.Option("--name", "-n", help="Topic: the file it belongs to.")] = "",
    collection: Annotated[str, typer.Option("--collection", "-c", help="For notes: the folder.")] = "",
    project: ProjectName = "",
    store: Annotated[str, typer.Option(help="user or project, for kinds that live in both.")] = "",
    source: Annotated[str, typer.Option(help="Where it was learned; default: you.")] = "",
    evidence: Annotated[str, typer.Option(help="What backs it.")] = "",
    confidence: Annotated[float, typer.Option(help="0 to 1.")] = 1.0,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")] = None,
    alias: Annotated[list[str] | None, typer.Option("--alias", help="Another word it may be looked for by.")] = None,
    applies: Annotated[str, typer.Option(help="Domain it holds for.")] = "",
    valid_from: Annotated[str, typer.Option(help="ISO 8601.")] = "",
    valid_to: Annotated[str, typer.Option(help="ISO 8601.")] = "",
    expires_at: Annotated[str, typer.Option(help="ISO 8601.")] = "",
    supersedes: Annotated[str, typer.Option(help="Id of the entry that this one replaces.")] = "",
    allow: Annotated[
        list[str] | None, typer.Option(help="A rule that a refusal named and that does not apply.")
    ] = None,
    json: Json = False,
) -> None:
    """Remember one statement, confirmed by you."""
    with answered():
        words = sys.stdin.read() if text == "-" else text
        done = opened().add(
            Draft(
                words,
                kind,
                name,
                project,
                collection,
                source,
                evidence,
                confidence,
                tuple(tag or ()),
                tuple(alias or ()),
                applies,
                valid_from,
                valid_to,
                expires_at,
                supersedes,
                store,
                tuple(allow or ()),
            )
        )
        show.receipt(done.plain(), json)


@app.command()
def search(
    query: Annotated[list[str], typer.Argument(help="Words, an id or a path.")],
    also: Annotated[
        list[str] | None, typer.Option(help="Another word that the note might use; may be repeated.")
    ] = None,
    project: ProjectName = "",
    kind: Annotated[list[str] | None, typer.Option("--kind", "-k", help="Only these kinds.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l")] = 10,
    include: Annotated[list[str] | None, typer.Option(help="staging, archived, superseded, rejected.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag")] = None,
    applies: Annotated[str, typer.Option()] = "",
    as_of: Annotated[str, typer.Option(help="What was believed then (ISO 8601).")] = "",
    valid_at: Annotated[str, typer.Option(help="What holds then (ISO 8601).")] = "",
    all_projects: Annotated[bool, typer.Option("--all-projects", help="Every registered project.")] = False,
    json: Json = False,
) -> None:
    """Find what is remembered, best first. Exit 0 with hits or none."""
    with answered():
        asked = Query(
            " ".join(query),
            tuple(also or ()),
            tuple(kind or ()),
            tuple(tag or ()),
            applies,
            tuple(include or ()),
            limit,
        )
        recall = opened(all_projects).recall
        show.hits(recall.search(asked, "*" if all_projects else project, as_of, valid_at), json)


@app.command(name="show")
def show_(
    what: Annotated[str, typer.Argument(help="An id, an address, or a file such as user/notes/programming/python.md.")],
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """One entry, or one file with its entries and etag."""
    with answered():
        memory = opened()
        if what.endswith(".md"):
            show.file(memory.recall.file(what, project), json)
        else:
            show.entry(memory.entry(what, project), json)


@app.command()
def revise(
    id: Annotated[str, typer.Argument(help="Id or address of the entry.")],
    text: Annotated[str, typer.Argument(help="What it shall say; '-' reads standard input.")],
    base: Annotated[str, typer.Option(help="Refuse if the file's etag is another.")] = "",
    project: ProjectName = "",
    evidence: Annotated[str, typer.Option(help="What backs it.")] = "",
    reason: Annotated[str, typer.Option(help="Kept beside the old text in the archive.")] = "",
    allow: Annotated[
        list[str] | None, typer.Option(help="A rule that a refusal named and that does not apply.")
    ] = None,
    json: Json = False,
) -> None:
    """Reword an entry; its id stays, its old text goes to the archive."""
    with answered():
        words = sys.stdin.read() if text == "-" else text
        done = opened().revise(
            entry_id=id, text=words, base=base, project=project, source="user", evidence=evidence, reason=reason,
            allow=tuple(allow or ()),
        )  # fmt: skip
        show.receipt(done.plain(), json)


@app.command()
def delete(
    id: Annotated[str, typer.Argument(help="Id or address of the entry.")],
    reason: Annotated[str, typer.Option(help="Kept beside it in the archive.")] = "",
    forget: Annotated[bool, typer.Option("--forget", help="Purge every copy of it; this cannot be undone.")] = False,
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """Retract an entry: it is no longer recalled, its text is kept in the archive. Or forget it for good."""
    with answered():
        memory = opened()
        end = memory.forget if forget else memory.retract
        show.receipt(end(id, reason, project).plain(), json)


@app.command()
def projects(
    register: Annotated[
        str, typer.Option("--register", metavar="SLUG", help="Register a project under this slug.")
    ] = "",
    path: Annotated[str, typer.Option(help="With --register: its folder; default: this one.")] = "",
    role: Annotated[str, typer.Option()] = "",
    stack: Annotated[str, typer.Option()] = "",
    status: Annotated[str, typer.Option()] = "",
    json: Json = False,
) -> None:
    """List the projects that this machine knows, or register one."""
    with answered():
        memory = opened()
        if register:
            done = memory.register(register, str(Path(path or ".").expanduser().resolve()), role, stack, status)
            show.receipt(done.plain(), json)
        else:
            show.projects(memory.projects(), json)


@app.command()
def doctor(
    project: ProjectName = "",
    audit: Annotated[bool, typer.Option("--audit", help="Verify the journals line by line instead.")] = False,
    json: Json = False,
) -> None:
    """Report what a person should look at, such as unreadable files and ids that stand twice; exit 1 if any."""
    with answered():
        if audit:
            held = opened().audit(project)
            show.audit(held, json)
            raise typer.Exit(1 if held["broken"] else 0)
        found = opened().health(project)
        show.health(found, json)
        raise typer.Exit(1 if found["problems"] else 0)


@app.command()
def version(json: Json = False) -> None:
    """Print the version."""
    show.plain({"version": __version__}, f"memshelf {__version__}", json)
