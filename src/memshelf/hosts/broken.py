"""The one way in which a text refuses to be edited, whatever its format."""

from __future__ import annotations


class Broken(ValueError):
    """The text cannot be edited; `line` and `column` count from 1."""

    def __init__(self, what: str, line: int, column: int = 1) -> None:
        super().__init__(what, line, column)
        self.what = what
        self.line = line
        self.column = column
