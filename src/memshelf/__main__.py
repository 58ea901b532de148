"""The `memshelf` command: hands `serve` to the server at once, everything else to the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command in `sys.argv`; the server's start pays for no command line."""
    if sys.argv[1:2] == ["serve"]:
        from memshelf.server.launch import main as serve

        sys.exit(serve(sys.argv[2:]))
    from memshelf.cli import commands, judging, setup  # noqa: F401 each registers its commands
    from memshelf.cli.app import app

    app()


if __name__ == "__main__":
    main()
