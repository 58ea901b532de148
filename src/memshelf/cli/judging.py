"""The commands by which a person judges: confirm, reject, lift, conflicts, resolve, history, archive."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from memshelf.cli import show
from memshelf.cli.app import Json, ProjectName, answered, app, opened

Id = Annotated[str, typer.Argument(help="Id or address of the entry.")]
Reason = Annotated[str, typer.Option(help="Why, in one line.")]


@app.command()
def confirm(id: Id, reason: Reason = "", project: ProjectName = "", json: Json = False) -> None:
    """Say that an entry is true: nothing an agent says outranks it from now on."""
    with answered():
        show.receipt(opened().confirm(id, reason, project).plain(), json)


@app.command()
def reject(
    id: Annotated[str, typer.Argument(help="Id or address of the entry; or use --text.")] = "",
    reason: Reason = "",
    text: Annotated[str, typer.Option(help="A value that no entry says; '-' reads standard input.")] = "",
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """Find an entry, or a value, wrong for good: it stays out however it is spelled."""
    with answered():
        words = sys.stdin.read() if text == "-" else text
        show.receipt(opened().reject(id, reason, project, words).plain(), json)


@app.command()
def lift(
    id: Annotated[str, typer.Argument(help="The key in REJECTED.md, or the id of the entry that was rejected.")],
    reason: Reason = "",
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """Let a rejected or forgotten value be said again."""
    with answered():
        show.receipt(opened().lift(id, reason, project).plain(), json)


@app.command()
def conflicts(project: ProjectName = "", json: Json = False) -> None:
    """List the entries that contradict each other; exit 0 also when there are some."""
    with answered():
        show.conflicts(opened().conflicts(project), json)


@app.command()
def resolve(
    id: Annotated[str, typer.Argument(help="Id of one of the two.")],
    disposition: Annotated[
        str, typer.Argument(help="keep-this, keep-other, keep-both, retract-both, new-text, or the id to keep.")
    ],
    text: Annotated[str, typer.Option(help="With new-text: what stands for both.")] = "",
    reason: Reason = "",
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """Decide a conflict."""
    with answered():
        show.receipt(opened().resolve(id, disposition, text, reason, project).plain(), json)


@app.command()
def history(
    id: Annotated[str, typer.Argument(help="An entry: what it replaced and what replaced it.")] = "",
    since: Annotated[str, typer.Option(help="Everything that changed since (ISO 8601).")] = "",
    as_of: Annotated[str, typer.Option(help="What was believed then (ISO 8601).")] = "",
    valid_at: Annotated[str, typer.Option(help="What held then (ISO 8601).")] = "",
    query: Annotated[str, typer.Option(help="With --as-of or --valid-at: only what matches.")] = "",
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """Look back: changes since a time, one entry's lineage, or what was believed."""
    with answered():
        memory = opened()
        memory.look(project)
        show.past(memory.recall.history(project, since, id, as_of, valid_at, query), json)


@app.command()
def archive(
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without, only say what would go.")] = False,
    project: ProjectName = "",
    json: Json = False,
) -> None:
    """Put old logs, reflections and done tasks into the archive, by the hard rules of their kinds."""
    with answered():
        show.archived(opened().archive(apply, project), apply, json)
