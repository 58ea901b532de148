"""The `memshelf` command line: the application, what all commands share, and how refusals end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from memshelf.errors import MemshelfError, Refused
from memshelf.memory import Memory

app = typer.Typer(
    no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Memory for coding agents, kept in markdown files that you own.",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]
ProjectName = Annotated[
    str, typer.Option("--project", help="Slug; default: the project of this folder and the user store.")
]


@contextmanager
def answered() -> Iterator[None]:
    """Exit 1 for a refusal, 3 for trouble with the store; the reason on stderr, no traceback."""
    try:
        yield
    except MemshelfError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1 if isinstance(error, Refused) else 3) from None


def opened(wide: bool = False) -> Memory:
    return Memory.open("person", os.environ, Path.cwd(), wide=wide)
