"""How answers look on a terminal, and as JSON. Rich is imported when something is printed as a table."""

from __future__ import annotations

import json as codec
from collections.abc import Mapping, Sequence
from typing import Any

import typer


def plain(data: Any, text: str, json: bool) -> None:
    """The data as JSON, or the text."""
    typer.echo(codec.dumps(data, ensure_ascii=False, indent=2) if json else text)


def receipt(done: Mapping[str, Any], json: bool) -> None:
    reasons = "".join(f"\n  {reason}" for reason in [*done["reasons"], *done["unreached"]])
    plain(done, f"{done['op']} {done['address'] or done['file']}{reasons}", json)


def hits(found: Mapping[str, Any], json: bool) -> None:
    if json or not found["hits"]:
        plain(found, f"{found['outcome']}: {found['note']}", json)
        return
    for hit in found["hits"]:
        entry(hit, False)
    if found["dropped"]:
        typer.echo(f"{found['dropped']} more; raise --limit")
    if found["note"]:
        typer.echo(found["note"], err=True)


def entry(record: Mapping[str, Any], json: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    if json:
        plain(record, "", True)
        return
    console = Console(soft_wrap=True)
    said = " · ".join([record["kind"], record["trust"], record["state"], *record["labels"]])
    console.print(Text(record["address"], "cyan"), Text(said, "dim"))
    console.print(Text("\n".join("  " + line for line in record["text"].split("\n"))))


def file(whole: Mapping[str, Any], json: bool) -> None:
    plain(whole, f"{whole['file']} (kind {whole['kind']}, etag {whole['etag']})\n\n{whole['content']}", json)


def projects(rows: Sequence[Mapping[str, Any]], json: bool) -> None:
    if json:
        plain(list(rows), "", True)
        return
    if not rows:
        typer.echo("No projects yet; the first write in a repository makes its store, or use --register.")
        return
    _table(
        ("slug", "path", "remote", "store"),
        [
            (r["slug"] + (" *" if r["bound"] else ""), r["path"], r["remote"], "yes" if r["store"] else "not yet")
            for r in rows
        ],
    )


def conflicts(rows: Sequence[Mapping[str, Any]], json: bool) -> None:
    if json:
        plain(list(rows), "", True)
        return
    for row in rows:
        for side in (row["a"], row["b"]):
            if side:
                entry(side, False)
        typer.echo(f"  memshelf resolve {row['a']['id']} {' | '.join(row['dispositions'])}\n")
    if not rows:
        typer.echo("No conflicts.")


def past(found: Mapping[str, Any], json: bool) -> None:
    if json:
        plain(found, "", True)
        return
    for hit in found.get("hits", ()):
        entry(hit, False)
    rows = [*found.get("changes", ()), *found.get("lineage", ())]
    for row in rows:
        until = f" until {row['until']}" if row.get("until") else ""
        by = f" by {row['by']}" if row.get("by") else ""
        typer.echo(f"{row['at'] or 'always'}{until}  {row.get('op') or row.get('state')}  {row['id']}{by}")
        if row.get("text"):
            typer.echo("\n".join("  " + line for line in row["text"].split("\n")))
    if not rows and not found.get("hits"):
        typer.echo("Nothing.")


def archived(rows: Sequence[Mapping[str, Any]], done: bool, json: bool) -> None:
    if json:
        plain(list(rows), "", True)
        return
    if not rows:
        typer.echo("Nothing is old enough.")
        return
    _table(("file", "why", "entries"), [(r["file"], r["why"], str(r["entries"])) for r in rows])
    typer.echo("Archived." if done else "Nothing was moved; add --apply to do it.")


def audit(held: Mapping[str, Any], json: bool) -> None:
    broken = "".join(f"\n{row['where']}: {row['what']}" for row in held["broken"])
    plain(held, f"{held['lines']} lines hold{broken or '; every journal is whole'}", json)


def health(found: Mapping[str, Any], json: bool) -> None:
    if json:
        plain(found, "", True)
        return
    typer.echo(f"{found['files']} files ({found['unfiled']} unfiled), {found['entries']} entries")
    typer.echo(f"{found['unstamped']} entries typed by hand and not stamped")
    if found["problems"]:
        _table(("where", "what"), [(p["where"], p["what"]) for p in found["problems"]])
    else:
        typer.echo("Nothing to mend.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
