"""`memshelf serve`: the arguments, and the transport. Imports the SDK only once they are right."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Serve over stdio until the host closes it; exit code 2 for bad arguments, 3 where the binding fails."""
    parser = argparse.ArgumentParser("memshelf serve", description="Serve memory to one host over stdio (MCP).")
    parser.add_argument(
        "--project", type=Path, metavar="PATH", help="bind to this folder's project; no call can leave it"
    )
    parser.add_argument("--all-projects", action="store_true", help="allow project='*' in searches")
    options = parser.parse_args(argv)

    from memshelf.errors import MemshelfError
    from memshelf.memory import Memory

    try:
        memory = Memory.open("agent", os.environ, Path.cwd(), options.project, options.all_projects)
    except MemshelfError as error:
        print(f"memshelf: {error}", file=sys.stderr)
        return 3

    from memshelf.server.app import build

    build(memory).run()
    return 0
