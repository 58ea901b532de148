"""Arguments that several tools share, with the words that a host shows for them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Project = Annotated[
    str,
    Field(description="Project slug; empty: the working directory's and the user store; 'user': the user store alone"),
]
EntryId = Annotated[str, Field(description="Id or address that search_memory returned")]
Base = Annotated[str, Field(description="Etag the file was read at; refused when the file has changed since")]
Source = Annotated[
    str, Field(description="Where it was learned: a URL, a path, a session; 'user' when the person said it")
]
Reason = Annotated[str, Field(description="Why, in one line")]
Evidence = Annotated[str, Field(description="What backs it: path, commit, test run, URL")]
Allow = Annotated[list[str], Field(description="Rules a refusal named that do not apply here")]
AsOf = Annotated[str, Field(description="ISO 8601: what was believed then")]
ValidAt = Annotated[str, Field(description="ISO 8601: what holds then")]
