"""`memshelf setup`: the user store, the hosts' configuration, and a live check of the command that hosts will start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from memshelf.cli.app import app
from memshelf.errors import BadRequest, MemshelfError, Refused
from memshelf.hosts import config
from memshelf.hosts.table import HOSTS, Host
from memshelf.memory import Memory, user_home


@app.command()
def setup(
    host: Annotated[
        list[str] | None, typer.Option("--host", help="Only this host; may be repeated. Default: those found.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write the configuration without asking.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take our entry out of the hosts' configuration.")] = False,
    check: Annotated[bool, typer.Option(help="Prove the main job live at the end.")] = True,
) -> None:
    """Create your store, connect your editors, and prove live that an agent can remember and recall."""
    try:
        hosts = _hosts(host)
        if undo:
            _undo(hosts)
            return
        _store()
        command = serve_command()
        _connect(hosts, command, yes)
        if check and not _proof(command):
            raise typer.Exit(3)
    except MemshelfError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1 if isinstance(error, Refused) else 3) from None


def serve_command() -> list[str]:
    """What a host starts: this very installation's script by its full path, else its interpreter and module."""
    script = Path(sys.argv[0])
    if script.stem == "memshelf" and script.exists():
        return [str(script.absolute()), "serve"]
    return [sys.executable, "-m", "memshelf", "serve"]


def _hosts(names: list[str] | None) -> list[Host]:
    if not names:
        return config.detect(Path.home(), os.environ, sys.platform)
    if unknown := [name for name in names if name not in HOSTS]:
        raise BadRequest(f"'--host' {unknown[0]!r} is no host that memshelf knows.", f"Pass one of {', '.join(HOSTS)}.")
    return [HOSTS[name] for name in names]


def _store() -> None:
    home = user_home(os.environ)
    made = Memory.open("person", os.environ, Path.cwd()).create()
    typer.echo(f"{'Created' if made else 'Found'} your store: {home}")


def _connect(hosts: list[Host], command: list[str], yes: bool) -> None:
    if not hosts:
        typer.echo("\nNo editor or agent was found on this machine. Each takes an entry like this:\n")
        typer.echo(config.snippet(HOSTS["claude-code"], command))
    for host in hosts:
        change = config.plan(host, command, home=Path.home(), environ=os.environ, platform=sys.platform)
        if change.empty:
            typer.echo(f"\n{host.title}: {change.path} has memshelf already.")
            continue
        typer.echo(f"\n{host.title}: {change.path}\n{change.diff()}")
        if yes or (sys.stdin.isatty() and typer.confirm("Write this?")):
            backup = config.apply(change)
            typer.echo(f"Written{f'; what was there is kept in {backup}' if backup else ''}.")
        else:
            typer.echo("Not written; run `memshelf setup --yes` to write it, or paste it yourself.")


def _undo(hosts: list[Host]) -> None:
    for host in hosts:
        change = config.undo(host, home=Path.home(), environ=os.environ, platform=sys.platform)
        typer.echo(f"{host.title}: {f'took memshelf out of {change.path}' if change else 'nothing of memshelf there'}.")


def _proof(command: list[str]) -> bool:
    """Run the live check in a process of its own, as a host would, and show each step."""
    typer.echo(f"\nLive check on a throw-away store, started as a host does: {' '.join(command)}")
    run = subprocess.run(
        [sys.executable, "-m", "memshelf.server.proof", *command], stdout=subprocess.PIPE, text=True, check=False
    )
    for line in run.stdout.splitlines():
        step = json.loads(line)
        typer.echo(f"  {'ok  ' if step['ok'] else 'FAIL'} {step['step']}: {step['detail']}")
    typer.echo("It works." if run.returncode == 0 else "The live check failed; the lines above say where.")
    return run.returncode == 0
